#include "linalg/batch_scan.hpp"

#include <algorithm>
#include <cmath>
#include <string>
#include <type_traits>
#include <vector>

#include "linalg/batch_products.hpp"
#include "linalg/kernels.hpp"
#include "linalg/parallel.hpp"
#include "linalg/workspace.hpp"
#include "svrmu/error.hpp"

namespace svrmu {
namespace {

// Findings of later columns; those of earlier ones keep the first place.
void append(Finding& to, const Finding& from) {
  if (to.count == 0) {
    to = from;
  } else {
    to.count += from.count;
  }
}

void append(ColumnScan& to, const ColumnScan& from) {
  append(to.nan, from.nan);
  append(to.infinite, from.infinite);
  append(to.negative, from.negative);
  append(to.zero, from.zero);
  to.sum += from.sum;
  to.squared += from.squared;
  to.least = std::min(to.least, from.least);
  to.max = std::max(to.max, from.max);
  to.nonzeros += from.nonzeros;
  to.empty_columns += from.empty_columns;
}

void append(ColumnScan& to, const Summary& from) {
  to.sum += from.sum;
  to.squared += from.squared;
  to.least = std::min(to.least, from.least);
  to.max = std::max(to.max, from.max);
  to.nonzeros += from.nonzeros;
}

// `rows` gives the row of the p-th value.
template <class Scalar, class Rows>
void scan_column(const Scalar* values, Index count, const Rows& rows, Index features, Index column,
                 ColumnScan& scan) {
  const Summary summary = kernels<Scalar>().summarize(values, count);
  if (!std::isfinite(summary.sum) || summary.least < 0)
    for (Index p = first_invalid(values, count); p < count; ++p)
      if (!is_valid(values[p])) scan.note(rows(p), column, static_cast<double>(values[p]));
  append(scan, summary);
  const double zeros = static_cast<double>(features) - summary.nonzeros;
  if (zeros > 0) {
    // The first row without an entry, or with a stored zero.
    Index first = 0;
    while (first < count && rows(first) == first && values[first] != Scalar(0)) ++first;
    append(scan.zero, {zeros, first, column, 0});
    scan.least = std::min(scan.least, 0.0);
  }
  if (summary.nonzeros == 0) ++scan.empty_columns;
}

// The same for columns side by side that hold positive numbers only; false where they hold others.
template <class Scalar, class Offset>
bool scan_positive_columns(const Batch<Scalar>& v, const SparseColumns<Scalar, Offset>& data, Index j0,
                           Index j1, ColumnScan& scan) {
  if (!v.list.empty()) return false;
  const auto first = entries(v, data, j0);
  const auto last = entries(v, data, j1 - 1);
  const Index count = last.values + last.count - first.values;
  const Summary summary = kernels<Scalar>().summarize(first.values, count);
  if (!std::isfinite(summary.sum) || !(summary.least > 0)) return false;
  const double zeros =
      static_cast<double>(v.features) * static_cast<double>(j1 - j0) - static_cast<double>(count);
  Finding zero;
  for (Index j = j0; j < j1; ++j) {
    const auto e = entries(v, data, j);
    if (e.count == 0) ++scan.empty_columns;
    if (zero.count > 0 || e.count == v.features) continue;
    Index row = 0;
    while (row < e.count && e.rows[row] == row) ++row;
    zero = {zeros, row, v.sample(j), 0};
  }
  append(scan.zero, zero);
  append(scan, summary);
  if (zeros > 0) scan.least = std::min(scan.least, 0.0);
  return true;
}

template <class Scalar, class Offset>
void check_rows(const Entries<Scalar, Offset>& e, Index features, Index column) {
  Index last = -1;
  for (Index p = 0; p < e.count; ++p) {
    const Index row = e.rows[p];
    if (row <= last || row >= features)
      throw InvalidData("sparse V: the row index " + std::to_string(row) +
                        (last < 0 ? " comes first" : " follows " + std::to_string(last)) + " in column " +
                        std::to_string(column + 1) +
                        " (counted from 1); row indices must increase and stay within 0.." +
                        std::to_string(features - 1));
    last = row;
  }
}

template <class Scalar>
void scan_tile(const Batch<Scalar>& v, Index j0, Index j1, ColumnScan& scan) {
  std::visit(
      [&](const auto& data) {
        if constexpr (is_dense<std::decay_t<decltype(data)>>) {
          const bool in_place = data.feature_stride == 1;
          Workspace work;
          auto* block = in_place ? nullptr : work.take<Scalar>(v.features);
          for (Index j = j0; j < j1; ++j) {
            const Scalar* column = data.data + v.column(j) * data.column_stride;
            if (!in_place) {
              // A plain copy: arithmetic would flush denormal values.
              for (Index f = 0; f < v.features; ++f) block[f] = column[f * data.feature_stride];
              column = block;
            }
            scan_column(
                column, v.features, [](Index p) { return p; }, v.features, v.sample(j), scan);
          }
        } else {
          for (Index j = j0; j < j1; ++j) check_rows(entries(v, data, j), v.features, v.sample(j));
          if (scan_positive_columns(v, data, j0, j1, scan)) return;
          for (Index j = j0; j < j1; ++j) {
            const auto e = entries(v, data, j);
            scan_column(
                e.values, e.count, [&](Index p) { return static_cast<Index>(e.rows[p]); }, v.features,
                v.sample(j), scan);
          }
        }
      },
      v.data);
}

}  // namespace

template <class Scalar>
void scan_columns(const Batch<Scalar>& v, ColumnScan& scan) {
  const bool dense = std::holds_alternative<DenseColumns<Scalar>>(v.data);
  const Index tile = dense ? entry_tile(v.features) : column_tile;
  std::vector<ColumnScan> parts(static_cast<std::size_t>((v.count + tile - 1) / tile));
  parallel_tiles(v.count, tile, [&](Index j0, Index j1) {
    scan_tile(v, j0, j1, parts[static_cast<std::size_t>(j0 / tile)]);
  });
  for (const ColumnScan& part : parts) append(scan, part);
}

template <class Scalar>
void mark_rows(const Batch<Scalar>& v, RowMatrix<Scalar>& seen) {
  std::visit(
      [&](const auto& data) {
        if constexpr (is_dense<std::decay_t<decltype(data)>>) {
          // Threads own rows, and end when they have seen all of theirs.
          parallel_tiles(v.features, 128, [&](Index f0, Index f1) {
            for (Index j = 0; j < v.count && (seen.middleRows(f0, f1 - f0).array() == 0).any(); ++j) {
              const Scalar* column = data.data + v.column(j) * data.column_stride;
              for (Index f = f0; f < f1; ++f)
                if (column[f * data.feature_stride] != Scalar(0)) seen(f) = 1;
            }
          });
        } else {
          parallel_tiles(v.count, column_tile, [&](Index j0, Index j1) {
            for (Index j = j0; j < j1; ++j) {
              const auto e = entries(v, data, j);
              for (Index p = 0; p < e.count; ++p)
                if (e.values[p] != Scalar(0)) set_mark(seen(static_cast<Index>(e.rows[p])));
            }
          });
        }
      },
      v.data);
}

#define SVRMU_INSTANTIATE(S)                                   \
  template void scan_columns<S>(const Batch<S>&, ColumnScan&); \
  template void mark_rows<S>(const Batch<S>&, RowMatrix<S>&);
SVRMU_INSTANTIATE(float)
SVRMU_INSTANTIATE(double)
#undef SVRMU_INSTANTIATE

}  // namespace svrmu
