#include "linalg/hals_step.hpp"

#include <algorithm>

#include "linalg/batch_products.hpp"
#include "linalg/copies.hpp"
#include "linalg/gemm.hpp"
#include "linalg/parallel.hpp"
#include "linalg/products.hpp"
#include "linalg/workspace.hpp"

namespace svrmu {
namespace {

// `next` is the new iterate and becomes the point beyond it; `last` becomes the new iterate.
template <class Real>
void extrapolate_items(Real* next, Real* last, Index size, double weight) {
  const auto w = static_cast<Real>(weight);
  for (Index i = 0; i < size; ++i) {
    const Real x = next[i];
    next[i] = std::max(x + w * (x - last[i]), floor_value<Real>);
    last[i] = x;
  }
}

}  // namespace

template <class Real>
void solve_tile(const Matrix<Real>& inverse, const Real* A, Index count, Real* X) {
  const Index K = inverse.rows();
  gemm(Op::plain, Op::plain, K, count, K, Real(1), inverse.data(), K, A, K, Real(0), X, K);
  for (Index i = 0; i < K * count; ++i) X[i] = std::max(X[i], floor_value<Real>);
}

template <class Scalar, class Out>
void solve_h(const HalsStep<float>& step, const RowMatrix<float>& W, const Batch<Scalar>& v, Out* h) {
  const Index K = W.cols();
  parallel_tiles(v.count, column_tile, [&](Index j0, Index j1) {
    const Index size = K * (j1 - j0);
    Workspace work;
    auto* A = work.take<float>(size);
    auto* solved = work.take<float>(size);
    WtV_tile(W, v, j0, j1, A);
    solve_tile(step.inverse, A, j1 - j0, solved);
    hals_tile(solved, A, j1 - j0, step.G, step.shrink, step.sweeps);
    std::copy_n(solved, size, h + j0 * K);
  });
}

template <class Scalar, class Real>
void move_h_beyond(const HalsStep<Real>& step, const RowMatrix<Real>& W, const Batch<Scalar>& v,
                   double weight, Real* h, Real* last) {
  const Index K = W.cols();
  parallel_tiles(v.count, column_tile, [&](Index j0, Index j1) {
    const Index size = K * (j1 - j0);
    Workspace work;
    auto* A = work.take<Real>(size);
    WtV_tile(W, v, j0, j1, A);
    hals_tile(h + j0 * K, A, j1 - j0, step.G, step.shrink, step.sweeps);
    extrapolate_items(h + j0 * K, last + j0 * K, size, weight);
  });
}

template <class Real>
void extrapolate(RowMatrix<Real>& next, RowMatrix<Real>& last, double weight) {
  parallel_tiles(next.size(), copied_tile, [&](Index begin, Index end) {
    extrapolate_items(next.data() + begin, last.data() + begin, end - begin, weight);
  });
}

template <class Real>
void solve_rows(const Matrix<Real>& inverse, const RowMatrix<Real>& A, RowMatrix<Real>& X) {
  const Index K = A.cols();
  X.resize(A.rows(), K);
  parallel_tiles(A.rows(), column_tile, [&](Index begin, Index end) {
    solve_tile(inverse, A.data() + begin * K, end - begin, X.data() + begin * K);
  });
}

template void solve_tile<float>(const Matrix<float>&, const float*, Index, float*);
template void solve_rows<float>(const Matrix<float>&, const RowMatrix<float>&, RowMatrix<float>&);
template void extrapolate<float>(RowMatrix<float>&, RowMatrix<float>&, double);
template void extrapolate<double>(RowMatrix<double>&, RowMatrix<double>&, double);
// NOLINTBEGIN(bugprone-macro-parentheses): types
#define SVRMU_INSTANTIATE(S)                                                                         \
  template void solve_h<S, S>(const HalsStep<float>&, const RowMatrix<float>&, const Batch<S>&, S*); \
  template void move_h_beyond<S, S>(const HalsStep<S>&, const RowMatrix<S>&, const Batch<S>&, double, S*, S*);
SVRMU_INSTANTIATE(float)
SVRMU_INSTANTIATE(double)
#undef SVRMU_INSTANTIATE
// NOLINTEND(bugprone-macro-parentheses)
template void solve_h<double, float>(const HalsStep<float>&, const RowMatrix<float>&, const Batch<double>&,
                                     float*);
template void move_h_beyond<double, float>(const HalsStep<float>&, const RowMatrix<float>&,
                                           const Batch<double>&, double, float*, float*);

}  // namespace svrmu
