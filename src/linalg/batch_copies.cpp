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
void pack_columns(Batch<Scalar>& v, std::vector<Scalar>& into) {
  const auto* data = std::get_if<DenseColumns<Scalar>>(&v.data);
  if (data == nullptr || data->feature_stride == 1 || v.list.empty()) return;
  constexpr Index most = Index{1} << 23;  // numbers: it must stay small against V
  const Index F = v.features;
  if (v.count > most / std::max<Index>(F, 1)) return;
  into.resize(static_cast<std::size_t>(F * v.count));
  // Features that fill a line of the cache on the way out, and columns that are asked for beforehand.
  constexpr Index features = 64 / static_cast<Index>(sizeof(Scalar));
  constexpr Index ahead = 16;
  parallel_tiles(F, 8 * features, [&](Index begin, Index end) {
    for (Index f0 = begin; f0 < end; f0 += features) {
      const Index n = std::min(features, end - f0);
      const Scalar* rows = data->data + f0 * data->feature_stride;
      for (Index j = 0; j < v.count; ++j) {
        if (j + ahead < v.count)
          for (Index i = 0; i < n; ++i)
            __builtin_prefetch(rows + i * data->feature_stride + v.column(j + ahead));
        const Scalar* from = rows + v.column(j) * data->column_stride;
        Scalar* to = into.data() + j * F + f0;
        for (Index i = 0; i < n; ++i) to[i] = from[i * data->feature_stride];
      }
    }
  });
  v.data = DenseColumns<Scalar>{into.data(), 1, F};
  v.first = 0;
  v.list = {};
}

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
  template void pack_columns<S>(Batch<S>&, std::vector<S>&);    \
  template double squared_norm<S>(const Batch<S>&);             \
  template std::vector<Index> entry_counts<S>(const Batch<S>&); \
  template void copy_entries<S>(const Batch<S>&, const std::vector<Index>&, Index*, float*);
SVRMU_INSTANTIATE(float)
SVRMU_INSTANTIATE(double)
#undef SVRMU_INSTANTIATE

}  // namespace svrmu
