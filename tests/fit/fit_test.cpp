#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "small_fits.hpp"

namespace svrmu {
namespace {

class Fit : public testing::Test {
 protected:
  const Matrix<double> V = low_rank(15, 40, 3, 0.3);
  FitOptions<double> options = rank<double>(3);
};

TEST_F(Fit, NoEpochsReturnTheStart) {
  options.stopping.max_epochs = 0;
  for (const SolverInfo& info : catalog()) {
    const auto r = fit(*view(V), info.options, options);
    EXPECT_EQ(r.reason, StopReason::epoch_limit) << info.name;
    EXPECT_EQ(r.history.size(), 1u);
    EXPECT_EQ(r.returned, 0u);
    EXPECT_EQ(r.history[0].gradient_count, 0);
  }
}

TEST_F(Fit, TheHistoryHasTheStartAndEveryEpoch) {
  options.stopping = {.max_epochs = 7, .relative_change = 0};
  const auto r = fit(*view(V), SvrmuOptions{}, options);
  ASSERT_EQ(r.history.size(), 8u);
  for (std::size_t i = 0; i < 8; ++i) EXPECT_EQ(r.history[i].epoch, static_cast<Index>(i));
  EXPECT_TRUE(std::isnan(r.history[0].relative_change));
}

TEST_F(Fit, RelativeChangeIsBetweenNeighbors) {
  options.stopping.max_epochs = 5;
  const auto r = fit(*view(V), MuOptions{}, options);
  for (std::size_t i = 1; i < r.history.size(); ++i) {
    const double before = r.history[i - 1].objective;
    EXPECT_NEAR(r.history[i].relative_change, (before - r.history[i].objective) / before, 1e-14);
  }
}

TEST_F(Fit, RareEvaluationsKeepTheLastEpoch) {
  options.stopping = {.max_epochs = 7, .relative_change = 0};
  options.evaluate_every = 3;
  const auto r = fit(*view(V), MuOptions{}, options);
  std::vector<Index> epochs;
  for (const EpochRecord& report : r.history) epochs.push_back(report.epoch);
  EXPECT_EQ(epochs, (std::vector<Index>{0, 3, 6, 7}));
}

TEST_F(Fit, ATimeLimitOfZeroReturnsTheStart) {
  options.stopping.time_limit_seconds = 0;
  const auto r = fit(*view(V), SvrmuOptions{}, options);
  EXPECT_EQ(r.reason, StopReason::time_limit);
  EXPECT_EQ(r.history.size(), 1u);
}

TEST_F(Fit, TheGradientBudgetEndsTheRun) {
  const double once = 15.0 * 40.0;
  options.stopping = {.max_epochs = 100, .relative_change = 0, .gradient_budget = 10 * once};
  const auto mu = fit(*view(V), MuOptions{}, options);
  EXPECT_EQ(mu.reason, StopReason::gradient_budget);
  EXPECT_EQ(mu.history.back().epoch, 10);
  EXPECT_EQ(mu.history.back().gradient_count, 10 * once);
  SvrmuOptions with_snapshots;
  with_snapshots.correction = Correction::unbiased;
  const auto svrmu = fit(*view(V), with_snapshots, options);
  EXPECT_EQ(svrmu.history.back().epoch, 5) << "snapshot and pass";
}

TEST_F(Fit, TheObserverSeesEveryReport) {
  std::vector<double> seen;
  options.stopping = {.max_epochs = 4, .relative_change = 0};
  options.observer = [&](const EpochRecord& r) {
    seen.push_back(r.objective);
    return Flow::keep_going;
  };
  const auto r = fit(*view(V), MuOptions{}, options);
  ASSERT_EQ(seen.size(), r.history.size());
  for (std::size_t i = 0; i < seen.size(); ++i) EXPECT_EQ(seen[i], r.history[i].objective);
}

TEST_F(Fit, TheObserverCanStopTheRun) {
  options.observer = [](const EpochRecord& r) { return r.epoch == 3 ? Flow::stop : Flow::keep_going; };
  const auto r = fit(*view(V), MuOptions{}, options);
  EXPECT_EQ(r.reason, StopReason::cancelled);
  EXPECT_EQ(r.history.back().epoch, 3);
}

TEST_F(Fit, TheObserverCanStopAtTheStart) {
  options.observer = [](const EpochRecord&) { return Flow::stop; };
  const auto r = fit(*view(V), MuOptions{}, options);
  EXPECT_EQ(r.reason, StopReason::cancelled);
  EXPECT_EQ(r.history.size(), 1u);
}

TEST_F(Fit, AStopRequestedBeforehandLeavesNothingToReturn) {
  std::stop_source stop;
  stop.request_stop();
  options.stop = stop.get_token();
  for (const SolverInfo& info : catalog())
    EXPECT_THROW(fit(*view(V), info.options, options), Cancelled) << info.name;
  EXPECT_THROW(plan_fit(*view(V), MuOptions{}, options), Cancelled);
}

TEST_F(Fit, RecordsSayWhichRestartTheyAreOf) {
  options.restarts = 3;
  options.stopping.max_epochs = 2;
  std::vector<int> runs;
  options.observer = [&](const EpochRecord& r) {
    runs.push_back(r.run);
    return Flow::keep_going;
  };
  const auto r = fit(*view(V), MuOptions{}, options);
  EXPECT_EQ(runs, (std::vector<int>{0, 0, 0, 1, 1, 1, 2, 2, 2}));
  EXPECT_EQ(r.record().run, static_cast<int>(r.seed - options.seed));
}

TEST_F(Fit, RestartsKeepTheBest) {
  options.stopping.max_epochs = 5;
  double best = std::numeric_limits<double>::infinity();
  std::uint64_t winner = 0;
  for (std::uint64_t seed = 10; seed < 15; ++seed) {
    options.seed = seed;
    const auto r = fit(*view(V), MuOptions{}, options);
    if (r.record().objective < best) {
      best = r.record().objective;
      winner = seed;
    }
  }
  options.seed = 10;
  options.restarts = 5;
  const auto r = fit(*view(V), MuOptions{}, options);
  EXPECT_EQ(r.seed, winner);
  EXPECT_EQ(r.record().objective, best);
}

TEST_F(Fit, AStopInALaterRestartEndsTheRestarts) {
  int starts = 0;
  options.restarts = 5;
  options.stopping.max_epochs = 5;
  options.observer = [&](const EpochRecord& r) {
    if (r.epoch == 0) ++starts;
    return starts == 2 ? Flow::stop : Flow::keep_going;
  };
  const auto r = fit(*view(V), MuOptions{}, options);
  EXPECT_EQ(starts, 2);
  EXPECT_EQ(r.seed, 0u) << "the finished run is the better one";
}

TEST_F(Fit, TheSameSeedGivesTheSameBits) {
  options.stopping.max_epochs = 5;
  const auto a = fit(*view(V), SvrmuOptions{.batch_size = 16}, options);
  const auto b = fit(*view(V), SvrmuOptions{.batch_size = 16}, options);
  EXPECT_EQ(a.W, b.W);
  EXPECT_EQ(a.H, b.H);
}

TEST_F(Fit, TheResultRemembersWhatWasAskedFor) {
  options.stopping.max_epochs = 1;
  options.seed = 99;
  options.loss = Loss::kullback_leibler();
  options.penalties.l1_h = 0.5;
  const auto r = fit(*view(V), SmuOptions{}, options);
  EXPECT_EQ(r.seed, 99u);
  EXPECT_EQ(r.rank, 3);
  EXPECT_EQ(r.loss, Loss::kullback_leibler());
  EXPECT_EQ(r.penalties.l1_h, 0.5);
  EXPECT_EQ(name_of(r.solver), "smu");
}

TEST_F(Fit, TheStepIsReported) {
  options.stopping = {.max_epochs = 3, .relative_change = 0};
  const auto r = fit(*view(V), SmuOptions{.step = 0.5, .step_decay = 1}, options);
  EXPECT_NEAR(r.history[1].step, 0.5, 1e-15);
  EXPECT_NEAR(r.history[2].step, 0.25, 1e-15);
  EXPECT_NEAR(r.history[3].step, 0.5 / 3, 1e-15);
}

TEST_F(Fit, TheStepDecaysWithAPowerOfTheEpochs) {
  options.stopping = {.max_epochs = 3, .relative_change = 0};
  const auto r = fit(*view(V), SmuOptions{.step = 0.5, .step_decay = 2, .step_decay_power = 0.6}, options);
  EXPECT_NEAR(r.history[1].step, 0.5, 1e-15);
  EXPECT_NEAR(r.history[2].step, 0.5 / std::pow(3, 0.6), 1e-15);
  EXPECT_NEAR(r.history[3].step, 0.5 / std::pow(5, 0.6), 1e-15);
}

// An entry of the history has the ratio with which its epoch began.
TEST_F(Fit, TheStepDecaysWithTheStepsOfW) {
  options.stopping = {.max_epochs = 3, .relative_change = 0};
  SmuOptions solver{.batch_size = (V.cols() + 1) / 2, .step_decay = 1, .step_decay_clock = StepClock::step};
  const auto r = fit(*view(V), solver, options);
  EXPECT_NEAR(r.history[1].step, 1, 1e-15);
  EXPECT_NEAR(r.history[2].step, 1 / 3.0, 1e-15);
  EXPECT_NEAR(r.history[3].step, 1 / 5.0, 1e-15);
  EXPECT_EQ(r.checkpoint.w_steps, 6);
}

TEST_F(Fit, EvaluationIsNotTheSolversTimeAndClocksOnlyGrow) {
  options.stopping = {.max_epochs = 5, .relative_change = 0};
  const auto r = fit(*view(V), MuOptions{}, options);
  for (std::size_t i = 1; i < r.history.size(); ++i) {
    EXPECT_GE(r.history[i].solver_seconds, r.history[i - 1].solver_seconds);
    EXPECT_GE(r.history[i].evaluate_seconds, r.history[i - 1].evaluate_seconds);
  }
}

// Divergence beyond the range of float: single columns, full steps, no safeguard.
class Diverging : public testing::Test {
 protected:
  const Matrix<float> V = low_rank<float>(60, 200, 8, 0.5);
  FitOptions<float> options = [] {
    FitOptions<float> o = rank<float>(8);
    o.stopping = {.max_epochs = 60, .relative_change = 0};
    return o;
  }();
  const SvrmuOptions wild{.batch_size = 1, .safeguard = false};
};

TEST_F(Diverging, WithoutSafeguardEndsAsANumericalFailureWithFiniteFactors) {
  const auto r = fit(*view(V), wild, options);
  ASSERT_EQ(r.reason, StopReason::numerical_failure);
  EXPECT_TRUE(r.W.allFinite());
  EXPECT_TRUE(r.H.allFinite());
  EXPECT_TRUE(std::isfinite(r.record().objective));
}

TEST_F(Diverging, ReturnsFactorsThatBelongToTheReport) {
  const auto r = fit(*view(V), wild, options);
  const Matrix<double> rest = V.cast<double>() - r.W.cast<double>() * r.H.cast<double>();
  EXPECT_NEAR(rest.squaredNorm() / 2, r.record().cost, 1e-2 * r.record().cost);
}

TEST_F(Diverging, ReturnsFiniteFactorsAlsoWhenEvaluatedRarely) {
  for (const Index every : {2, 5, 20}) {
    options.evaluate_every = every;
    const auto r = fit(*view(V), wild, options);
    ASSERT_EQ(r.reason, StopReason::numerical_failure);
    EXPECT_TRUE(r.W.allFinite()) << "evaluated every " << every;
    EXPECT_TRUE(r.H.allFinite()) << "evaluated every " << every;
    const Matrix<double> rest = V.cast<double>() - r.W.cast<double>() * r.H.cast<double>();
    EXPECT_NEAR(rest.squaredNorm() / 2, r.record().cost, 1e-2 * r.record().cost)
        << "evaluated every " << every;
  }
}

TEST_F(Diverging, WithSafeguardEndsBelowItsStart) {
  SvrmuOptions safe = wild;
  safe.safeguard = true;
  safe.correction = Correction::unbiased;  // the estimate that diverges
  const auto r = fit(*view(V), safe, options);
  EXPECT_LT(r.record().objective, r.history.front().objective);
  EXPECT_GT(r.history.back().rollbacks, 0);
  bool undone = false;
  for (const EpochRecord& report : r.history) undone = undone || report.rolled_back;
  EXPECT_TRUE(undone);
}

TEST(Warnings, AreEmptyForOrdinaryRuns) {
  const Matrix<double> V = low_rank(15, 40, 3, 0.3);
  FitOptions<double> options = rank<double>(3);
  options.stopping.max_epochs = 1;
  for (const SolverInfo& info : catalog())
    EXPECT_TRUE(fit(*view(V), info.options, options).warnings.empty()) << info.name;
}

TEST_F(Fit, EndsWhenVIsMetExactly) {
  const Matrix<double> constant = Matrix<double>::Constant(4, 5, 3);
  const auto result = fit(*view(constant), HalsOptions{}, FitOptions<double>{.rank = 1});
  EXPECT_EQ(result.reason, StopReason::relative_change);
  EXPECT_LT(result.history.size(), 5u);
}

}  // namespace
}  // namespace svrmu
