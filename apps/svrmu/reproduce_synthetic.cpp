// Experiment 1: convergence on synthetic data.
#include <algorithm>
#include <iostream>
#include <sstream>

#include "comparison_output.hpp"
#include "comparison_progress.hpp"
#include "console.hpp"
#include "errors.hpp"
#include "files.hpp"
#include "reproduce.hpp"
#include "svrmu/report/experiment_pages.hpp"
#include "text_values.hpp"

namespace svrmu::cli {
namespace {

std::vector<DataKind> parse_kinds(const std::string& text) {
  std::vector<DataKind> kinds;
  std::stringstream parts(text + ",");
  for (std::string part; std::getline(parts, part, ',');) {
    const auto kind = parse_choice<DataKind>("--kinds", part);
    if (kind == DataKind::swimmer) throw UsageError("--kinds: swimmer is no data of experiment synthetic");
    if (std::ranges::count(kinds, kind) > 0) throw UsageError("--kinds: " + part + " is named twice");
    kinds.push_back(kind);
  }
  return kinds;
}

}  // namespace

int reproduce_synthetic(const ReproduceFlags& flags) {
  const std::vector<DataKind> kinds = parse_kinds(flags.kinds);
  const experiment::Axis axis = parse_choice<experiment::Axis>("--axis", flags.axis);
  experiment::SyntheticOptions options;
  options.features = flags.features;
  options.samples = flags.samples;
  options.rank = flags.rank.value_or(options.rank);
  options.batch_size = flags.batch_size;
  options.gradient_counts = flags.counts.value_or(options.gradient_counts);
  options.reference = flags.reference;
  if (flags.init) options.start = parse_choice<Start>("--init", *flags.init);
  options.seeds = flags.all_seeds(5);
  options.threads = flags.threads;
  ComparisonProgress progress;
  options.observer = [&](const experiment::ComparisonStep& step) { progress.show(step); };

  std::vector<experiment::Comparison> comparisons;
  Json summary = Json::array();
  Json everything = Json::array();
  for (const DataKind kind : kinds) {
    options.kind = kind;
    comparisons.push_back(experiment::run_synthetic(options));
    const experiment::Comparison& comparison = comparisons.back();
    progress.clear();
    warn_of_failures(comparison);
    const std::vector<std::string> verdict = synthetic_verdict(comparison);
    summary.push_back(json_of(comparison));
    summary.back()["verdict"] = verdict;
    if (!flags.output.empty()) {
      everything.push_back(json_with_runs(comparison));
      everything.back()["verdict"] = verdict;
    }
    if (flags.streams()) continue;
    std::cout << (kind == kinds.front() ? "" : "\n") << comparison.data << ": " << comparison.about << "\n"
              << table_text(comparison, axis);
    for (const std::string& sentence : verdict) std::cout << "- " << sentence << "\n";
    finish_standard_output();
  }
  const auto whole = [&](const Json& list) {
    return Json{{"experiment", "synthetic"}, {"comparisons", list}};
  };
  if (!flags.output.empty()) write_text(flags.output, dump(whole(everything), -1), flags.force);
  if (!flags.csv.empty()) write_text(flags.csv, to_csv(comparisons), flags.force);
  if (flags.report.any())
    write_report(flags.report, report::synthetic_page(comparisons, flags.command), flags.force);
  if (flags.json) write_text("-", dump(whole(summary)), false);
  for (const std::string* path : {&flags.output, &flags.csv})
    if (!path->empty() && *path != standard_stream) say("saved " + printable(*path));
  tell_report(flags.report);
  return done;
}

}  // namespace svrmu::cli
