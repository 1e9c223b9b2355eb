// Single columns of a batch, outside the inner loops: whoever asks need not know how V is stored.
#pragma once

#include <algorithm>
#include <type_traits>
#include <variant>

#include "linalg/batch_products.hpp"

namespace svrmu {

// body(f, x) for the entries x of column j, by increasing feature f: all of a dense column, the stored ones
// of a sparse one.
template <class Scalar, class Body>
void for_entries(const Batch<Scalar>& v, Index j, const Body& body) {
  std::visit(
      [&](const auto& data) {
        if constexpr (is_dense<std::decay_t<decltype(data)>>) {
          const Scalar* column = data.data + v.column(j) * data.column_stride;
          for (Index f = 0; f < v.features; ++f) body(f, v.scale * column[f * data.feature_stride]);
        } else {
          const auto e = entries(v, data, j);
          for (Index p = 0; p < e.count; ++p) body(static_cast<Index>(e.rows[p]), v.scale * e.values[p]);
        }
      },
      v.data);
}

// Whether column j has no value but 0. Ends at the first.
template <class Scalar>
bool is_empty(const Batch<Scalar>& v, Index j) {
  return std::visit(
      [&](const auto& data) {
        if constexpr (is_dense<std::decay_t<decltype(data)>>) {
          const Scalar* column = data.data + v.column(j) * data.column_stride;
          Index f = 0;
          while (f < v.features && column[f * data.feature_stride] == Scalar(0)) ++f;
          return f == v.features;
        } else {
          const auto e = entries(v, data, j);
          return std::all_of(e.values, e.values + e.count, [](Scalar x) { return x == Scalar(0); });
        }
      },
      v.data);
}

}  // namespace svrmu
