#include <gtest/gtest.h>

#include <cmath>

#include "made_comparisons.hpp"

namespace svrmu::experiment {
namespace {

constexpr Axis counts = Axis::gradient_counts;
constexpr double nan = std::numeric_limits<double>::quiet_NaN();

TEST(Spread, MedianOfOddAndEvenNumbersOfValues) {
  EXPECT_EQ(spread_of({5, 1, 3}).median, 3);
  EXPECT_EQ(spread_of({5, 1, 3, 4}).median, 3.5);
  EXPECT_EQ(spread_of({7}).median, 7);
  EXPECT_EQ(spread_of({5, 1, 3}).least, 1);
  EXPECT_EQ(spread_of({5, 1, 3}).most, 5);
}

TEST(Spread, IsUnknownWhereAValueIs) {
  EXPECT_TRUE(std::isnan(spread_of({}).median));
  EXPECT_TRUE(std::isnan(spread_of({1, nan, 2}).median));
  EXPECT_TRUE(std::isnan(spread_of({1, nan, 2}).least));
}

TEST(Position, IsInVisitsOfVOrInSolverSeconds) {
  const Comparison comparison = made_comparison("mu", 1, 0, 10);
  const EpochRecord report = made_history({{3, 1}}).front();
  EXPECT_EQ(position(comparison, report, Axis::gradient_counts), 3);
  EXPECT_EQ(position(comparison, report, Axis::columns_read), 6);
  EXPECT_EQ(position(comparison, report, Axis::solver_seconds), 0.3);
}

TEST(Gap, IsThatOfTheLastEvaluationNotBeyondThePlace) {
  Comparison comparison = made_comparison("mu", 1, 2, 18);
  comparison.runs.push_back(
      {0, 0, StopReason::gradient_budget, made_history({{0, 12}, {6, 8}, {12, 5}, {18, 3}})});
  const ComparisonRun& run = comparison.runs.front();
  EXPECT_EQ(gap_at(comparison, run, counts, 0), 10);
  EXPECT_EQ(gap_at(comparison, run, counts, 5.9), 10);
  EXPECT_EQ(gap_at(comparison, run, counts, 6), 6);
  EXPECT_EQ(gap_at(comparison, run, counts, 11), 6);
  EXPECT_EQ(gap_at(comparison, run, counts, 18), 1);
  EXPECT_EQ(gap_at(comparison, run, Axis::columns_read, 24), 3);
  EXPECT_EQ(gap_at(comparison, run, Axis::solver_seconds, 1.3), 3);
}

TEST(Gap, IsUnknownBeyondTheEndOfARun) {
  Comparison comparison = made_comparison("mu", 1, 0, 10);
  comparison.runs.push_back({0, 0, StopReason::numerical_failure, made_history({{0, 12}, {6, 8}})});
  EXPECT_EQ(gap_at(comparison, comparison.runs.front(), counts, 6), 8);
  EXPECT_TRUE(std::isnan(gap_at(comparison, comparison.runs.front(), counts, 6.1)));
}

// fit() returns the best factors seen if the safeguard is on, the last ones if not.
TEST(Gap, OfASafeguardedRunNeverRises) {
  Comparison comparison = made_comparison("smu,smu:safeguard=false", 1, 0, 3);
  for (const std::size_t c : {0U, 1U})
    comparison.runs.push_back(
        {c, 0, StopReason::gradient_budget, made_history({{0, 9}, {1, 4}, {2, 6}, {3, 5}})});
  EXPECT_EQ(gaps(comparison, comparison.runs[0]), (std::vector<double>{9, 4, 4, 4}));
  EXPECT_EQ(gaps(comparison, comparison.runs[1]), (std::vector<double>{9, 4, 6, 5}));
}

TEST(Gap, IsRelativeToTheOptimumOfItsOwnTrial) {
  Comparison comparison = made_comparison("mu", 3, 0, 2);
  comparison.trials[1].f_opt = 3;
  comparison.trials[2].f_opt = 1;
  for (const std::size_t trial : {0U, 1U, 2U})
    comparison.runs.push_back({0, trial, StopReason::gradient_budget, made_history({{0, 10}, {2, 5}})});
  const Spread spread = gap_spread(comparison, 0, counts, 2);
  EXPECT_EQ(spread.median, 4);
  EXPECT_EQ(spread.least, 2);
  EXPECT_EQ(spread.most, 5);
}

TEST(End, IsTheBudgetOrWhereTheFirstRunEnds) {
  Comparison comparison = made_comparison("mu,hals,smu", 1, 0, 5);
  comparison.runs.push_back({0, 0, StopReason::gradient_budget, made_history({{0, 9}, {6, 1}})});
  comparison.runs.push_back({1, 0, StopReason::gradient_budget, made_history({{0, 9}, {5, 1}})});
  comparison.runs.push_back({2, 0, StopReason::numerical_failure, made_history({{0, 9}, {1, 8}})});
  EXPECT_EQ(end_of(comparison, counts), 5);
  EXPECT_EQ(end_of(comparison, Axis::solver_seconds), 0.5);
  EXPECT_EQ(end_of(comparison, Axis::columns_read), 10);
  comparison.budget = {.epochs = 1};
  EXPECT_EQ(end_of(comparison, counts), 5);
  EXPECT_EQ(table_places(comparison, counts), (std::vector<double>{0.1, 0.5, 1, 2.5, 5}));
}

// The time limit may end a run in the middle of its first epoch.
TEST(End, IsNotZeroBecauseOneRunFinishedNoEpoch) {
  Comparison comparison = made_comparison("mu,hals,smu", 1, 0, 0);
  comparison.budget = {.seconds = 0.6};
  comparison.runs.push_back({0, 0, StopReason::time_limit, made_history({{0, 9}, {3, 2}, {5, 1}})});
  comparison.runs.push_back({1, 0, StopReason::time_limit, made_history({{0, 9}, {6.5, 3}})});
  comparison.runs.push_back({2, 0, StopReason::time_limit, made_history({{0, 9}})});
  const auto gaps_at = [&](Axis axis, double place) {
    std::vector<double> list;
    for (const std::size_t c : {0U, 1U, 2U}) list.push_back(gap_spread(comparison, c, axis, place).median);
    return list;
  };
  EXPECT_EQ(end_of(comparison, Axis::solver_seconds), 0.6);
  EXPECT_EQ(table_places(comparison, Axis::solver_seconds),
            (std::vector<double>{0.012, 0.06, 0.12, 0.3, 0.6}));
  EXPECT_EQ(gaps_at(Axis::solver_seconds, 0.6), (std::vector<double>{1, 9, 9}))
      << "what a run has at the limit is what it had before";
  EXPECT_EQ(gaps_at(Axis::solver_seconds, 0.3), (std::vector<double>{2, 9, 9}));
  EXPECT_EQ(end_of(comparison, counts), 5) << "it has no counts to compare at";
  EXPECT_EQ(gaps_at(counts, 5)[0], 1);
  EXPECT_TRUE(std::isnan(gaps_at(counts, 5)[2]));
  EXPECT_EQ(lead(comparison, 0, {1, 2}, Axis::solver_seconds).trials_won, 1U);
}

TEST(End, IsTheStartIfNobodyFinishedAnEpoch) {
  Comparison comparison = made_comparison("mu,hals", 1, 0, 0);
  comparison.budget = {.seconds = 0.6};
  for (const std::size_t c : {0U, 1U})
    comparison.runs.push_back({c, 0, StopReason::time_limit, made_history({{0, 9}})});
  EXPECT_EQ(end_of(comparison, counts), 0);
  EXPECT_EQ(gap_spread(comparison, 1, counts, 0).median, 9);
  EXPECT_EQ(end_of(comparison, Axis::solver_seconds), 0.6);
}

TEST(Reach, OfARunThatTheClockEndedIsTheTimeLimit) {
  Comparison comparison = made_comparison("mu", 1, 0, 0);
  comparison.budget = {.seconds = 0.6};
  const ComparisonRun stopped{0, 0, StopReason::time_limit, made_history({{0, 9}, {4, 1}})};
  const ComparisonRun done{0, 0, StopReason::epoch_limit, made_history({{0, 9}, {4, 1}})};
  EXPECT_EQ(reach(comparison, stopped, Axis::solver_seconds), 0.6);
  EXPECT_EQ(reach(comparison, stopped, counts), 4);
  EXPECT_EQ(reach(comparison, done, Axis::solver_seconds), 0.4);
}

TEST(Lead, SaysSinceWhenAndHowOften) {
  Comparison comparison = made_comparison("mu,hals,smu", 3, 0, 10);
  const auto run = [&](std::size_t contestant, std::size_t trial, double middle, double end) {
    comparison.runs.push_back(
        {contestant, trial, StopReason::gradient_budget, made_history({{0, 100}, {4, middle}, {10, end}})});
  };
  for (const std::size_t trial : {0U, 1U, 2U}) {
    run(0, trial, 50, trial == 2 ? 40 : 10);
    run(1, trial, 60, 20);
    run(2, trial, 70, 30);
  }
  const Lead first = lead(comparison, 0, {1, 2}, counts);
  EXPECT_TRUE(first.at_end);
  EXPECT_NEAR(first.since, 4, 0.021);
  EXPECT_EQ(first.trials_won, 2U);
  EXPECT_EQ(first.best_rival, 1U);

  const Lead second = lead(comparison, 1, {0, 2}, counts);
  EXPECT_FALSE(second.at_end);
  EXPECT_TRUE(std::isnan(second.since));
  EXPECT_EQ(second.trials_won, 1U);
  EXPECT_EQ(second.best_rival, 0U);
}

TEST(Lead, WhoFailedIsBehindAndNeverAhead) {
  Comparison comparison = made_comparison("mu,hals", 1, 0, 10);
  comparison.runs.push_back({0, 0, StopReason::gradient_budget, made_history({{0, 100}, {10, 50}})});
  comparison.runs.push_back({1, 0, StopReason::numerical_failure, made_history({{0, 100}, {2, 1}})});
  EXPECT_TRUE(lead(comparison, 0, {1}, counts).at_end);
  EXPECT_FALSE(lead(comparison, 1, {0}, counts).at_end);
  EXPECT_EQ(lead(comparison, 1, {0}, counts).trials_won, 0U);
}

}  // namespace
}  // namespace svrmu::experiment
