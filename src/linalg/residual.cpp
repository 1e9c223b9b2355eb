#include "linalg/residual.hpp"

#include <algorithm>

#include "linalg/batch_products.hpp"
#include "linalg/gemm.hpp"
#include "linalg/parallel.hpp"

namespace svrmu {
namespace {

template <class Real>
Matrix<Real> cross_of_items(const Real* X, const Real* Z, Index K, Index count) {
  Matrix<Real> cross(K, K);
  gemm(Op::plain, Op::transposed, K, K, count, Real(1), X, K, Z, K, Real(0), cross.data(), K);
  return cross;
}

// X <- max(0, X - C Z) for `count` items.
template <class Real>
void subtract_tile(const Matrix<Real>& C, const Real* Z, Index count, Real* X) {
  const Index K = C.rows();
  gemm(Op::plain, Op::plain, K, count, K, Real(-1), C.data(), K, Z, K, Real(1), X, K);
  for (Index i = 0; i < K * count; ++i) X[i] = std::max(X[i], Real(0));
}

}  // namespace

template <class Real>
Matrix<Real> cross_products(const RowMatrix<Real>& new_W, const RowMatrix<Real>& W) {
  return cross_of_items(new_W.data(), W.data(), W.cols(), W.rows());
}

template <class Real>
Matrix<Real> cross_products(const Matrix<Real>& new_H, const Matrix<Real>& H) {
  return cross_of_items(new_H.data(), H.data(), H.rows(), H.cols());
}

template <class Scalar, class Real>
void positive_residual(const RowMatrix<Real>& new_W, const Matrix<Real>& new_WtW, const Batch<Scalar>& v,
                       const Real* h, Real* new_h) {
  const Index K = new_W.cols();
  parallel_tiles(v.count, column_tile, [&](Index j0, Index j1) {
    WtV_tile(new_W, v, j0, j1, new_h + j0 * K);
    subtract_tile(new_WtW, h + j0 * K, j1 - j0, new_h + j0 * K);
  });
}

template <class Real>
void positive_residual(const RowMatrix<Real>& W, const Matrix<Real>& new_HHt, RowMatrix<Real>& product) {
  const Index K = W.cols();
  parallel_tiles(W.rows(), column_tile, [&](Index begin, Index end) {
    subtract_tile(new_HHt, W.data() + begin * K, end - begin, product.data() + begin * K);
  });
}

// NOLINTBEGIN(bugprone-macro-parentheses): types
#define SVRMU_INSTANTIATE_MIXED(S, R) \
  template void positive_residual<S, R>(const RowMatrix<R>&, const Matrix<R>&, const Batch<S>&, const R*, R*);
#define SVRMU_INSTANTIATE(S)                                                      \
  template Matrix<S> cross_products<S>(const RowMatrix<S>&, const RowMatrix<S>&); \
  template Matrix<S> cross_products<S>(const Matrix<S>&, const Matrix<S>&);       \
  template void positive_residual<S>(const RowMatrix<S>&, const Matrix<S>&, RowMatrix<S>&);
SVRMU_INSTANTIATE(float)
SVRMU_INSTANTIATE(double)
SVRMU_INSTANTIATE_MIXED(float, float)
SVRMU_INSTANTIATE_MIXED(double, double)
SVRMU_INSTANTIATE_MIXED(double, float)
#undef SVRMU_INSTANTIATE
#undef SVRMU_INSTANTIATE_MIXED
// NOLINTEND(bugprone-macro-parentheses)

}  // namespace svrmu
