#include "comparison_output.hpp"

#include <algorithm>
#include <numeric>

#include "console.hpp"
#include "text/text.hpp"

namespace svrmu::cli {
namespace {

std::string axis_text(experiment::Axis axis) {
  switch (axis) {
    case experiment::Axis::gradient_counts:
      return "gradient counts (passes over V that enter a gradient of W)";
    case experiment::Axis::columns_read:
      return "passes over V (columns read, over the samples)";
    case experiment::Axis::solver_seconds:
      return "seconds in the solver";
  }
  return {};
}

std::string gap_text(double gap) { return std::isnan(gap) ? "-" : short_number(gap); }

experiment::Spread at_end(const experiment::Comparison& comparison, std::size_t contestant,
                          experiment::Axis axis) {
  std::vector<double> places;
  for (const experiment::ComparisonRun& run : comparison.runs)
    if (run.contestant == contestant) places.push_back(reach(comparison, run, axis));
  return experiment::spread_of(std::move(places));
}

Json gaps_json(const experiment::Comparison& comparison, experiment::Axis axis) {
  Json algorithms = Json::array();
  const std::vector<double> places = table_places(comparison, axis);
  for (std::size_t c = 0; c < comparison.contestants.size(); ++c) {
    Json spreads = Json::array();
    for (const double place : places) spreads.push_back(json_of(gap_spread(comparison, c, axis, place)));
    algorithms.push_back({{"label", comparison.contestants[c].label},
                          {"gaps", spreads},
                          {"end", json_of(at_end(comparison, c, axis))}});
  }
  return {{"places", places}, {"algorithms", algorithms}};
}

}  // namespace

std::string to_text(const TextTable& table) {
  std::vector<std::size_t> width(table.head.size());
  const auto measure = [&](const std::vector<std::string>& cells) {
    for (std::size_t i = 0; i < cells.size(); ++i) width[i] = std::max(width[i], cells[i].size());
  };
  measure(table.head);
  for (const auto& row : table.rows) measure(row);
  std::string text;
  const auto put = [&](const std::vector<std::string>& cells) {
    for (std::size_t i = 0; i < cells.size(); ++i) {
      const std::string space(width[i] - cells[i].size(), ' ');
      text += i == 0 ? cells[i] + space : "  " + space + cells[i];
    }
    text += "\n";
  };
  put(table.head);
  for (const auto& row : table.rows) put(row);
  return text;
}

std::string table_text(const experiment::Comparison& comparison, experiment::Axis axis) {
  const std::vector<double> places = table_places(comparison, axis);
  TextTable table;
  table.head = {"algorithm"};
  for (const double place : places) table.head.push_back(short_number(place));
  for (const char* title : {"least", "most", "passes over V", "seconds"}) table.head.push_back(title);

  std::vector<std::size_t> order(comparison.contestants.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  const auto last = [&](std::size_t c) { return gap_spread(comparison, c, axis, places.back()).median; };
  std::ranges::stable_sort(order, [&](std::size_t a, std::size_t b) {
    return last(a) < last(b) || (std::isnan(last(b)) && !std::isnan(last(a)));
  });
  for (const std::size_t c : order) {
    std::vector<std::string> row = {printable(comparison.contestants[c].label)};
    for (const double place : places) row.push_back(gap_text(gap_spread(comparison, c, axis, place).median));
    const experiment::Spread end = gap_spread(comparison, c, axis, places.back());
    row.push_back(gap_text(end.least));
    row.push_back(gap_text(end.most));
    row.push_back(short_number(at_end(comparison, c, experiment::Axis::columns_read).median));
    row.push_back(short_number(at_end(comparison, c, experiment::Axis::solver_seconds).median));
    table.rows.push_back(std::move(row));
  }
  const std::string seeds = counted(static_cast<double>(comparison.trials.size()), "seed", "seeds");
  return "gap f - f_opt at " + axis_text(axis) + ", median of " + seeds +
         "; least and most of the last; passes and seconds of the whole run\n" + to_text(table);
}

Json json_of(const experiment::Spread& spread) {
  return {{"median", number_or_null(spread.median)},
          {"least", number_or_null(spread.least)},
          {"most", number_or_null(spread.most)}};
}

Json json_of(const std::vector<experiment::Contestant>& contestants) {
  Json list = Json::array();
  for (const experiment::Contestant& contestant : contestants)
    list.push_back({{"label", contestant.label},
                    {"algorithm", name_of(contestant.solver)},
                    {"options", values_of(contestant.solver)}});
  return list;
}

Json json_of(const experiment::Comparison& comparison) {
  Json trials = Json::array();
  for (const experiment::Trial& trial : comparison.trials)
    trials.push_back(
        {{"seed", trial.seed}, {"f_opt", number_or_null(trial.f_opt)}, {"f_opt_by", trial.f_opt_by}});
  Json failed = Json::array();
  for (const experiment::ComparisonRun& run : comparison.runs)
    if (run.reason == StopReason::numerical_failure)
      failed.push_back({{"algorithm", comparison.contestants[run.contestant].label},
                        {"seed", comparison.trials[run.trial].seed}});
  Json json = {{"data", comparison.data},
               {"about", comparison.about},
               {"features", comparison.features},
               {"samples", comparison.samples},
               {"rank", comparison.rank},
               {"loss", to_string(comparison.loss)},
               {"budget",
                {{"gradient_counts", comparison.budget.gradient_counts},
                 {"epochs", comparison.budget.epochs},
                 {"seconds", comparison.budget.seconds}}},
               {"reference", comparison.reference},
               {"algorithms", json_of(comparison.contestants)},
               {"trials", trials}};
  Json gaps = Json::object();
  for (const experiment::Axis axis :
       {experiment::Axis::gradient_counts, experiment::Axis::columns_read, experiment::Axis::solver_seconds})
    gaps[std::string(choices(axis)[static_cast<std::size_t>(axis)])] = gaps_json(comparison, axis);
  json["gaps"] = gaps;
  json["failed"] = failed;
  json["warnings"] = comparison.warnings;
  return json;
}

Json json_with_runs(const experiment::Comparison& comparison) {
  Json json = json_of(comparison);
  Json runs = Json::array();
  for (const experiment::ComparisonRun& run : comparison.runs) {
    // Arrays from the beginning: a null that is to become one is left broken where memory is short.
    Json history = Json::object();
    for (const char* name :
         {"epoch", "gradient_counts", "columns_read", "solver_seconds", "objective", "gap"})
      history[name] = Json::array();
    const std::vector<double> gap = gaps(comparison, run);
    for (std::size_t i = 0; i < run.history.size(); ++i) {
      const EpochRecord& record = run.history[i];
      history["epoch"].push_back(record.epoch);
      history["gradient_counts"].push_back(position(comparison, record, experiment::Axis::gradient_counts));
      history["columns_read"].push_back(position(comparison, record, experiment::Axis::columns_read));
      history["solver_seconds"].push_back(record.solver_seconds);
      history["objective"].push_back(number_or_null(record.objective));
      history["gap"].push_back(number_or_null(gap[i]));
    }
    runs.push_back({{"algorithm", comparison.contestants[run.contestant].label},
                    {"seed", comparison.trials[run.trial].seed},
                    {"stop_reason", to_string(run.reason)},
                    {"history", history}});
  }
  json["runs"] = runs;
  return json;
}

void warn_of_failures(const experiment::Comparison& comparison) {
  for (const experiment::ComparisonRun& run : comparison.runs)
    if (run.reason == StopReason::numerical_failure)
      warn(comparison.contestants[run.contestant].label + " with seed " +
           std::to_string(comparison.trials[run.trial].seed) +
           ": the objective was no longer finite; the run ends there");
}

}  // namespace svrmu::cli
