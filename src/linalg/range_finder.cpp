#include "linalg/range_finder.hpp"

#include <algorithm>
#include <span>

#include "linalg/batch_products.hpp"
#include "linalg/gemm.hpp"
#include "linalg/parallel.hpp"
#include "linalg/workspace.hpp"

namespace svrmu {
namespace {

// V X, by rows, in pieces of V that stay in the cache.
template <class Scalar>
RowMatrix<float> VX(const Batch<Scalar>& v, const RowMatrix<float>& X, const SumOverTeam& total) {
  constexpr Index width = 256;
  const Index l = X.cols();
  RowMatrix<float> product = RowMatrix<float>::Zero(v.features, l);
  parallel_tiles(v.features, basis_tile, [&](Index f0, Index f1) {
    for (Index j0 = 0; j0 < v.count; j0 += width) {
      const Index j1 = std::min(v.count, j0 + width);
      Workspace work;
      auto* V = work.take<float>((f1 - f0) * (j1 - j0));
      copy_block(v, f0, f1, j0, j1, V);
      gemm(Op::plain, Op::transposed, l, f1 - f0, j1 - j0, 1.0F, X.data() + j0 * l, l, V, f1 - f0, 1.0F,
           product.data() + f0 * l, l);
    }
  });
  Matrix<double> sum = product.cast<double>();
  total(sum);
  return sum.cast<float>();
}

}  // namespace

template <class Scalar>
RowMatrix<float> range_finder(const Batch<Scalar>& v, const RowMatrix<float>& X, int steps,
                              const SumOverTeam& total) {
  const auto times_VVt = [&](const RowMatrix<float>& S) {
    RowMatrix<float> projected = VtS(v, S);
    orthonormalize(projected, total);
    return VX(v, projected, total);
  };
  return range_finder(VX(v, X, total), steps, times_VVt, [](RowMatrix<float>& S) { orthonormalize(S); });
}

template <class Scalar>
RowMatrix<float> VtS(const Batch<Scalar>& v, const RowMatrix<float>& S) {
  const Index l = S.cols();
  RowMatrix<float> product(v.count, l);
  parallel_tiles(v.count, column_tile, [&](Index j0, Index j1) {
    const Projection projection{&S, product.data() + j0 * l};
    project_tile(std::span(&projection, 1), v, j0, j1, l);
  });
  return product;
}

RowMatrix<float> random_signs(const std::vector<Index>& items, Index l, const Random& random) {
  RowMatrix<float> X(static_cast<Index>(items.size()), l);
  parallel_tiles(X.rows(), basis_tile, [&](Index begin, Index end) {
    for (Index j = begin; j < end; ++j) {
      const auto item = static_cast<std::uint64_t>(items[static_cast<std::size_t>(j)]);
      for (Index i = 0; i < l; ++i) {
        const auto bits = random.bits(item, static_cast<std::uint64_t>(i / 128));
        X(j, i) = (bits[static_cast<std::size_t>(i % 128 / 32)] >> (i % 32) & 1U) != 0 ? 1.0F : -1.0F;
      }
    }
  });
  return X;
}

#define SVRMU_INSTANTIATE(S)                                                               \
  template RowMatrix<float> VtS<S>(const Batch<S>&, const RowMatrix<float>&);              \
  template RowMatrix<float> range_finder<S>(const Batch<S>&, const RowMatrix<float>&, int, \
                                            const SumOverTeam&);
SVRMU_INSTANTIATE(float)
SVRMU_INSTANTIATE(double)
#undef SVRMU_INSTANTIATE

}  // namespace svrmu
