// Comparisons written down by hand: 10 x 20, so that one count is 200 entries and one visit 20 columns.
#pragma once

#include <initializer_list>
#include <string>
#include <utility>
#include <vector>

#include "svrmu/experiment/compare.hpp"

namespace svrmu::experiment {

// A run that is evaluated after each of these (gradient counts, objective); a count takes a tenth of a second
// and reads V twice.
inline std::vector<EpochRecord> made_history(std::initializer_list<std::pair<double, double>> points) {
  std::vector<EpochRecord> history;
  for (const auto& [counts, objective] : points) {
    EpochRecord report;
    report.epoch = static_cast<Index>(history.size());
    report.gradient_count = counts * 200;
    report.columns_read = static_cast<Index>(counts * 40);
    report.solver_seconds = counts / 10;
    report.evaluate_seconds = 1000;  // must never be seen
    report.objective = objective;
    history.push_back(report);
  }
  return history;
}

// Contestants without a safeguard, unless their label asks for one.
inline Comparison made_comparison(std::string_view contestants, std::size_t trials, double f_opt,
                                  double budget) {
  Comparison comparison;
  comparison.features = 10;
  comparison.samples = 20;
  comparison.rank = 2;
  comparison.budget.gradient_counts = budget;
  comparison.contestants = parse_contestants(contestants);
  for (std::size_t i = 0; i < trials; ++i) comparison.trials.push_back({i, f_opt, "reference"});
  return comparison;
}

}  // namespace svrmu::experiment
