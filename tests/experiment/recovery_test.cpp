#include "svrmu/experiment/recovery.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "svrmu/error.hpp"

namespace svrmu::experiment {
namespace {

TEST(Likeness, IsErrorAndPeakSignalToNoise) {
  Matrix<double> clean(2, 2);
  clean << 3, 0, 0, 4;
  Matrix<double> found(2, 2);
  found << 3, 1, 0, 4;
  EXPECT_DOUBLE_EQ(likeness(clean, found).relative_error, 0.2);
  EXPECT_DOUBLE_EQ(likeness(clean, found).psnr, 10 * std::log10(16 / 0.25));
}

TEST(PartsFound, PairsPartsAndComponentsOneToOne) {
  const RowMatrix<double> truth = RowMatrix<double>::Identity(4, 3);
  EXPECT_EQ(parts_found(truth, 7 * truth), 3);
  EXPECT_EQ(parts_found(truth, truth.leftCols(2)), 2);
  RowMatrix<double> twice(4, 3);
  twice.col(0) = twice.col(1) = truth.col(0);
  twice.col(2) = truth.col(1) + truth.col(2);  // a cosine of 0.71 with either
  EXPECT_EQ(parts_found(truth, twice), 1);
  EXPECT_EQ(parts_found(truth, twice, 0.7), 2);
  EXPECT_EQ(parts_found(truth, RowMatrix<double>::Zero(4, 3)), 0);
}

TEST(Heaviest, IsByTheNormOfTheComponent) {
  RowMatrix<double> W(2, 3);
  W << 1, 5, 1, 0, 0, 0;
  Matrix<double> H(3, 2);
  H << 3, 4, 0.1, 0, 20, 0;
  EXPECT_EQ(heaviest(W, H), (std::vector<Index>{2, 0, 1}));
}

TEST(FacesContestants, AreAsTheAuthorHasThem) {
  const auto list = faces_contestants(100, 2);
  ASSERT_EQ(list.size(), 6U);
  const auto& proposed = list[3].solver.get<RSvrmuOptions>();
  EXPECT_EQ(proposed.inner_passes, 5);
  EXPECT_EQ(proposed.h_repeats, 5);
  EXPECT_EQ(proposed.outlier_penalty, 2);
  EXPECT_EQ(proposed.outlier_start, OutlierStart::uniform);
  EXPECT_EQ(proposed.outlier_update, OutlierUpdate::multiplicative);
  EXPECT_FALSE(proposed.safeguard);
}

TEST(Recover, JudgesTheFactorsAgainstTheCleanData) {
  const Generated<double> made = generate<double>(DataKind::swimmer);
  const Matrix<double> clean = scaled_to(made.V.leftCols(60), 50);
  RecoveryOptions options;
  options.rank = 5;
  options.start = Start::random;
  options.gradient_counts = 4;
  options.seeds = {1, 2};
  options.spoil.density = 0.1;
  options.truth = &made.W;
  const auto contestants = parse_contestants("r-nmf,onmf:batch-size=20");
  const Recovery recovery = recover(clean, contestants, options);
  ASSERT_EQ(recovery.runs.size(), 4U);
  ASSERT_EQ(recovery.clean_bases.size(), 2U);
  EXPECT_EQ(recovery.true_parts, 17);
  EXPECT_NEAR(recovery.changed, 0.095, 0.01);

  SpoilOptions spoiling = options.spoil;
  spoiling.seed = 2;
  const Matrix<double> V = spoil(clean, spoiling);
  EXPECT_DOUBLE_EQ(recovery.spoiled[1], (V - clean).norm() / clean.norm());
  FitOptions<double> how;
  how.rank = 5;
  how.seed = 2;
  how.start = Start::random;
  how.stopping = {.max_epochs = 4, .relative_change = 0};
  const auto result = fit(*view(V), contestants[1].solver, how);
  EXPECT_DOUBLE_EQ(recovery.runs[3].likeness.relative_error,
                   (clean - result.W * result.H).norm() / clean.norm());
  EXPECT_EQ(recovery.runs[3].seed, 2U);
  const std::vector<Index> order = heaviest(result.W, result.H);
  EXPECT_EQ(recovery.runs[3].bases.col(1), result.W.col(order[1]));
  EXPECT_EQ(first_bases(recovery, 1), recovery.runs[1].bases);
  const auto on_clean_data = fit(*view(clean), MuOptions{}, how);
  EXPECT_NEAR(matched_cosine(recovery.clean_bases[1], on_clean_data.W), 1, 1e-12);
  EXPECT_EQ(clean_spread(recovery, 1).least,
            std::min(matched_cosine(recovery.runs[1].bases, recovery.clean_bases[0]),
                     matched_cosine(recovery.runs[3].bases, recovery.clean_bases[1])));
  EXPECT_EQ(alike_spread(recovery, 1, 0).most,
            std::max(matched_cosine(recovery.runs[1].bases, recovery.runs[0].bases),
                     matched_cosine(recovery.runs[3].bases, recovery.runs[2].bases)));
  EXPECT_TRUE(std::isnan(start_spread(recovery, 0).median)) << "the start is not uniform";
  Matrix<double> mean = clean;
  for (Index n = 0; n < clean.cols(); ++n) mean.col(n) = clean.rowwise().sum() / 60;
  EXPECT_NEAR(recovery.mean_sample, (clean - mean).norm() / clean.norm(), 1e-14);
  EXPECT_EQ(error_spread(recovery, 1).most,
            std::max(recovery.runs[1].likeness.relative_error, recovery.runs[3].likeness.relative_error));
}

TEST(Recover, StartsUniformInZeroToOneUnlessTold) {
  const Matrix<double> clean = Matrix<double>::Constant(40, 200, 50);
  RecoveryOptions options;
  options.rank = 12;
  options.gradient_counts = 1;
  options.seeds = {0};
  options.spoil.density = 0;
  const Recovery recovery = recover(clean, parse_contestants("mu"), options);
  // The entries of WH are then 12/4 on average, far below those of V.
  EXPECT_NEAR(recovery.runs[0].history.front().relative_error, 1 - 3.0 / 50, 0.01);
  ASSERT_EQ(recovery.start_bases.size(), 1U);
  EXPECT_GE(recovery.start_bases[0].minCoeff(), 0);
  EXPECT_LE(recovery.start_bases[0].maxCoeff(), 1);
  EXPECT_GT(start_spread(recovery, 0).median, 0.9) << "one step does not go far";
  options.start = Start::random;
  EXPECT_LT(recover(clean, parse_contestants("mu"), options).runs[0].history.front().relative_error, 0.5);
}

TEST(Recover, RefusesAnEmptyTask) {
  const Matrix<double> clean = Matrix<double>::Constant(9, 9, 1);
  const auto list = parse_contestants("mu");
  RecoveryOptions options;
  options.rank = 2;
  EXPECT_THROW(recover(clean, {}, options), InvalidInput);
  options.gradient_counts = 0;
  EXPECT_THROW(recover(clean, list, options), InvalidInput);
  options.gradient_counts = 1;
  options.seeds = {};
  EXPECT_THROW(recover(clean, list, options), InvalidInput);
}

}  // namespace
}  // namespace svrmu::experiment
