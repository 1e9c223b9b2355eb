#include <gtest/gtest.h>

#include <limits>

#include "svrmu/svrmu.hpp"

namespace svrmu {
namespace {

TEST(Choice, FrobeniusIsForFast) {
  const Choice choice = choose_solver({.features = 100, .samples = 1000, .rank = 5, .stored = 1e5});
  EXPECT_EQ(choice.name, "fast");
  EXPECT_FALSE(choice.reason.empty());
}

TEST(Choice, OtherLossesGetAnAlgorithmThatTakesThem) {
  const Matrix<double> V = Matrix<double>::Random(20, 30).cwiseAbs();
  for (const Loss loss : {Loss::kullback_leibler(), Loss::itakura_saito(), Loss::beta_divergence(0.5)}) {
    const Choice choice = choose_solver({.features = 20, .samples = 30, .rank = 2, .loss = loss});
    const FitOptions<double> options{.rank = 2, .loss = loss, .stopping = {.max_epochs = 3}};
    EXPECT_EQ(fit(*view(V), choice.solver, options).history.size(), 4u) << to_string(loss);
  }
}

TEST(Choice, KullbackLeiblerAndItakuraSaitoStartFromAFrobeniusFit) {
  EXPECT_EQ(choose_solver({.rank = 2, .loss = Loss::kullback_leibler()}).start, Start::frobenius);
  EXPECT_EQ(choose_solver({.rank = 2, .loss = Loss::itakura_saito()}).start, Start::frobenius);
  EXPECT_EQ(choose_solver({.rank = 2, .loss = Loss::beta_divergence(1.5)}).start, Start::automatic);
  EXPECT_EQ(choose_solver({.rank = 2}).start, Start::automatic);
}

TEST(Choice, SvrmuStartsFromAFrobeniusFitWhereAutoDoes) {
  const Matrix<double> V = Matrix<double>::Random(8, 12).cwiseAbs();
  const auto start = [&](const SvrmuOptions& solver, FitOptions<double> options) {
    options.rank = 2;
    return choose(*view(V), solver, options).start;
  };
  EXPECT_EQ(start({}, {.loss = Loss::kullback_leibler()}), Start::frobenius);
  EXPECT_EQ(start({}, {.loss = Loss::itakura_saito()}), Start::frobenius);
  EXPECT_EQ(start({}, {}), Start::automatic);
  EXPECT_EQ(start({}, {.loss = Loss::beta_divergence(1.5)}), Start::automatic);
  EXPECT_EQ(start({.safeguard = false}, {.loss = Loss::kullback_leibler()}), Start::automatic);
  EXPECT_EQ(start({}, {.loss = Loss::kullback_leibler(), .start = Start::random}), Start::random);
  FitOptions<double> given{.loss = Loss::kullback_leibler()};
  given.given.W = RowMatrix<double>::Ones(8, 2);
  EXPECT_EQ(start({}, given), Start::automatic);
}

TEST(Plan, OfAFrobeniusStartHasRoomForIt) {
  const Matrix<double> V = Matrix<double>::Random(50, 400).cwiseAbs();
  FitOptions<double> options{.rank = 4, .loss = Loss::kullback_leibler()};
  options.start = Start::frobenius;
  const double planned = plan_fit(*view(V), MuOptions{}, options).bytes;
  options = {.rank = 4};
  EXPECT_GE(planned, plan_fit(*view(V), FastOptions{}, options).bytes);
}

TEST(Choice, OutliersGetARobustAlgorithm) {
  EXPECT_EQ(choose_solver({.features = 20, .samples = 30, .rank = 2, .robust = true}).name, "r-nmf");
  EXPECT_EQ(choose_solver({.features = 20, .samples = 30000, .rank = 2, .robust = true}).name, "r-svrmu-acc");
  EXPECT_THROW(choose_solver({.rank = 2, .loss = Loss::kullback_leibler(), .robust = true}), InvalidInput);
}

TEST(Describe, TellsWhatVIsLikeAndRefusesNothing) {
  Matrix<double> V = Matrix<double>::Constant(3, 4, 2);
  V.row(1).setZero();
  V(0, 2) = -5;
  V(2, 3) = std::numeric_limits<double>::quiet_NaN();
  const DataSummary summary = describe(*view(V));
  EXPECT_EQ(summary.features, 3);
  EXPECT_EQ(summary.samples, 4);
  EXPECT_EQ(summary.least, -5);
  EXPECT_EQ(summary.most, 2);
  EXPECT_EQ(summary.negative.count, 1);
  EXPECT_EQ(summary.negative.sample, 2);
  EXPECT_EQ(summary.nan.feature, 2);
  EXPECT_EQ(summary.empty_features, 1);
}

TEST(Describe, ZerosThatAreNotStoredAreTheLeastValue) {
  SparseMatrix<double> V(3, 2);
  V.insert(0, 0) = 4;
  V.makeCompressed();
  EXPECT_EQ(describe(*view(V)).least, 0);
  EXPECT_EQ(describe(*view(V)).empty_samples, 1);
}

TEST(FitPlan, IsWhatTheFitThenDoes) {
  const Matrix<double> V = Matrix<double>::Random(20, 600).cwiseAbs();
  const FitOptions<double> options{.rank = 3, .stopping = {.max_epochs = 1}};
  const FitPlan plan = plan_fit(*view(V), solver_named("svrmu"), options);
  const auto result = fit(*view(V), solver_named("svrmu"), options);
  EXPECT_EQ(plan.solver.get<SvrmuOptions>().batch_size, 256);
  EXPECT_EQ(result.solver.get<SvrmuOptions>().batch_size, 256);
  EXPECT_GT(plan.bytes, 8.0 * 3 * 620);
}

TEST(FitPlan, RefusesWhatTheFitWouldRefuse) {
  Matrix<double> V = Matrix<double>::Ones(4, 4);
  EXPECT_THROW(plan_fit(*view(V), MuOptions{}, FitOptions<double>{.rank = 0}), InvalidInput);
  V(1, 1) = -1;
  EXPECT_THROW(plan_fit(*view(V), MuOptions{}, FitOptions<double>{.rank = 2}), InvalidData);
}

}  // namespace
}  // namespace svrmu
