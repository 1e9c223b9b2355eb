#include "linalg/batch_copies.hpp"

#include <algorithm>
#include <numeric>
#include <type_traits>

#include "linalg/products.hpp"

namespace svrmu {
namespace {

// body(data) for the columns of a sparse batch, of either index width.
template <class Scalar, class Body>
void with_sparse(const Batch<Scalar>& v, const Body& body) {
  std::visit(
      [&](const auto& data) {
        if constexpr (!is_dense<std::decay_t<decltype(data)>>) body(data);
      },
      v.data);
}

}  // namespace

template <class Scalar>
double squared_norm(const Batch<Scalar>& v) {
  const auto& data = std::get<DenseColumns<Scalar>>(v.data);
  std::vector<double> squares(static_cast<std::size_t>(v.count));
  parallel_for(v.count, [&](Index j) {
    squares[static_cast<std::size_t>(j)] =
        norms(data.data + v.column(j) * data.column_stride, v.features).squared;
  });
  const auto scale = static_cast<double>(v.scale);
  return scale * scale * std::accumulate(squares.begin(), squares.end(), 0.0);
}

template <class Scalar>
std::vector<Index> entry_counts(const Batch<Scalar>& v) {
  std::vector<Index> counts(static_cast<std::size_t>(v.count));
  with_sparse(v, [&](const auto& data) {
    for (Index j = 0; j < v.count; ++j) counts[static_cast<std::size_t>(j)] = entries(v, data, j).count;
  });
  return counts;
}

template <class Scalar>
void copy_entries(const Batch<Scalar>& v, const std::vector<Index>& first, Index* rows, float* values) {
  with_sparse(v, [&](const auto& data) {
    parallel_tiles(v.count, column_tile, [&](Index j0, Index j1) {
      for (Index j = j0; j < j1; ++j) {
        const auto e = entries(v, data, j);
        const Index at = first[static_cast<std::size_t>(j)];
        std::copy_n(e.rows, e.count, rows + at);
        for (Index p = 0; p < e.count; ++p) values[at + p] = static_cast<float>(v.scale * e.values[p]);
      }
    });
  });
}

#define SVRMU_INSTANTIATE(S)                                    \
  template double squared_norm<S>(const Batch<S>&);             \
  template std::vector<Index> entry_counts<S>(const Batch<S>&); \
  template void copy_entries<S>(const Batch<S>&, const std::vector<Index>&, Index*, float*);
SVRMU_INSTANTIATE(float)
SVRMU_INSTANTIATE(double)
#undef SVRMU_INSTANTIATE

}  // namespace svrmu
