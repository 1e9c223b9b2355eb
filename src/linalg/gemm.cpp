#include "linalg/gemm.hpp"

#include <algorithm>

#include "linalg/kernels.hpp"
#include "linalg/workspace.hpp"

namespace svrmu {
namespace {

// A tile of B is read again for every group of rows of C, from the second-level cache: long along the columns
// of B, and only so wide across them that its pages stay known.
constexpr Index along = 256;
constexpr Index across = 48;
// Columns that share pages may be many.
constexpr Index far_apart = 512;

template <class Scalar>
const Scalar* transposed(const Scalar* A, Index lda, Index m, Index k, Workspace& work) {
  auto* out = work.take<Scalar>(m * k);
  for (Index r = 0; r < m; ++r)
    for (Index i = 0; i < k; ++i) out[i * m + r] = A[r * lda + i];
  return out;
}

// C <- A op(B)
template <class Scalar>
void multiply(Op b, Index m, Index n, Index k, const Scalar* A, Index lda, const Scalar* B, Index ldb,
              Scalar* C, Index ldc) {
  for (Index c = 0; c < n; ++c) std::fill_n(C + c * ldc, m, Scalar(0));
  const bool strided = b == Op::transposed && ldb > far_apart;
  const Index items = strided ? along : across;
  const Index terms = strided ? across : along;
  const Index by_term = b == Op::plain ? 1 : ldb;
  const Index by_item = b == Op::plain ? ldb : 1;
  for (Index c = 0; c < n; c += items)
    for (Index i = 0; i < k; i += terms)
      kernels<Scalar>().add_product({.items = std::min(items, n - c),
                                     .terms = std::min(terms, k - i),
                                     .K = m,
                                     .X = A + i * lda,
                                     .x_stride = lda,
                                     .T = B + c * by_item + i * by_term,
                                     .term_stride = by_term,
                                     .item_stride = by_item,
                                     .out = C + c * ldc,
                                     .out_stride = ldc});
}

}  // namespace

template <class Scalar>
void gemm(Op a, Op b, Index m, Index n, Index k, Scalar alpha, const Scalar* A, Index lda, const Scalar* B,
          Index ldb, Scalar beta, Scalar* C, Index ldc) {
  if (m == 0 || n == 0) return;
  Workspace work;
  if (a == Op::transposed) {
    A = transposed(A, lda, m, k, work);
    lda = m;
  }
  if (alpha == Scalar(1) && beta == Scalar(0)) {
    multiply(b, m, n, k, A, lda, B, ldb, C, ldc);
    return;
  }
  auto* AB = work.take<Scalar>(m * n);
  multiply(b, m, n, k, A, lda, B, ldb, AB, m);
  const bool whole = ldc == m;  // one long column
  const Index length = whole ? m * n : m;
  for (Index c = 0; c < (whole ? 1 : n); ++c) {
    Scalar* to = C + c * ldc;
    if (beta == Scalar(0))
      std::fill_n(to, length, Scalar(0));
    else if (beta != Scalar(1))
      for (Index i = 0; i < length; ++i) to[i] *= beta;
    kernels<Scalar>().add_scaled(to, alpha, AB + c * m, length);
  }
}

template void gemm<float>(Op, Op, Index, Index, Index, float, const float*, Index, const float*, Index, float,
                          float*, Index);
template void gemm<double>(Op, Op, Index, Index, Index, double, const double*, Index, const double*, Index,
                           double, double*, Index);

}  // namespace svrmu
