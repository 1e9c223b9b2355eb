// A stand-in for V that is cheap to iterate on. Steps 5 and 6 of fast.cpp make it, by a pass over V that
// begins with W = Ws and moves H to Hs:
//
//   V^ = S S'V + T T'V + D Hs = [S T D] [Y; Hs]                     F x (l + 2K) times (l + 2K) x N
//
//   S  F x l  orthonormal: the sketch, whose span holds most of the subset v, and so of V
//   T  F x K  orthonormal: completes S so that Ws lies in the span of [S T], Ws = S S'Ws + T T'Ws; where
//             l + K > F, some of its columns are zero
//   D  F x K  (V Hs' - [S T] [S T]'V Hs') (Hs Hs')^-1: what the first two terms lack of V Hs'
//
// Ws lies in the span of [S T], and D is orthogonal to it: Ws'V^ = Ws'V. The choice of D makes
// V^ Hs' = V Hs'. So V^ has the objective of V, but for the constants 1/2||V||^2 and 1/2||V^||^2, for Ws with
// any H, and for Hs with any W. What it neglects is of second order in the distance from (Ws, Hs). The W that
// the pass ends with is not Ws: step 5 has swept it.
#pragma once

#include "linalg/low_rank.hpp"
#include "linalg/projection.hpp"
#include "solvers/fast/low_rank_hals.hpp"

namespace svrmu::fast {

struct Surrogate {
  BasisPair basis() const { return {S, T}; }
  Index width() const { return S.cols() + 2 * T.cols(); }  // l + 2K, columns of [S T D]

  // 5. T for Ws = W.
  void complete(const RowMatrix<float>& W) { T = completion(S, W); }
  // 5. Room for Y with N columns. True if there was none, so that S'V is yet to be computed.
  bool make_room(Index N);
  // 5. W'[S T], for a W in their span.
  Matrix<float> coordinates(const RowMatrix<float>& W) const;
  // 6. D for Hs = H, from V H', H H' and H as the pass that filled Y left them.
  void correct(RowMatrix<float> VHt, const Matrix<double>& HHt, const Matrix<float>& H,
               const SumOverTeam& total);

  // 4. V^ = U Z with U = [S T D] and Z = [Y; Hs], for the Hs that D was made with.
  LowRankProduct product(const Matrix<float>& Hs) const;

  RowMatrix<float> S;
  RowMatrix<float> T;
  Matrix<float> Y;  // (l + K) x N: [S T]'V = [S'V; T'V]
  RowMatrix<float> D;
};

}  // namespace svrmu::fast
