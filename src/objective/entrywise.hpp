// What loss and outliers do to single entries: the pieces that the h step, the sums and the cost share.
#pragma once

#include <algorithm>
#include <cmath>

#include "linalg/batch_products.hpp"
#include "linalg/gemm.hpp"
#include "objective/data_term.hpp"

namespace svrmu {

// Columns of a dense tile that is worked on entry by entry: about 64k numbers.
inline Index entry_tile(Index features) {
  return std::clamp<Index>((Index{1} << 16) / std::max<Index>(features, 1), 8, 128);
}

template <class Scalar>
Scalar floored(Scalar x) {
  return std::max(x, floor_value<Scalar>);
}

// x <- W h for features f0 .. f1 (column-major, f1 - f0 rows).
template <class Scalar>
void approximate(const RowMatrix<Scalar>& W, Index f0, Index f1, const Scalar* h, Index columns, Scalar* x) {
  const Index K = W.cols();
  gemm(Op::transposed, Op::plain, f1 - f0, columns, K, Scalar(1), W.data() + f0 * K, K, h, K, Scalar(0), x,
       f1 - f0);
}

// The two parts of the derivative of a beta-divergence at x: v x^(beta-2) and x^(beta-1).
template <class Scalar>
void beta_parts(double beta, const Scalar* v, const Scalar* x, Index n, Scalar* minus, Scalar* plus) {
  if (beta == 1) {
    kernels<Scalar>().kl_parts(v, x, n, minus, plus);
  } else if (beta == 0) {
    kernels<Scalar>().is_parts(v, x, n, minus, plus);
  } else {
    const auto power = static_cast<Scalar>(beta - 2);
    for (Index i = 0; i < n; ++i) {
      const Scalar at = floored(x[i]);
      const Scalar p = std::pow(at, power);
      minus[i] = v[i] * p;
      plus[i] = p * at;
    }
  }
}

// Sparse KL, and sparse outliers, touch only the stored entries; every other case but plain Frobenius needs
// all of x.
template <class Scalar>
bool on_pattern(const DataTerm<Scalar>& term, const Batch<Scalar>& v) {
  return !std::holds_alternative<DenseColumns<Scalar>>(v.data) && (term.frobenius() || term.kl());
}

template <class Scalar>
const Scalar* stored_outliers(const Outliers<Scalar>& R, const Batch<Scalar>& v, Index j) {
  return R.values.data() + R.offsets[static_cast<std::size_t>(v.sample(j))];
}

}  // namespace svrmu
