#include "linalg/projection.hpp"

#include <algorithm>
#include <array>
#include <span>

#include "linalg/batch_products.hpp"
#include "linalg/gemm.hpp"
#include "linalg/parallel.hpp"
#include "linalg/products.hpp"
#include "linalg/workspace.hpp"

namespace svrmu {
namespace {

template <class Scalar>
void project_pair_tile(const BasisPair& basis, ProjectedRows rows, const Batch<Scalar>& v, Index j0, Index j1,
                       Matrix<float>& Y) {
  float* y = Y.data() + v.sample(j0) * Y.rows();
  const std::array<Projection, 2> both = {{{&basis.T, y + basis.S.cols()}, {&basis.S, y}}};
  project_tile(std::span(both).first(rows == ProjectedRows::all ? 2 : 1), v, j0, j1, Y.rows());
}

}  // namespace

template <class Scalar>
void project(const BasisPair& basis, ProjectedRows rows, const Batch<Scalar>& v, Matrix<float>& Y) {
  parallel_tiles(v.count, column_tile,
                 [&](Index j0, Index j1) { project_pair_tile(basis, rows, v, j0, j1, Y); });
}

template <class Scalar>
void project_and_move_h(const BasisPair& basis, ProjectedRows rows, const Batch<Scalar>& v, Matrix<float>& Y,
                        const Matrix<float>& WtST, const HalsStep<float>& step, Matrix<float>& H,
                        Matrix<Scalar>& copy) {
  const Index K = WtST.rows();
  const bool same = static_cast<const void*>(copy.data()) == H.data();
  parallel_tiles(v.count, column_tile, [&](Index j0, Index j1) {
    const Index n = j1 - j0;
    const Index at = v.sample(j0);
    project_pair_tile(basis, rows, v, j0, j1, Y);
    Workspace work;
    auto* A = work.take<float>(K * n);
    gemm(Op::plain, Op::plain, K, n, Y.rows(), 1.0F, WtST.data(), K, Y.data() + at * Y.rows(), Y.rows(), 0.0F,
         A, K);
    float* h = H.data() + at * K;
    if (step.inverse.size() > 0) solve_tile(step.inverse, A, n, h);
    hals_tile(h, A, n, step.G, step.shrink, step.sweeps);
    if (!same) std::copy_n(h, K * n, copy.data() + at * K);
  });
}

#define SVRMU_INSTANTIATE(S)                                                                            \
  template void project<S>(const BasisPair&, ProjectedRows, const Batch<S>&, Matrix<float>&);           \
  template void project_and_move_h<S>(const BasisPair&, ProjectedRows, const Batch<S>&, Matrix<float>&, \
                                      const Matrix<float>&, const HalsStep<float>&, Matrix<float>&,     \
                                      Matrix<S>&);
SVRMU_INSTANTIATE(float)
SVRMU_INSTANTIATE(double)
#undef SVRMU_INSTANTIATE

}  // namespace svrmu
