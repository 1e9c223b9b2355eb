// What loss and outliers do to single entries: the pieces that the h step, the sums and the cost share.
#pragma once

#include <algorithm>
#include <cmath>

#include "linalg/batch_products.hpp"
#include "linalg/elements.hpp"
#include "linalg/gemm.hpp"
#include "linalg/workspace.hpp"
#include "objective/data_term.hpp"

namespace svrmu {

// x <- W h for features f0 .. f1 (column-major, f1 - f0 rows).
template <class Scalar>
void approximate(const RowMatrix<Scalar>& W, Index f0, Index f1, const Scalar* h, Index columns, Scalar* x) {
  const Index K = W.cols();
  gemm(Op::transposed, Op::plain, f1 - f0, columns, K, Scalar(1), W.data() + f0 * K, K, h, K, Scalar(0), x,
       f1 - f0);
}

// The two parts of the derivative of a beta-divergence at x: minus <- v x^(beta-2) and, but for KL,
// plus <- x^(beta-1). minus may be v, and plus x.
template <class Scalar>
void beta_parts(double beta, const Scalar* v, const Scalar* x, Index n, Scalar* minus, Scalar* plus) {
  if (beta == 1) {
    kl_parts(v, x, n, minus);
  } else if (beta == 0) {
    is_parts(v, x, n, minus, plus);
  } else {
    const auto power = static_cast<Scalar>(beta - 2);
    for (Index i = 0; i < n; ++i) {
      const Scalar at = std::max(x[i], least_product<Scalar>);
      const Scalar p = std::pow(at, power);
      minus[i] = v[i] * p;
      plus[i] = p * at;
    }
  }
}

// What the entries v, approximated by x, put into the numerator of a multiplicative step, and into its
// denominator where that is not made from W alone: the loss, or clipping at x + lambda where outliers have
// their closed form. minus may be v, and plus x; where plus is not made, minus may be x.
template <class Scalar>
void entry_parts(const DataTerm<Scalar>& term, const Scalar* v, const Scalar* x, Index n, Scalar* minus,
                 Scalar* plus) {
  if (term.frobenius())
    for (Index i = 0; i < n; ++i) minus[i] = std::min(v[i], x[i] + term.lambda);
  else
    beta_parts(term.beta, v, x, n, minus, plus);
}

// y <- the numerator's part of stored entries v of one column, at W h. Frobenius and KL.
template <class Scalar, class Offset>
void pattern_parts(const DataTerm<Scalar>& term, const RowMatrix<Scalar>& W, const Offset* rows,
                   const Scalar* v, Index count, const Scalar* h, Scalar* y) {
  sample(rows, count, W.data(), h, W.cols(), y);
  entry_parts<Scalar>(term, v, y, count, y, nullptr);
}

// Stored values in working units: where they lie, or scaled into the workspace.
template <class Scalar>
const Scalar* scaled_values(const Scalar* values, Index count, Scalar scale, Workspace& work) {
  if (scale == Scalar(1)) return values;
  auto* scaled = work.take<Scalar>(count);
  for (Index p = 0; p < count; ++p) scaled[p] = scale * values[p];
  return scaled;
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
