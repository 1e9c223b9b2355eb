#include "fit/result.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "small_fits.hpp"
#include "verify_result.hpp"

namespace svrmu {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

class Normalized : public testing::Test {
 protected:
  const Matrix<double> V = low_rank(15, 20, 4, 0.1);
  const FitResult<double> plain = result(false);
  const FitResult<double> normal = result(true);

  FitResult<double> result(bool normalize) const {
    FitOptions<double> options = rank<double>(4);
    options.stopping.max_epochs = 20;
    options.normalize = normalize;
    return fit(*view(V), MuOptions{}, options);
  }
};

TEST_F(Normalized, ColumnsOfWHaveNormOne) {
  for (Index k = 0; k < 4; ++k) EXPECT_NEAR(normal.W.col(k).norm(), 1, 1e-13);
}

TEST_F(Normalized, TheProductIsTheSame) {
  EXPECT_LE((normal.W * normal.H - plain.W * plain.H).norm(), 1e-13 * V.norm());
}

TEST_F(Normalized, TheHeaviestComponentComesFirst) {
  const auto share = [&](Index k) { return normal.W.col(k).sum() * normal.H.row(k).sum(); };
  for (Index k = 1; k < 4; ++k) EXPECT_GE(share(k - 1), share(k));
}

// A flat component has the larger share of the sum of WH, a peak the larger product of norms.
TEST(Result, ComponentsAreOrderedByTheirShareOfTheSumNotByTheirNorms) {
  FitOptions<double> options = rank<double>(2);
  options.given.W = RowMatrix<double>::Zero(4, 2);
  options.given.H = Matrix<double>::Zero(2, 4);
  (*options.given.W)(0, 0) = (*options.given.H)(0, 0) = 3;
  options.given.W->col(1).setOnes();
  options.given.H->row(1).setOnes();
  options.stopping.max_epochs = 0;
  options.normalize = true;
  const Matrix<double> V = *options.given.W * *options.given.H;
  const auto r = fit(*view(V), MuOptions{}, options);
  EXPECT_NEAR(r.W.col(0).sum() * r.H.row(0).sum(), 16, 1e-12);
  EXPECT_NEAR(r.W.col(1).sum() * r.H.row(1).sum(), 9, 1e-12);
  EXPECT_LT(r.W.col(0).norm() * r.H.row(0).norm(), r.W.col(1).norm() * r.H.row(1).norm());
}

TEST_F(Normalized, TheRunItselfIsTheSame) {
  EXPECT_EQ(normal.checkpoint.current.W, plain.checkpoint.current.W);
  EXPECT_EQ(normal.record().objective, plain.record().objective);
}

TEST(Result, EntriesAtTheFloorAreExactZeros) {
  Matrix<double> V = low_rank(15, 20, 2, 0.1);
  V.row(3).setZero();
  V.col(7).setZero();
  FitOptions<double> options = rank<double>(2);
  options.stopping.max_epochs = 5;
  const auto r = fit(*view(V), MuOptions{}, options);
  EXPECT_EQ(r.W.row(3), (Eigen::RowVectorXd::Zero(2)));
  EXPECT_EQ(r.H.col(7), (Eigen::VectorXd::Zero(2)));
  EXPECT_EQ(r.checkpoint.current.W.row(3), (Eigen::RowVectorXd::Constant(2, 0x1p-52)));
}

TEST(Result, TheReportedNumbersBelongToTheFactorsBeforeNormalizing) {
  const Matrix<double> V = low_rank(15, 20, 3, 0.3);
  FitOptions<double> options = rank<double>(3);
  options.penalties = {.l1_w = 5, .l2_w = 20, .l1_h = 0.3, .l2_h = 0.1};
  options.stopping.max_epochs = 25;
  const auto plain = fit(*view(V), HalsOptions{}, options);
  options.normalize = true;
  const auto r = fit(*view(V), HalsOptions{}, options);
  verify_result(V, r);
  EXPECT_EQ(r.record().objective, plain.record().objective);
  ASSERT_EQ(r.column_norms.size(), 3u);
  EXPECT_TRUE(plain.column_norms.empty());
  const Eigen::VectorXd norms = Eigen::Map<const Eigen::VectorXd>(r.column_norms.data(), 3);
  const RowMatrix<double> W = r.W * norms.asDiagonal();
  const Matrix<double> H = norms.cwiseInverse().asDiagonal() * r.H;
  const double objective = (V - W * H).squaredNorm() / 2 + 5 * W.sum() + 10 * W.squaredNorm() +
                           0.3 * H.sum() + 0.05 * H.squaredNorm();
  EXPECT_NEAR(r.record().objective, objective, 1e-9 * objective);
}

TEST(Result, ADeadComponentSurvivesNormalization) {
  FitOptions<double> options = rank<double>(2);
  options.given.W = random_matrix<RowMatrix<double>>(6, 2, 1, 0.1);
  options.given.W->col(0).setZero();
  options.given.H = random_matrix<Matrix<double>>(2, 8, 2, 0.1);
  options.stopping.max_epochs = 0;
  options.normalize = true;
  const Matrix<double> V = low_rank(6, 8, 2, 0.1);
  const auto r = fit(*view(V), MuOptions{}, options);
  EXPECT_TRUE(r.W.allFinite());
  EXPECT_NEAR(r.W.col(0).norm(), 1, 1e-13);
  EXPECT_TRUE(r.W.col(1).isZero(0));
}

TEST(Result, IsInTheUnitsOfV) {
  const Matrix<double> V = low_rank(15, 20, 2, 0.1);
  FitOptions<double> options = rank<double>(2);
  options.stopping.max_epochs = 30;
  const auto plain = fit(*view(V), RNmfOptions{.outlier_penalty = 0.1}, options);
  for (const double unit : {0x1p-90, 0x1p90}) {
    const Matrix<double> scaled = V * unit;
    const auto r = fit(*view(scaled), RNmfOptions{.outlier_penalty = 0.1 * unit}, options);
    EXPECT_LE((r.W * r.H / unit - plain.W * plain.H).norm(), 0.1 * (plain.W * plain.H).norm());
    EXPECT_NEAR(r.record().objective / (unit * unit), plain.record().objective,
                0.2 * plain.record().objective);
    const Matrix<double> R = r.R_sparse.toDense();
    EXPECT_LE((R - Matrix<double>(((scaled - r.W * r.H).array() - 0.1 * unit).max(0))).norm(),
              1e-10 * scaled.norm());
  }
}

TEST(Result, ClosedFormOutliersAreWhatIsLeftAboveThePenalty) {
  const Matrix<double> V = sparse_product(15, 20, 2, 0.1) * 4;
  const SparseMatrix<double> sparse = V.sparseView();
  FitOptions<double> options = rank<double>(2);
  options.stopping.max_epochs = 10;
  for (const bool is_sparse : {false, true}) {
    const auto source = is_sparse ? view(sparse) : view(V);
    const auto r = fit(*source, RNmfOptions{.outlier_penalty = 0.3}, options);
    const Matrix<double> expected = ((V - r.W * r.H).array() - 0.3).max(0);
    EXPECT_LE((r.R_sparse.toDense() - expected).norm(), 1e-12 * V.norm());
    EXPECT_GT(expected.norm(), 0);
    EXPECT_EQ(r.R.size(), 0);
  }
}

TEST(Result, KeptOutliersOfSparseVAreSparse) {
  const Matrix<double> V = sparse_product(15, 20, 2, 0.1);
  const SparseMatrix<double> sparse = V.sparseView();
  FitOptions<double> options = rank<double>(2);
  options.stopping.max_epochs = 5;
  const RNmfOptions solver{.outlier_penalty = 0.3, .outlier_update = OutlierUpdate::multiplicative};
  const auto a = fit(*view(sparse), solver, options);
  const auto b = fit(*view(V), solver, options);
  EXPECT_EQ(a.R.size(), 0);
  EXPECT_EQ(b.R_sparse.size(), 0);
  // Where V is zero, R is zero after one step.
  EXPECT_LE((a.R_sparse.toDense() - b.R).norm(), 1e-9 * b.R.norm());
}

TEST(Result, TheReportedNumbersBelongToTheFactors) {
  const Matrix<double> V = low_rank(15, 20, 3, 0.3);
  FitOptions<double> options = rank<double>(3);
  options.penalties = {.l1_w = 0.1, .l2_w = 0.2, .l1_h = 0.3, .l2_h = 0.1};
  options.stopping.max_epochs = 25;
  for (const SolverInfo& info : catalog()) {
    if (name_of(info.options) == "inmf" || info.name.starts_with("r-")) continue;
    SolverOptions solver = info.options;
    for (const OptionInfo& option : options_of(info.options))
      if (option.name == "batch_size") set_option(solver, "batch_size", "4");
    const auto r = fit(*view(V), solver, options);
    const double cost = (V - r.W * r.H).squaredNorm() / 2;
    const double objective =
        cost + 0.1 * r.W.sum() + 0.1 * r.W.squaredNorm() + 0.3 * r.H.sum() + 0.05 * r.H.squaredNorm();
    EXPECT_NEAR(r.record().cost, cost, 1e-9 * cost) << info.name;
    EXPECT_NEAR(r.record().objective, objective, 1e-9 * objective) << info.name;
  }
}

TEST(Summary, SaysWhatWasFoundAndWhyItEnded) {
  const Matrix<double> V = low_rank(15, 20, 3, 0.3);
  FitOptions<double> options = rank<double>(3);
  options.stopping.max_epochs = 2;
  const auto r = fit(*view(V), SmuOptions{.batch_size = 4}, options);
  EXPECT_THAT(summary(r),
              AllOf(HasSubstr("smu"), HasSubstr("rank 3"), HasSubstr("frobenius"),
                    HasSubstr("stopped by epoch_limit after epoch 2"), HasSubstr("note: batch_size 4")));
}

TEST(Summary, NamesEveryReason) {
  const Matrix<double> V = low_rank(15, 20, 3, 0.3);
  FitOptions<double> options = rank<double>(3);
  options.stopping.relative_change = 0.5;
  EXPECT_THAT(summary(fit(*view(V), MuOptions{}, options)), HasSubstr("stopped by relative_change"));
  options.stopping = {.time_limit_seconds = 0};
  EXPECT_THAT(summary(fit(*view(V), MuOptions{}, options)),
              AllOf(HasSubstr("stopped by time_limit"), Not(HasSubstr("undone"))));
}

}  // namespace
}  // namespace svrmu
