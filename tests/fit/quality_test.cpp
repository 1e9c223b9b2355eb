#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <utility>

#include "small_fits.hpp"

namespace svrmu {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::ThrowsMessage;

// Counts with zeros, an empty row and an empty column.
Matrix<double> counts() {
  Matrix<double> V = (10 * sparse_product(12, 30, 3, 0.2)).array().round();
  V.row(4).setZero();
  V.col(7).setZero();
  return V;
}

double divergence(double beta, double v, double x) {
  if (beta == 1) return v > 0 ? v * std::log(v / x) - v + x : x;
  if (beta == 0) return v / x - std::log(v / x) - 1;
  return (std::pow(v, beta) + (beta - 1) * std::pow(x, beta) - beta * v * std::pow(x, beta - 1)) /
         (beta * (beta - 1));
}

double independence_cost(const Matrix<double>& V, double beta) {
  const Matrix<double> X = V.rowwise().sum() * V.colwise().sum() / V.sum();
  double cost = 0;
  for (Index i = 0; i < V.size(); ++i) cost += divergence(beta, V.data()[i], std::max(X.data()[i], 0x1p-104));
  return cost;
}

FitOptions<double> options_for(double beta, Index K = 3) {
  FitOptions<double> options = rank<double>(K);
  options.loss = Loss::beta_divergence(beta);
  options.stopping.max_epochs = 100;
  return options;
}

TEST(NullModel, OfTheFrobeniusLossIsZero) {
  const Matrix<double> V = counts();
  const auto result = fit(*view(V), MuOptions{}, options_for(2));
  EXPECT_NEAR(result.null_cost, V.squaredNorm() / 2, 1e-9 * V.squaredNorm());
  EXPECT_EQ(quality(result).measure, "relative error");
  EXPECT_EQ(quality(result).value, result.record().relative_error);
  EXPECT_NEAR(quality(result).explained, 1 - std::pow(result.record().relative_error, 2), 1e-12);
}

TEST(NullModel, OfOtherLossesIsRowSumsTimesColumnSums) {
  for (const double beta : {-0.5, 0.0, 0.5, 1.0, 1.5, 3.0}) {
    const Matrix<double> V = beta > 0 ? counts() : Matrix<double>(counts().array() + 1);
    const auto result = fit(*view(V), MuOptions{}, options_for(beta));
    EXPECT_NEAR(result.null_cost / independence_cost(V, beta), 1, 1e-9) << "beta " << beta;
    EXPECT_GT(quality(result).explained, 0) << "beta " << beta;
    EXPECT_LE(quality(result).explained, 1) << "beta " << beta;
    EXPECT_EQ(quality(result).value, result.record().cost);
  }
}

TEST(NullModel, IsTheSameForSparseVAndInOtherUnits) {
  const Matrix<double> V = counts();
  const SparseMatrix<double> sparse = V.sparseView();
  const double null = independence_cost(V, 1);
  EXPECT_NEAR(fit(*view(sparse), MuOptions{}, options_for(1)).null_cost / null, 1, 1e-9);
  const Matrix<double> tiny = 1e-30 * V;
  EXPECT_NEAR(fit(*view(tiny), MuOptions{}, options_for(1)).null_cost / (1e-30 * null), 1, 1e-9);
  const Matrix<float> single = V.cast<float>();
  FitOptions<float> options = rank<float>(3);
  options.loss = Loss::kullback_leibler();
  EXPECT_NEAR(fit(*view(single), MuOptions{}, options).null_cost / null, 1, 1e-5);
}

TEST(NullModel, IsTheOneComponentFitOfKl) {
  const Matrix<double> V = counts();
  FitOptions<double> options = options_for(1, 1);
  options.stopping.relative_change = 1e-14;
  EXPECT_NEAR(quality(fit(*view(V), MuOptions{}, options)).explained, 0, 1e-9);
}

TEST(NullModel, LeavesNothingToExplainOfARankOneV) {
  const Matrix<double> V = low_rank(8, 10, 1, 0);
  const auto result = fit(*view(V), MuOptions{}, options_for(1, 2));
  EXPECT_EQ(result.null_cost, 0);
  EXPECT_TRUE(std::isnan(quality(result).explained));
  EXPECT_THAT(quality(result).meaning, HasSubstr("nothing to explain"));
}

TEST(NullModel, StaysWhenARunGoesOnAndIsMadeWhereItIsMissing) {
  const Matrix<double> V = counts();
  FitOptions<double> options = options_for(1);
  options.stopping.max_epochs = 2;
  auto first = fit(*view(V), MuOptions{}, options);
  options.stopping.max_epochs = 4;
  EXPECT_EQ(resume(*view(V), first, options).null_cost, first.null_cost);
  const double known = std::exchange(first.null_cost, std::nan(""));
  EXPECT_THAT(quality(first).meaning, HasSubstr("not known"));
  EXPECT_EQ(resume(*view(V), first, options).null_cost, known);
}

TEST(Quality, OfARunThatDivergedSaysSo) {
  const Matrix<double> V = counts();
  auto result = fit(*view(V), MuOptions{}, options_for(2));
  EXPECT_FALSE(quality(result).diverged);
  EpochRecord& at = result.history[result.returned];
  at.cost = 3 * result.null_cost;
  at.objective = 2 * result.history.front().objective;
  EXPECT_TRUE(quality(result).diverged);
  EXPECT_EQ(quality(result).explained, -2);
  EXPECT_THAT(quality(result).meaning,
              AllOf(HasSubstr("the run diverged"), HasSubstr("explains nothing of V's")));
  result.history.front().objective = 2 * at.objective;  // better than its start, but worse than nothing
  EXPECT_FALSE(quality(result).diverged);
  EXPECT_EQ(quality(result).meaning, "WH explains nothing of V's sum of squares");
}

TEST(Summary, SpeaksOfTheFittedLoss) {
  const Matrix<double> V = counts();
  const std::string text = summary(fit(*view(V), MuOptions{}, options_for(1)));
  EXPECT_THAT(text, HasSubstr("kl divergence"));
  EXPECT_THAT(text, HasSubstr("% of the divergence of row sums x column sums / total"));
}

TEST(SampleCosts, AddUpToTheCost) {
  const Matrix<double> V = counts();
  const SparseMatrix<double> sparse = V.sparseView();
  for (const double beta : {1.0, 1.5, 2.0}) {
    const auto result = fit(*view(V), MuOptions{}, options_for(beta));
    for (const auto& costs : {sample_costs(*view(V), result), sample_costs(*view(sparse), result)}) {
      ASSERT_EQ(costs.size(), 30u);
      double sum = 0;
      for (const double cost : costs) sum += cost;
      EXPECT_NEAR(sum, result.record().cost, 1e-6 * result.null_cost) << "beta " << beta;
    }
  }
}

TEST(Rank, AboveTheSmallerSideOfVIsRefusedUnlessForced) {
  const Matrix<double> V = low_rank(4, 9, 2, 0.1);
  FitOptions<double> options = rank<double>(5);
  options.stopping.max_epochs = 2;
  EXPECT_THAT([&] { fit(*view(V), HalsOptions{}, options); },
              ThrowsMessage<InvalidInput>(HasSubstr("rank is 5, but the smaller side of V (4 x 9) is 4")));
  options.force_rank = true;
  const auto result = fit(*view(V), HalsOptions{}, options);
  EXPECT_EQ(result.W.cols(), 5);
  options.force_rank = false;
  options.stopping.max_epochs = 4;
  EXPECT_EQ(resume(*view(V), result, options).W.cols(), 5);
  options.force_rank = true;
  options.start = Start::nndsvda;
  EXPECT_THROW(fit(*view(V), HalsOptions{}, options), InvalidInput);
}

TEST(ExactFit, EndsAsConvergedAlsoAtALimit) {
  const Matrix<double> V = low_rank(8, 10, 1, 0);
  FitOptions<double> options = rank<double>(1);
  options.stopping.max_epochs = 1000;
  const auto result = fit(*view(V), HalsOptions{}, options);
  ASSERT_TRUE(is_exact<double>(result.record()));
  options.stopping.max_epochs = result.history.back().epoch;
  EXPECT_EQ(fit(*view(V), HalsOptions{}, options).reason, StopReason::relative_change);
}

}  // namespace
}  // namespace svrmu
