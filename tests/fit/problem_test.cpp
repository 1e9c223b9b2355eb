// The prepared problem: what fit() chooses, and many runs from one scan of V.
#include "fit/problem.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "problems.hpp"
#include "small_fits.hpp"
#include "sources.hpp"
#include "svrmu/plan.hpp"

namespace svrmu {
namespace {

using testing::HasSubstr;
using testing::ThrowsMessage;

FitOptions<double> short_fit(Index rank = 3) {
  FitOptions<double> options{.rank = rank};
  options.stopping = {.max_epochs = 4, .relative_change = 0};
  return options;
}

TEST(Auto, TakesTheFastAlgorithmForTheFrobeniusLoss) {
  const Matrix<double> V = noisy(20, 60, 3);
  const auto chosen = fit(*view(V), short_fit());
  EXPECT_EQ(chosen.algorithm, "fast");
  EXPECT_THAT(chosen.choice, HasSubstr("frobenius"));
  EXPECT_EQ(chosen.W, fit(*view(V), solver_named("fast"), short_fit()).W);
}

TEST(Auto, BringsTheStartThatBelongsToItsChoice) {
  const Matrix<double> V = noisy(20, 60, 3);
  FitOptions<double> options = short_fit();
  options.loss = Loss::kullback_leibler();
  const auto chosen = fit(*view(V), options);
  EXPECT_EQ(chosen.algorithm, "mu-ext");
  options.start = Start::frobenius;
  const auto named = fit(*view(V), MuExtOptions{}, options);
  EXPECT_EQ(chosen.W, named.W);
  options.start = Start::random;
  EXPECT_EQ(fit(*view(V), options).W, fit(*view(V), MuExtOptions{}, options).W);
}

TEST(Auto, KeepsAGivenStart) {
  const Matrix<double> V = noisy(20, 60, 3);
  FitOptions<double> options = short_fit();
  options.loss = Loss::kullback_leibler();
  options.given.W = RowMatrix<double>::Constant(20, 3, 0.5);
  EXPECT_EQ(fit(*view(V), options).W, fit(*view(V), MuExtOptions{}, options).W);
}

TEST(Auto, TakesAnAlgorithmWithOutliersWhereTheyAreWanted) {
  const Matrix<double> V = noisy(20, 60, 3);
  EXPECT_EQ(fit(*view(V), Auto{.robust = true}, short_fit()).algorithm, "r-nmf");
  FitOptions<double> options = short_fit();
  options.given.R = Matrix<double>::Constant(20, 60, 0.1);
  EXPECT_TRUE(has_outliers(fit(*view(V), options).solver));
}

TEST(Auto, SetsOptionsOfWhateverItChooses) {
  const Matrix<double> V = noisy(20, 60, 3);
  SolverOptions solver;
  set_option(solver, "sweeps", "3");
  EXPECT_EQ(fit(*view(V), solver, short_fit()).solver.get<FastOptions>().sweeps, 3);
  set_option(solver, "batch-size", "8");
  EXPECT_THAT([&] { fit(*view(V), solver, short_fit()); },
              ThrowsMessage<InvalidInput>(HasSubstr("fast (chosen by auto) has no option batch_size")));
}

TEST(Auto, IsTakenByThePlanAsByTheFit) {
  const Matrix<double> V = noisy(20, 60, 3);
  const FitPlan plan = plan_fit(*view(V), SolverOptions(), short_fit());
  EXPECT_EQ(plan.choice.name, "fast");
  EXPECT_EQ(choose(*view(V), SolverOptions(), short_fit()).name, "fast");
}

TEST(Problem, RunsForAnySeedRankAndStartAsAFitOfItsOwnWould) {
  const Matrix<double> V = noisy(20, 60, 3);
  const auto source = view(V);
  const Team alone;
  const FitOptions<double> options = short_fit();
  const Problem<double> problem(*source, SolverOptions(SvrmuOptions{}), options, alone);
  FitOptions<double> other = short_fit(5);
  other.seed = 9;
  other.start = Start::nndsvda;
  const auto expected = fit(*source, SvrmuOptions{}, other);
  const auto result = problem.run({.seed = 9, .rank = 5, .start = Start::nndsvda});
  EXPECT_EQ(result.W, expected.W);
  EXPECT_EQ(problem.run({.seed = 0}).W, fit(*source, SvrmuOptions{}, options).W);
}

TEST(Problem, RefusesARunThatItsOptionsDoNotAllow) {
  const Matrix<double> V = noisy(20, 60, 3);
  const auto source = view(V);
  const Team alone;
  const FitOptions<double> options = short_fit();
  const Problem<double> problem(*source, SolverOptions(SvrmuOptions{}), options, alone);
  EXPECT_THROW(problem.run({.seed = 0, .rank = 0}), InvalidInput);
  EXPECT_THROW(problem.run({.seed = 0, .start = Start::nndsvd}), InvalidInput);
}

TEST(Restarts, AreAllKeptWhereTheCallerWantsThem) {
  const Matrix<double> V = noisy(20, 60, 3);
  FitOptions<double> options = short_fit();
  options.restarts = 3;
  options.seed = 5;
  const auto all = fit_all(*view(V), SvrmuOptions{}, options);
  ASSERT_EQ(all.size(), 3u);
  options.restarts = 1;
  double best = all.front().record().objective;
  for (std::size_t i = 0; i < all.size(); ++i) {
    options.seed = 5 + i;
    EXPECT_EQ(all[i].seed, options.seed);
    EXPECT_EQ(all[i].W, fit(*view(V), SvrmuOptions{}, options).W);
    best = std::min(best, all[i].record().objective);
  }
  options.restarts = 3;
  options.seed = 5;
  EXPECT_EQ(fit(*view(V), SvrmuOptions{}, options).record().objective, best);
}

// The start of another loss is a run like any other.
class FrobeniusStart : public testing::Test {
 protected:
  FrobeniusStart() {
    options.loss = Loss::kullback_leibler();
    options.start = Start::frobenius;
  }
  Matrix<double> V = noisy(20, 60, 3);
  FitOptions<double> options = short_fit();
};

TEST_F(FrobeniusStart, CountsItsTimeAndItsPasses) {
  const auto result = fit(*view(V), MuExtOptions{}, options);
  EXPECT_GT(result.history.front().solver_seconds, 0);
  EXPECT_GE(result.history.front().columns_read, 60);
}

TEST_F(FrobeniusStart, HearsTheTimeLimit) {
  options.stopping.time_limit_seconds = 1e-9;
  const auto result = fit(*view(V), MuExtOptions{}, options);
  EXPECT_EQ(result.reason, StopReason::time_limit);
  EXPECT_TRUE(result.checkpoint.in_start);
  EXPECT_EQ(result.history.size(), 1u);
}

TEST_F(FrobeniusStart, ThatWasInterruptedIsMadeAnewByResume) {
  const auto whole = fit(*view(V), MuExtOptions{}, options);
  const double no_limit = options.stopping.time_limit_seconds;
  options.stopping.time_limit_seconds = 1e-9;
  const auto part = fit(*view(V), MuExtOptions{}, options);
  ASSERT_TRUE(part.checkpoint.in_start);
  options.stopping.time_limit_seconds = no_limit;
  const auto resumed = resume(*view(V), part, options);
  EXPECT_EQ(resumed.W, whole.W);
  EXPECT_EQ(resumed.H, whole.H);
}

TEST(OptionLists, NameEveryOptionOfTheFit) {
  FitOptions<float> options;
  set_option(options, "rank", "7");
  set_option(options, "seed", "18446744073709551615");
  set_option(options, "loss", "kl");
  set_option(options, "start", "svd-abs");
  set_option(options.stopping, "max_epochs", "12");
  set_option(options.penalties, "l1-h", "0.5");
  EXPECT_EQ(options.rank, 7);
  EXPECT_EQ(options.seed, std::numeric_limits<std::uint64_t>::max());
  EXPECT_EQ(options.loss, Loss::kullback_leibler());
  EXPECT_EQ(options.start, Start::svd_abs);
  EXPECT_EQ(options.stopping.max_epochs, 12);
  EXPECT_EQ(options.penalties.l1_h, 0.5);
  EXPECT_EQ(options_of(options).front().value, "7");
}

TEST(OptionLists, RefuseByNameWithTheRange) {
  Stopping stopping;
  EXPECT_THAT([&] { set_option(stopping, "max_epochs", "-1"); },
              ThrowsMessage<InvalidInput>(HasSubstr("max_epochs is -1; it must not be negative")));
  EXPECT_THAT([&] { set_option(stopping, "epoch", "1"); },
              ThrowsMessage<InvalidInput>(HasSubstr("there is no option epoch")));
  Penalties penalties{.l1_w = -1};
  EXPECT_THAT([&] { check_ranges(penalties); },
              ThrowsMessage<InvalidInput>(HasSubstr("l1_w is -1; it must be finite and not negative")));
}

TEST(OptionLists, TransformOptionsAreListedToo) {
  TransformOptions<double> options;
  set_option(options, "max-sweeps", "9");
  EXPECT_EQ(options.max_sweeps, 9);
}

}  // namespace
}  // namespace svrmu
