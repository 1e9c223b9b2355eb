// A stand-in for V that is cheap to iterate on, made by a pass over V that begins at W and ends at H:
//
//   V^ = S S'V + T T'V + D H                                                                rank l + 2K
//
//   S  F x l  orthonormal: the sketch, whose span holds most of V
//   T  F x K  orthonormal: completes S so that the two span W, W = S S'W + T T'W
//   D  F x K  (V H' - [S T] [S T]'V H') (H H')^-1: what the first two terms lack of V H'
//
// W lies in the span of [S T], and D is orthogonal to it: W'V^ = W'V. The choice of D makes V^ H' = V H'. So
// V^ has the objective of V for this W with any H, and for this H with any W; what it neglects is of second
// order in the way from (W, H).
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
