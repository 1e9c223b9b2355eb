#include "svrmu/stopping.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

namespace svrmu {
namespace {

// A history with these objectives, one per epoch.
std::vector<EpochRecord> history(const std::vector<double>& objectives) {
  std::vector<EpochRecord> list;
  for (const double objective : objectives) {
    EpochRecord r;
    r.epoch = static_cast<Index>(list.size());
    r.objective = objective;
    if (!list.empty())
      r.relative_change = std::abs(list.back().objective - objective) / list.back().objective;
    list.push_back(r);
  }
  return list;
}

struct Case {
  const char* name;
  Stopping stopping;
  std::vector<double> objectives;
  std::optional<StopReason> expected;
};

TEST(Stopping, FollowsTheTableOfHistories) {
  const Case cases[] = {
      {"the start alone", {}, {10}, std::nullopt},
      {"a large fall", {}, {10, 5}, std::nullopt},
      {"a small fall", {}, {10, 9.9999}, StopReason::relative_change},
      {"a small fall after large ones", {}, {10, 5, 4.9999999}, StopReason::relative_change},
      {"a small fall followed by a large one", {}, {10, 9.9999, 5}, std::nullopt},
      {"no change at all", {}, {10, 10}, StopReason::relative_change},
      {"a small rise is no convergence", {}, {10, 10.000001}, std::nullopt},
      {"a large rise", {}, {10, 20}, std::nullopt},
      {"exactly the tolerance is not below it", {.relative_change = 0.5}, {10, 5}, std::nullopt},
      {"a looser tolerance", {.relative_change = 0.51}, {10, 5}, StopReason::relative_change},
      {"tolerance off", {.relative_change = 0}, {10, 10}, std::nullopt},
      {"no epochs allowed", {.max_epochs = 0}, {10}, StopReason::epoch_limit},
      {"the last epoch", {.max_epochs = 2}, {10, 5, 2}, StopReason::epoch_limit},
      {"one before the last", {.max_epochs = 3}, {10, 5, 2}, std::nullopt},
      {"arrived in the last epoch", {.max_epochs = 1}, {10, 10}, StopReason::relative_change},
  };
  for (const Case& c : cases) EXPECT_EQ(should_stop(c.stopping, history(c.objectives)), c.expected) << c.name;
}

TEST(Stopping, NothingStopsBeforeThereIsAReport) {
  EXPECT_EQ(should_stop({.max_epochs = 0}, {}), std::nullopt);
}

TEST(Stopping, TheGradientBudgetStopsWhenItIsSpent) {
  auto h = history({10, 5});
  h.back().gradient_count = 1000;
  EXPECT_EQ(should_stop({.gradient_budget = 1000}, h), StopReason::gradient_budget);
  EXPECT_EQ(should_stop({.gradient_budget = 1001}, h), std::nullopt);
  EXPECT_EQ(should_stop({.gradient_budget = 0}, h), std::nullopt);
}

TEST(Stopping, TheTimeLimitLooksAtTheSolverOnly) {
  auto h = history({10, 5});
  h.back().solver_seconds = 2;
  h.back().evaluate_seconds = 1000;
  EXPECT_EQ(should_stop({.time_limit_seconds = 2}, h), StopReason::time_limit);
  EXPECT_EQ(should_stop({.time_limit_seconds = 2.1}, h), std::nullopt);
}

TEST(Stopping, ATimeLimitOfZeroStopsAtTheStart) {
  EXPECT_EQ(should_stop({.time_limit_seconds = 0}, history({10})), StopReason::time_limit);
}

TEST(Stopping, ASmallProjectedGradientStops) {
  auto h = history({10, 5});
  h.back().kkt = 1e-3;
  EXPECT_EQ(should_stop({.kkt = 1e-3}, h), StopReason::kkt);
  EXPECT_EQ(should_stop({.kkt = 1e-4}, h), std::nullopt);
  EXPECT_EQ(should_stop({.kkt = 0}, h), std::nullopt);
}

TEST(Stopping, AProjectedGradientThatWasNotMeasuredStopsNothing) {
  EXPECT_EQ(should_stop({.kkt = 1e-3}, history({10, 5})), std::nullopt);
}

TEST(Stopping, KktComesBeforeRelativeChange) {
  auto h = history({10, 10});
  h.back().kkt = 0;
  EXPECT_EQ(should_stop({.kkt = 1e-3}, h), StopReason::kkt);
}

TEST(Stopping, ASmallViolationStops) {
  auto h = history({10, 5});
  h.back().violation = 1e-3;
  EXPECT_EQ(should_stop({.violation = 1e-3}, h), StopReason::violation);
  EXPECT_EQ(should_stop({.violation = 1e-4}, h), std::nullopt);
  EXPECT_EQ(should_stop({.violation = 0}, h), std::nullopt);
  EXPECT_EQ(should_stop({.violation = 1e-3}, history({10, 5})), std::nullopt) << "it was not measured";
}

// sqrt(2 cost) is 10, 8, 7.5: it fell by 0.2 and by 0.05 of its start.
TEST(Stopping, AFallOfTheErrorIsAShareOfItsStart) {
  auto h = history({50, 32, 28.125});
  for (EpochRecord& r : h) r.cost = r.objective;
  const auto first = std::span<const EpochRecord>(h).first(2);
  EXPECT_EQ(should_stop({.relative_change = 0, .error_fall = 0.06}, h), StopReason::error_fall);
  EXPECT_EQ(should_stop({.relative_change = 0, .error_fall = 0.04}, h), std::nullopt);
  EXPECT_EQ(should_stop({.relative_change = 0, .error_fall = 0.19}, first), std::nullopt);
  EXPECT_EQ(should_stop({.relative_change = 0, .error_fall = 0.21}, first), StopReason::error_fall);
  EXPECT_EQ(should_stop({.relative_change = 0, .error_fall = 0.06}, first.first(1)), std::nullopt);
}

TEST(Stopping, ARiseOfTheErrorIsNoFall) {
  auto h = history({50, 32, 33});
  for (EpochRecord& r : h) r.cost = r.objective;
  EXPECT_EQ(should_stop({.relative_change = 0, .error_fall = 1e-9}, h), StopReason::error_fall);
}

TEST(Stopping, AnEpochThatWasUndoneHasNotArrived) {
  auto h = history({10, 10});
  h.back().rolled_back = true;
  h.back().relative_change = 0;
  h.back().kkt = 0;
  h.back().violation = 0;
  EXPECT_EQ(should_stop({.kkt = 1e-3, .violation = 1, .error_fall = 1}, h), std::nullopt);
}

TEST(Stopping, LimitsHoldForUndoneEpochsToo) {
  auto h = history({10, 10});
  h.back().rolled_back = true;
  EXPECT_EQ(should_stop({.max_epochs = 1}, h), StopReason::epoch_limit);
}

TEST(Stopping, ReasonsHaveNames) {
  EXPECT_EQ(to_string(StopReason::relative_change), "relative_change");
  EXPECT_EQ(to_string(StopReason::kkt), "kkt");
  EXPECT_EQ(to_string(StopReason::violation), "violation");
  EXPECT_EQ(to_string(StopReason::error_fall), "error_fall");
  EXPECT_EQ(to_string(StopReason::epoch_limit), "epoch_limit");
  EXPECT_EQ(to_string(StopReason::gradient_budget), "gradient_budget");
  EXPECT_EQ(to_string(StopReason::time_limit), "time_limit");
  EXPECT_EQ(to_string(StopReason::cancelled), "cancelled");
  EXPECT_EQ(to_string(StopReason::numerical_failure), "numerical_failure");
}

}  // namespace
}  // namespace svrmu
