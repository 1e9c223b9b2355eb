// What a comparison says: gaps along an axis, their spread over the trials, who is ahead.
#include <algorithm>
#include <cmath>
#include <limits>

#include "svrmu/experiment/compare.hpp"

namespace svrmu::experiment {
namespace {

constexpr double nan = std::numeric_limits<double>::quiet_NaN();
constexpr double rounding = 1e-9;  // counts are quotients

bool has_safeguard(const SolverOptions& solver) {
  for (const OptionInfo& option : options_of(solver))
    if (option.name == "safeguard") return option.value == "true";
  return false;
}

double median_gap(const Comparison& comparison, std::size_t contestant, Axis axis, double place) {
  return gap_spread(comparison, contestant, axis, place).median;
}

// A run that did not get so far is behind.
bool below(double own, double rival) { return !std::isnan(own) && (std::isnan(rival) || own < rival); }

bool below_all(const Comparison& comparison, std::size_t contestant, const std::vector<std::size_t>& rivals,
               Axis axis, double place) {
  const double own = median_gap(comparison, contestant, axis, place);
  return std::ranges::all_of(
      rivals, [&](std::size_t rival) { return below(own, median_gap(comparison, rival, axis, place)); });
}

}  // namespace

double position(const Comparison& comparison, const EpochRecord& record, Axis axis) {
  const auto samples = static_cast<double>(comparison.samples);
  switch (axis) {
    case Axis::gradient_counts:
      return record.gradient_count / (static_cast<double>(comparison.features) * samples);
    case Axis::columns_read:
      return static_cast<double>(record.columns_read) / samples;
    case Axis::solver_seconds:
      return record.solver_seconds;
  }
  return nan;
}

double reach(const Comparison& comparison, const ComparisonRun& run, Axis axis) {
  const double last = position(comparison, run.history.back(), axis);
  const bool by_clock = axis == Axis::solver_seconds && run.reason == StopReason::time_limit;
  return by_clock ? std::max(last, comparison.budget.seconds) : last;
}

std::vector<double> gaps(const Comparison& comparison, const ComparisonRun& run) {
  const bool keeps_best = has_safeguard(comparison.contestants.at(run.contestant).solver);
  const double f_opt = comparison.trials.at(run.trial).f_opt;
  std::vector<double> list;
  for (const EpochRecord& record : run.history) {
    const double gap = record.objective - f_opt;
    list.push_back(keeps_best && !list.empty() ? std::min(gap, list.back()) : gap);
  }
  return list;
}

double gap_at(const Comparison& comparison, const ComparisonRun& run, Axis axis, double place) {
  if (run.history.empty() || reach(comparison, run, axis) < place * (1 - rounding)) return nan;
  const auto beyond = std::ranges::find_if(run.history, [&](const EpochRecord& record) {
    return position(comparison, record, axis) > place * (1 + rounding);
  });
  if (beyond == run.history.begin()) return nan;
  return gaps(comparison, run)[static_cast<std::size_t>(beyond - run.history.begin()) - 1];
}

Spread spread_of(std::vector<double> values) {
  const bool known = std::ranges::none_of(values, [](double value) { return std::isnan(value); });
  if (values.empty() || !known) return {nan, nan, nan};
  std::ranges::sort(values);
  const std::size_t middle = values.size() / 2;
  const double median = values.size() % 2 == 1 ? values[middle] : (values[middle - 1] + values[middle]) / 2;
  return {median, values.front(), values.back()};
}

Spread gap_spread(const Comparison& comparison, std::size_t contestant, Axis axis, double place) {
  std::vector<double> values;
  for (const ComparisonRun& run : comparison.runs)
    if (run.contestant == contestant) values.push_back(gap_at(comparison, run, axis, place));
  return spread_of(std::move(values));
}

double end_of(const Comparison& comparison, Axis axis, const std::vector<std::size_t>& among) {
  if (axis == Axis::gradient_counts && comparison.budget.gradient_counts > 0)
    return comparison.budget.gradient_counts;
  double least = nan;
  for (const ComparisonRun& run : comparison.runs)
    if (run.reason != StopReason::numerical_failure && reach(comparison, run, axis) > 0 &&
        (among.empty() || std::ranges::find(among, run.contestant) != among.end()))
      least = std::fmin(least, reach(comparison, run, axis));
  return std::isnan(least) ? 0 : least;
}

std::vector<double> table_places(const Comparison& comparison, Axis axis) {
  const double end = end_of(comparison, axis);
  return {0.02 * end, 0.1 * end, 0.2 * end, 0.5 * end, end};
}

Lead lead(const Comparison& comparison, std::size_t contestant, const std::vector<std::size_t>& rivals,
          Axis axis) {
  constexpr int steps = 500;
  std::vector<std::size_t> involved = rivals;
  involved.push_back(contestant);
  const double end = end_of(comparison, axis, involved);
  Lead result;
  result.end = end;
  result.since = nan;
  result.at_end = below_all(comparison, contestant, rivals, axis, end);
  for (int i = steps; result.at_end && i > 0; --i) {
    const double place = end * i / steps;
    if (!below_all(comparison, contestant, rivals, axis, place)) break;
    result.since = place;
  }
  const auto at_end = [&](std::size_t who, std::size_t trial) {
    for (const ComparisonRun& run : comparison.runs)
      if (run.contestant == who && run.trial == trial) return gap_at(comparison, run, axis, end);
    return nan;
  };
  for (std::size_t trial = 0; trial < comparison.trials.size(); ++trial) {
    const double own = at_end(contestant, trial);
    const bool won =
        std::ranges::all_of(rivals, [&](std::size_t rival) { return below(own, at_end(rival, trial)); });
    if (won) ++result.trials_won;
  }
  double least = std::numeric_limits<double>::infinity();
  for (const std::size_t rival : rivals)
    if (const double gap = median_gap(comparison, rival, axis, end); gap < least) {
      least = gap;
      result.best_rival = rival;
    }
  return result;
}

}  // namespace svrmu::experiment
