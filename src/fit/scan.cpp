#include "fit/scan.hpp"

#include <cmath>
#include <limits>
#include <string>
#include <type_traits>

#include "data/feed.hpp"
#include "fit/agree.hpp"
#include "svrmu/error.hpp"
#include "text/text.hpp"

namespace svrmu {
namespace {

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

// This member's columns; false: it was asked to stop. Nothing here waits for other members, so that a refusal
// cannot leave them waiting.
template <class Scalar>
bool scan_own_columns(const MatrixSource<Scalar>& source, const std::stop_token& stop, Scan& result,
                      RowMatrix<Scalar>& seen) {
  const Team alone{};
  ColumnFeed<Scalar> feed(source, alone, 0, Scalar(1), [&] { return stop.stop_requested(); });
  for (const Batch<Scalar>& v : feed.blocks(Counted::columns)) {
    scan_columns(v, result);
    mark_rows(v, seen);
  }
  return !feed.interrupted();
}

void refuse(const Finding& finding, const std::string& what, const std::string& remedy) {
  if (finding.count > 0) throw InvalidData("V " + holds_text(finding, what) + "; " + remedy);
}

}  // namespace

template <class Scalar>
Scan scan(const MatrixSource<Scalar>& source, const Team& team, const std::stop_token& stop) {
  Scan result;
  bool whole = false;
  RowMatrix<Scalar> seen = RowMatrix<Scalar>::Zero(source.features(), 1);
  agree(team, [&] { whole = scan_own_columns(source, stop, result, seen); });
  if (team.max(whole ? 0 : 1) > 0) throw Cancelled("asked to stop while V was looked over");
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
  result.single = std::is_same_v<Scalar, float>;
  result.empty_rows = (seen.array() == Scalar(0)).count();
  return result;
}

void check_values(const Scan& scan) {
  refuse(
      scan.nan, "NaN",
      "missing values are not supported yet, and 0 would mean that nothing was there: leave out the rows or "
      "columns that have gaps, or fill them in (impute)");
  refuse(scan.infinite, "infinite", "replace them by finite values");
  refuse(scan.negative, "negative", "NMF needs nonnegative data: shift, clip or take absolute values first");
  const double least_normal =
      scan.single ? double{std::numeric_limits<float>::min()} : std::numeric_limits<double>::min();
  if (scan.max > 0 && scan.max < least_normal)
    throw InvalidData("V is too small: its largest value is " + number_text(scan.max) + ", and below " +
                      number_text(least_normal) + " " + (scan.single ? "float" : "double") +
                      " has fewer digits; scale it first");
}

template Scan scan<float>(const MatrixSource<float>&, const Team&, const std::stop_token&);
template Scan scan<double>(const MatrixSource<double>&, const Team&, const std::stop_token&);

}  // namespace svrmu
