// Orthonormal columns whose span holds most of V, by power steps from a random projection. Halko, Martinsson
// & Tropp, "Finding structure with randomness", SIAM Review 2011.
#pragma once

#include <vector>

#include "data/random.hpp"
#include "linalg/low_rank.hpp"
#include "svrmu/matrix.hpp"
#include "svrmu/source.hpp"

namespace svrmu {

// From S = V X with X random: S <- V V'S, `steps` times, orthonormal each time. What is multiplied, and how
// it is made orthonormal, is up to the caller: a batch in memory in single precision (below), or V pass by
// pass.
template <class Basis, class Power, class Orthonormalize>
Basis range_finder(Basis S, int steps, const Power& times_VVt, const Orthonormalize& orthonormalize_columns) {
  orthonormalize_columns(S);
  for (int step = 0; step < steps; ++step) {
    S = times_VVt(S);
    orthonormalize_columns(S);
  }
  return S;
}

// Of a batch: as many columns as X has, which is random with a row for each column of v. V'S is made
// orthonormal as well, since single precision would lose what is small in V V'.
template <class Scalar>
RowMatrix<float> range_finder(const Batch<Scalar>& v, const RowMatrix<float>& X, int steps,
                              const SumOverTeam& total);

// V'S, a row for each column of v.
template <class Scalar>
RowMatrix<float> VtS(const Batch<Scalar>& v, const RowMatrix<float>& S);

// A row of l signs for each item, whatever the others are.
RowMatrix<float> random_signs(const std::vector<Index>& items, Index l, const Random& random);

}  // namespace svrmu
