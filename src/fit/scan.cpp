#include "fit/scan.hpp"

#include <algorithm>
#include <cmath>
#include <string>
#include <type_traits>
#include <vector>

#include "data/feed.hpp"
#include "fit/agree.hpp"
#include "linalg/batch_products.hpp"
#include "linalg/kernels.hpp"
#include "linalg/parallel.hpp"
#include "linalg/workspace.hpp"
#include "svrmu/error.hpp"
#include "text/text.hpp"

namespace svrmu {
namespace {

void note(Finding& finding, Index row, Index column, double value) {
  if (finding.count++ > 0) return;
  finding.row = row;
  finding.column = column;
  finding.value = value;
}

// Findings of later columns; those of earlier ones keep the first place.
void append(Finding& to, const Finding& from) {
  if (to.count == 0) {
    to = from;
  } else {
    to.count += from.count;
  }
}

void append(Scan& to, const Scan& from) {
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

// `rows` gives the row of the p-th value.
template <class Scalar, class Rows>
void scan_column(const Scalar* values, Index count, const Rows& rows, Index features, Index column,
                 Scan& scan) {
  const Summary summary = kernels<Scalar>().summarize(values, count);
  if (!std::isfinite(summary.sum) || summary.least < 0)
    for (Index p = 0; p < count; ++p) {
      const double x = static_cast<double>(values[p]);
      if (std::isnan(x))
        note(scan.nan, rows(p), column, x);
      else if (std::isinf(x))
        note(scan.infinite, rows(p), column, x);
      else if (x < 0)
        note(scan.negative, rows(p), column, x);
    }
  scan.sum += summary.sum;
  scan.squared += summary.squared;
  scan.least = std::min(scan.least, summary.least);
  scan.max = std::max(scan.max, summary.max);
  const double nonzeros = summary.nonzeros;
  if (nonzeros < static_cast<double>(features)) {
    // The first row without an entry, or with a stored zero.
    Index first = 0;
    while (first < count && rows(first) == first && values[first] != Scalar(0)) ++first;
    append(scan.zero, {static_cast<double>(features) - nonzeros, first, column, 0});
    scan.least = std::min(scan.least, 0.0);
  }
  scan.nonzeros += nonzeros;
  if (nonzeros == 0) ++scan.empty_columns;
}

// The same for columns side by side that hold positive numbers only; false where they hold others.
template <class Scalar, class Offset>
bool scan_positive_columns(const Batch<Scalar>& v, const SparseColumns<Scalar, Offset>& data, Index j0,
                           Index j1, Scan& scan) {
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
  scan.sum += summary.sum;
  scan.squared += summary.squared;
  scan.least = std::min(scan.least, zeros > 0 ? 0.0 : summary.least);
  scan.max = std::max(scan.max, summary.max);
  scan.nonzeros += summary.nonzeros;
  return true;
}

// Kernels index by these rows: what a source of its own making serves is not trusted.
template <class Scalar, class Offset>
void check_rows(const Entries<Scalar, Offset>& e, Index features, Index column) {
  Index last = -1;
  for (Index p = 0; p < e.count; ++p) {
    const Index row = e.rows[p];
    if (row <= last || row >= features)
      throw InvalidData("sparse V: row " + std::to_string(row) + " follows row " + std::to_string(last) +
                        " in column " + std::to_string(column) + "; rows must increase and stay below " +
                        std::to_string(features));
    last = row;
  }
}

template <class Scalar>
void scan_tile(const Batch<Scalar>& v, Index j0, Index j1, Scan& scan) {
  std::visit(
      [&](const auto& data) {
        if constexpr (is_dense<std::decay_t<decltype(data)>>) {
          const bool in_place = data.feature_stride == 1;
          Workspace work;
          auto* block = in_place ? nullptr : work.take<Scalar>(v.features * (j1 - j0));
          if (!in_place) copy_block(v, 0, v.features, j0, j1, block);
          for (Index j = j0; j < j1; ++j)
            scan_column(
                in_place ? data.data + v.column(j) * data.column_stride : block + (j - j0) * v.features,
                v.features, [](Index p) { return p; }, v.features, v.sample(j), scan);
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

// Sets seen(f) to 1 where row f has a nonzero. Threads own rows, and stop looking when they have seen all of
// theirs.
template <class Scalar>
void see_rows(const Batch<Scalar>& v, RowMatrix<Scalar>& seen) {
  std::visit(
      [&](const auto& data) {
        if constexpr (is_dense<std::decay_t<decltype(data)>>) {
          parallel_tiles(v.features, 128, [&](Index f0, Index f1) {
            for (Index j = 0; j < v.count && (seen.middleRows(f0, f1 - f0).array() == 0).any(); ++j) {
              const Scalar* column = data.data + v.column(j) * data.column_stride;
              for (Index f = f0; f < f1; ++f)
                if (column[f * data.feature_stride] != Scalar(0)) seen(f) = 1;
            }
          });
        } else {
          for (Index j = 0; j < v.count; ++j) {
            const auto e = entries(v, data, j);
            for (Index p = 0; p < e.count; ++p)
              if (e.values[p] != Scalar(0)) seen(static_cast<Index>(e.rows[p])) = 1;
          }
        }
      },
      v.data);
}

void total(Finding& finding, const Team& team) {
  if (team.size() == 1) return;
  const bool any = finding.count > 0;
  team.sum(std::span<double>(&finding.count, 1));
  if (finding.count == 0) return;
  // Local columns become global ones; the member with the first of them names the place.
  const double column = static_cast<double>(finding.column * team.size() + team.member());
  const double first = -team.max(any ? -column : -1e18);
  const bool mine = any && column == first;
  double place[] = {mine ? static_cast<double>(finding.row) : 0,
                    mine && !std::isnan(finding.value) ? finding.value : 0};
  team.sum(std::span<double>(place));
  finding.row = static_cast<Index>(place[0]);
  finding.value = place[1];
  finding.column = static_cast<Index>(first);
}

// This member's columns. Nothing here waits for other members, so that a refusal cannot leave them waiting.
template <class Scalar>
void scan_columns(const MatrixSource<Scalar>& source, Scan& result, RowMatrix<Scalar>& seen) {
  const Team alone{};
  ColumnFeed<Scalar> feed(source, alone, 0, Scalar(1), {});
  const Index tile =
      source.is_sparse()
          ? column_tile
          : std::clamp<Index>((Index{1} << 16) / std::max<Index>(source.features(), 1), 8, 128);
  std::vector<Scan> parts;
  for (const Batch<Scalar>& v : feed.blocks(Counted::no)) {
    parts.assign(static_cast<std::size_t>((v.count + tile - 1) / tile), Scan{});
    parallel_tiles(v.count, tile, [&](Index j0, Index j1) {
      scan_tile(v, j0, j1, parts[static_cast<std::size_t>(j0 / tile)]);
    });
    for (const Scan& part : parts) append(result, part);
    see_rows(v, seen);
  }
}

void refuse(const Finding& finding, const std::string& what, const std::string& remedy) {
  if (finding.count == 0) return;
  const std::string number = number_text(finding.count);
  throw InvalidData(
      "V holds " + number + " " + what + (finding.count > 1 ? " values, the first" : " value,") +
      (finding.value < 0 && std::isfinite(finding.value) ? " " + number_text(finding.value) : "") +
      " at row " + std::to_string(finding.row) + ", column " + std::to_string(finding.column) +
      " (counted from 0); " + remedy);
}

}  // namespace

template <class Scalar>
Scan scan(const MatrixSource<Scalar>& source, const Team& team) {
  Scan result;
  RowMatrix<Scalar> seen = RowMatrix<Scalar>::Zero(source.features(), 1);
  agree(team, [&] { scan_columns(source, result, seen); });
  for (Finding* finding : {&result.nan, &result.infinite, &result.negative, &result.zero})
    total(*finding, team);
  double sums[] = {result.sum, result.squared, result.nonzeros, static_cast<double>(result.empty_columns),
                   static_cast<double>(source.samples())};
  team.sum(std::span<double>(sums));
  team.sum(std::span<Scalar>(seen.data(), static_cast<std::size_t>(seen.size())));
  result.sum = sums[0];
  result.squared = sums[1];
  result.nonzeros = sums[2];
  result.empty_columns = static_cast<Index>(sums[3]);
  result.entries = static_cast<double>(source.features()) * sums[4];
  result.least = -team.max(-result.least);
  result.max = team.max(result.max);
  result.empty_rows = (seen.array() == Scalar(0)).count();
  return result;
}

void check_values(const Scan& scan) {
  refuse(scan.nan, "NaN", "NMF needs every value: fill in or leave out what is missing");
  refuse(scan.infinite, "infinite", "replace them by finite values");
  refuse(scan.negative, "negative", "NMF needs nonnegative data: shift, clip or take absolute values first");
}

template Scan scan<float>(const MatrixSource<float>&, const Team&);
template Scan scan<double>(const MatrixSource<double>&, const Team&);

}  // namespace svrmu
