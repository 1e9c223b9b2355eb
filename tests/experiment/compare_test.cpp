#include <gmock/gmock.h>

#include <algorithm>

#include "problems.hpp"
#include "svrmu/error.hpp"
#include "svrmu/experiment/compare.hpp"

namespace svrmu::experiment {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

CompareOptions small_options(double gradient_counts = 12) {
  CompareOptions options;
  options.rank = 3;
  options.seeds = {4, 5};
  options.budget.gradient_counts = gradient_counts;
  return options;
}

std::string refusal(const std::vector<Contestant>& contestants, const CompareOptions& options) {
  const Matrix<double> V = noisy(12, 30, 3);
  try {
    compare(*view(V), contestants, options);
  } catch (const InvalidInput& error) {
    return error.what();
  }
  return "accepted";
}

TEST(Compare, EveryRunOfASeedHasTheSameStart) {
  const Matrix<double> V = noisy(12, 30, 3);
  const auto source = view(V);
  const Comparison c = compare(*source, parse_contestants("paper,mu,mu-acc"), small_options());
  ASSERT_EQ(c.runs.size(), 18U);
  for (const ComparisonRun& run : c.runs) {
    const auto same_start = std::ranges::find(c.runs, run.trial, &ComparisonRun::trial);
    EXPECT_NEAR(run.history.front().objective, same_start->history.front().objective,
                1e-9 * run.history.front().objective)
        << c.contestants[run.contestant].label;
  }
  EXPECT_NE(c.runs.front().history.front().objective, c.runs.back().history.front().objective);
}

TEST(Compare, RunsAreThoseOfFit) {
  const Matrix<double> V = noisy(12, 30, 3);
  const auto source = view(V);
  const Comparison c = compare(*source, parse_contestants("smu:batch-size=10"), small_options());
  FitOptions<double> options;
  options.rank = 3;
  options.seed = 5;
  options.stopping = {.max_epochs = 12, .relative_change = 0};
  const auto result = fit(*source, SmuOptions{.batch_size = 10}, options);
  ASSERT_EQ(c.runs[1].history.size(), result.history.size());
  for (std::size_t i = 0; i < result.history.size(); ++i)
    EXPECT_EQ(c.runs[1].history[i].objective, result.history[i].objective);
}

TEST(Compare, TellsWhoFinishedNoEpoch) {
  const Matrix<double> V = noisy(12, 30, 3);
  CompareOptions options = small_options(0);
  options.budget.seconds = 1e-9;
  const Comparison c = compare(*view(V), parse_contestants("smu"), options);
  ASSERT_EQ(c.runs[1].history.size(), 1U);
  EXPECT_THAT(c.warnings, ::testing::Contains(HasSubstr("smu with seed 5 finished no epoch within 1e-09 s")));
  EXPECT_GE(end_of(c, Axis::solver_seconds), 1e-9) << "the clock may run before the first batch";
}

TEST(Compare, OptimumIsTheLowestOfReferenceAndRunsOverAllSeeds) {
  const Matrix<double> V = noisy(12, 30, 3);
  const Comparison c = compare(*view(V), parse_contestants("smu,hals"), small_options());
  EXPECT_EQ(c.reference, "hals-acc");
  EXPECT_EQ(c.trials[0].f_opt, c.trials[1].f_opt);
  for (const ComparisonRun& run : c.runs)
    for (const double gap : gaps(c, run)) EXPECT_GE(gap, 0);

  CompareOptions alone = small_options();
  alone.reference = 0;
  const Comparison d = compare(*view(V), parse_contestants("smu,hals"), alone);
  double least = 1e300;
  for (const ComparisonRun& run : d.runs)
    for (const EpochRecord& record : run.history) least = std::min(least, record.objective);
  EXPECT_EQ(d.trials[0].f_opt, least);
  EXPECT_EQ(d.trials[0].f_opt_by, "hals");
  EXPECT_EQ(d.reference, "");
  EXPECT_LE(c.trials[0].f_opt, least);
}

// An outer loop of svrmu with r inner passes counts 1 + r; the last one may go beyond the budget, but the gap
// at the budget is that of the loop before.
TEST(Compare, CountsAreTheAuthors) {
  const Matrix<double> V = noisy(12, 30, 3);
  const Comparison c = compare(
      *view(V), parse_contestants("mu,smu,svrmu:inner-passes=5", {{"batch_size", "10"}}), small_options(20));
  const auto ends = [&](std::size_t contestant) {
    const auto run = std::ranges::find(c.runs, contestant, &ComparisonRun::contestant);
    return position(c, run->history.back(), Axis::gradient_counts);
  };
  EXPECT_DOUBLE_EQ(ends(0), 20);
  EXPECT_DOUBLE_EQ(ends(1), 20);
  EXPECT_DOUBLE_EQ(ends(2), 24);
  const auto run = std::ranges::find(c.runs, 2U, &ComparisonRun::contestant);
  EXPECT_EQ(gap_at(c, *run, Axis::gradient_counts, 20), gaps(c, *run)[3]);
}

TEST(Compare, EveryLossAndTheOutliersHaveAReference) {
  const Matrix<double> V = noisy(12, 30, 3);
  CompareOptions options = small_options(5);
  options.loss = Loss::kullback_leibler();
  EXPECT_EQ(compare(*view(V), parse_contestants("mu,smu"), options).reference, "mu");
  options.loss = Loss::frobenius();
  const Comparison c =
      compare(*view(V), parse_contestants("r-onmf,r-svrmu", {{"outlier_penalty", "0.5"}}), options);
  EXPECT_EQ(c.reference, "r-nmf");
  for (const ComparisonRun& run : c.runs)
    for (const double gap : gaps(c, run)) EXPECT_GE(gap, 0);
}

TEST(Compare, WhatCannotBeComparedIsRefused) {
  const auto list = parse_contestants("mu,hals");
  CompareOptions options = small_options();
  EXPECT_THAT(refusal({}, options), HasSubstr("no algorithm"));
  EXPECT_THAT(refusal(parse_contestants("mu,r-nmf"), options), HasSubstr("minimize different functions"));
  EXPECT_THAT(refusal(parse_contestants("r-nmf:outlier-penalty=1,r-onmf:outlier-penalty=2"), options),
              AllOf(HasSubstr("r-onmf:outlier-penalty=2"), HasSubstr("different functions")));
  options.penalties.l1_w = 1;
  EXPECT_THAT(refusal(parse_contestants("mu,inmf"), options), HasSubstr("inmf: inmf takes no penalties"));
  options = small_options();
  options.seeds = {1, 2, 1};
  EXPECT_THAT(refusal(list, options), HasSubstr("a seed is given twice"));
  options.seeds = {};
  EXPECT_THAT(refusal(list, options), HasSubstr("no seed"));
  options = small_options();
  options.budget = {};
  EXPECT_THAT(refusal(list, options), HasSubstr("the budget has no limit"));
  options.budget.seconds = std::numeric_limits<double>::infinity();
  EXPECT_THAT(refusal(list, options), HasSubstr("finite"));
  options = small_options();
  options.reference = -1;
  EXPECT_THAT(refusal(list, options), HasSubstr("reference is -1"));
  options = small_options();
  options.rank = 0;
  EXPECT_THAT(refusal(list, options), HasSubstr("rank"));
}

TEST(Compare, AStopLeavesNoHalfOfIt) {
  const Matrix<double> V = noisy(12, 30, 3);
  const auto source = view(V);
  CompareOptions options = small_options();
  std::stop_source stop;
  options.stop = stop.get_token();
  options.observer = [&](const ComparisonStep& step) {
    if (step.run == 2) stop.request_stop();
  };
  EXPECT_THROW(compare(*source, parse_contestants("mu,hals"), options), Cancelled);
}

TEST(Compare, TheObserverSeesEveryRunInOrder) {
  const Matrix<double> V = noisy(12, 30, 3);
  const auto source = view(V);
  CompareOptions options = small_options(2);
  std::vector<std::string> seen;
  std::size_t last = 99;
  options.observer = [&](const ComparisonStep& step) {
    EXPECT_EQ(step.runs, 6U);
    if (step.run != last) seen.push_back(std::to_string(step.seed) + std::string(step.label));
    last = step.run;
  };
  compare(*source, parse_contestants("mu,hals"), options);
  EXPECT_THAT(seen, ::testing::ElementsAre("4reference", "4mu", "4hals", "5reference", "5mu", "5hals"));
}

TEST(Append, PutsTrialsSideBySide) {
  const Matrix<double> V = noisy(12, 30, 3);
  const Matrix<double> other = noisy(12, 30, 3, 9);
  const auto list = parse_contestants("mu,hals");
  CompareOptions options = small_options(3);
  options.seeds = {4};
  Comparison all = compare(*view(V), list, options);
  const Comparison more = compare(*view(other), list, options);
  append(all, more);
  ASSERT_EQ(all.trials.size(), 2U);
  ASSERT_EQ(all.runs.size(), 4U);
  EXPECT_EQ(all.runs[3].trial, 1U);
  EXPECT_EQ(all.trials[1].f_opt, more.trials[0].f_opt);
  EXPECT_EQ(gaps(all, all.runs[3]), gaps(more, more.runs[1]));
  EXPECT_THROW(append(all, compare(*view(V), parse_contestants("mu"), options)), InvalidInput);
}

}  // namespace
}  // namespace svrmu::experiment
