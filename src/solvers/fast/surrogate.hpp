// V^ = S S'V + T T'V + D H, of rank l + 2K, made at a pass over V at (W, H):
//   S  F x l   orthonormal: the sketch, whose span holds most of V
//   T  F x K   orthonormal: completes S so that the two span W, W = S S'W + T T'W
//   D  F x K   (V H' - [S T] [S T]'V H') (H H')^-1: what the two lack of V H'
// Then W'V^ = W'V and V^ H' = V H': at (W, H) the surrogate has the value and the gradient of V, and its
// value is that of V for any W at H and for any H at W. What it neglects is of second order in the step from
// (W, H).
#pragma once

#include "linalg/low_rank.hpp"
#include "linalg/projection.hpp"
#include "solvers/fast/low_rank_hals.hpp"

namespace svrmu::fast {

struct Surrogate {
  BasisPair basis() const { return {S, T}; }
  Index rank() const { return S.cols() + 2 * T.cols(); }

  // T for this W.
  void complete(const RowMatrix<float>& W) { T = completion(S, W); }
  // Room for [S T]'V with N columns. True if there was none, so that S'V is yet to be computed.
  bool make_room(Index N);
  // W'[S T], for a W in their span.
  Matrix<float> coordinates(const RowMatrix<float>& W) const;
  // D, from V H', H H' and H at the pass that filled Y.
  void correct(RowMatrix<float> VHt, const Matrix<double>& HHt, const Matrix<float>& H,
               const SumOverTeam& total);

  // V^ = U Z with U = [S T D] and Z = [S'V; T'V; H], for the H that D was made with.
  LowRankProduct product(const Matrix<float>& H) const;

  RowMatrix<float> S;
  RowMatrix<float> T;
  Matrix<float> Y;  // (l + K) x N: [S T]'V
  RowMatrix<float> D;
};

}  // namespace svrmu::fast
