#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "svrmu/error.hpp"
#include "svrmu/experiment/recovery.hpp"

namespace svrmu::experiment {
namespace {

Matrix<double> flat(Index features, Index samples, double value) {
  return Matrix<double>::Constant(features, samples, value);
}

Index changed(const Matrix<double>& V, const Matrix<double>& clean) {
  return (V.array() != clean.array()).count();
}

// 1 - (1 - 1/F)^(0.9 F), which is 0.593 for many pixels.
TEST(Spoil, AuthorsPlacesAreDrawnWithReplacement) {
  const Matrix<double> clean = flat(361, 200, 5);
  const Matrix<double> V = spoil(clean, {.draw = OutlierDraw::author, .density = 0.9, .ceiling = 1000});
  const double share = static_cast<double>(changed(V, clean)) / static_cast<double>(V.size());
  EXPECT_NEAR(share, 1 - std::pow(1 - 1.0 / 361, 324), 0.01);
}

TEST(Spoil, AuthorsOutliersAreWholeNumbersAddedOnce) {
  const Matrix<double> V = spoil(
      flat(50, 40, 5), {.draw = OutlierDraw::author, .density = 2, .least = 30, .most = 33, .ceiling = 1000});
  bool seen[4] = {};
  for (Index i = 0; i < V.size(); ++i) {
    const double added = V.data()[i] - 5;
    if (added == 0) continue;
    ASSERT_TRUE(added == 30 || added == 31 || added == 32 || added == 33) << added;
    seen[static_cast<int>(added) - 30] = true;
  }
  for (const bool value : seen) EXPECT_TRUE(value);
}

TEST(Spoil, ExactDensityIsExactInEverySample) {
  const Matrix<double> clean = flat(50, 40, 5);
  const Matrix<double> V =
      spoil(clean, {.draw = OutlierDraw::exact, .density = 0.3, .least = 30, .most = 50, .ceiling = 1000});
  for (Index n = 0; n < V.cols(); ++n) EXPECT_EQ(changed(V.col(n), clean.col(n)), 15);
  EXPECT_GT(V.maxCoeff(), 54);
  EXPECT_LT(V.maxCoeff(), 55);
  EXPECT_EQ(changed(spoil(clean, {.draw = OutlierDraw::exact, .density = 1}), clean), clean.size());
}

TEST(Spoil, CutsOffAtTheCeiling) {
  const Matrix<double> V = spoil(flat(50, 40, 45), {.density = 0.5});
  EXPECT_EQ(V.maxCoeff(), 50);
  EXPECT_EQ(V.minCoeff(), 45);
}

TEST(Spoil, IsAFunctionOfTheSeed) {
  const Matrix<double> clean = flat(50, 40, 5);
  EXPECT_EQ(spoil(clean, {.seed = 3}), spoil(clean, {.seed = 3}));
  EXPECT_NE(spoil(clean, {.seed = 3}), spoil(clean, {.seed = 4}));
  EXPECT_EQ(spoil(clean, {.density = 0}), clean);
}

TEST(Spoil, RefusesWhatMakesNoSense) {
  const Matrix<double> clean = flat(5, 4, 5);
  const double nan = std::numeric_limits<double>::quiet_NaN();
  EXPECT_THROW(spoil(clean, {.density = -0.1}), InvalidInput);
  EXPECT_THROW(spoil(clean, {.density = nan}), InvalidInput);
  EXPECT_THROW(spoil(clean, {.draw = OutlierDraw::exact, .density = 1.1}), InvalidInput);
  EXPECT_THROW(spoil(clean, {.least = 3, .most = 2}), InvalidInput);
  EXPECT_THROW(spoil(clean, {.least = -1}), InvalidInput);
  EXPECT_THROW(spoil(clean, {.least = 0.5}), InvalidInput);
  EXPECT_THROW(spoil(clean, {.ceiling = 0}), InvalidInput);
}

TEST(Scaled, ReachesItsLargestValue) {
  EXPECT_EQ(scaled_to(flat(2, 2, 4), 50).maxCoeff(), 50);
  EXPECT_THROW(scaled_to(flat(2, 2, 0), 50), InvalidData);
  EXPECT_THROW(scaled_to(Matrix<double>(), 50), InvalidData);
}

}  // namespace
}  // namespace svrmu::experiment
