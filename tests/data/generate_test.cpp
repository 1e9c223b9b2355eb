#include <gtest/gtest.h>

#include "svrmu/error.hpp"
#include "svrmu/generate.hpp"

namespace svrmu {
namespace {

TEST(Generate, ScaledDataAreTheProductOfTheirParts) {
  const auto made = generate<double>(DataKind::lowrank_scaled, {.features = 30, .samples = 40, .rank = 4});
  EXPECT_LT((made.V - made.W * made.H).norm(), 1e-12 * made.V.norm());
  EXPECT_NEAR(made.V.maxCoeff(), 1, 1e-12);
  EXPECT_GE(made.W.minCoeff(), 0);
}

TEST(Generate, ClippedDataEndAtOne) {
  const auto made = generate<double>(DataKind::lowrank_clipped, {.features = 100, .samples = 100});
  EXPECT_EQ(made.V.maxCoeff(), 1);
  EXPECT_GT((made.V.array() == 1).cast<double>().mean(), 0.8);
}

TEST(Generate, FullRankDataHaveNoParts) {
  const auto made = generate<double>(DataKind::halfnormal_fullrank);
  EXPECT_EQ(made.W.size(), 0);
  // E|N(0, s^2)| = s sqrt(2/pi), s = 10^(-1/4); clipping at 1 takes a little of it.
  EXPECT_NEAR(made.V.mean(), 0.44, 0.02);
}

TEST(Generate, SwimmersAreTheirPartsWithoutOverlap) {
  const auto made = generate<float>(DataKind::swimmer);
  EXPECT_EQ(made.V.rows(), 1024);
  EXPECT_EQ(made.V.cols(), 256);
  EXPECT_EQ(made.W.cols(), 17);
  EXPECT_EQ((made.V - made.W * made.H).cwiseAbs().maxCoeff(), 0);
}

TEST(Generate, NoiseHasTheNormAskedFor) {
  const GenerateOptions options{.features = 200, .samples = 300};
  GenerateOptions noisy = options;
  noisy.noise = 0.05;
  const auto clean = generate<double>(DataKind::lowrank_scaled, options);
  const auto made = generate<double>(DataKind::lowrank_scaled, noisy);
  EXPECT_NEAR((made.V - clean.V).norm() / clean.V.norm(), 0.05, 0.002);
  EXPECT_GE(made.V.minCoeff(), 0);
}

TEST(Generate, OutliersAreListed) {
  GenerateOptions options{.features = 100, .samples = 50};
  const auto clean = generate<double>(DataKind::lowrank_scaled, options);
  options.outliers = 0.1;
  const auto made = generate<double>(DataKind::lowrank_scaled, options);
  EXPECT_LT((made.V - clean.V - made.R.toDense()).norm(), 1e-12);
  EXPECT_LE(made.R.nonZeros(), 10 * 50);
  EXPECT_GT(made.R.nonZeros(), 9 * 50);
}

TEST(Generate, SameSeedSameBits) {
  const auto a = generate<double>(DataKind::lowrank_scaled, {.noise = 0.1, .seed = 5});
  const auto b = generate<double>(DataKind::lowrank_scaled, {.noise = 0.1, .seed = 5});
  const auto c = generate<double>(DataKind::lowrank_scaled, {.noise = 0.1, .seed = 6});
  EXPECT_EQ(a.V, b.V);
  EXPECT_NE(a.V, c.V);
}

TEST(Generate, NonsenseIsRefusedByName) {
  EXPECT_THROW(generate<double>(DataKind::lowrank_scaled, {.features = 0}), InvalidInput);
  EXPECT_THROW(generate<double>(DataKind::lowrank_scaled, {.noise = -1}), InvalidInput);
  EXPECT_THROW(generate<double>(DataKind::lowrank_scaled, {.outlier_least = 3, .outlier_most = 2}),
               InvalidInput);
}

}  // namespace
}  // namespace svrmu
