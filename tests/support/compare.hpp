// Two results: the same bits, or close.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>

#include "svrmu/svrmu.hpp"

namespace svrmu {

template <class A, class B>
double distance(const A& a, const B& b) {
  if (a.rows() != b.rows() || a.cols() != b.cols()) return 1e300;
  const double size = b.template cast<double>().norm();
  return (a.template cast<double>() - b.template cast<double>()).norm() / std::max(size, 1e-300);
}

template <class M>
testing::AssertionResult same_bits(const M& a, const M& b) {
  if (a.rows() != b.rows() || a.cols() != b.cols())
    return testing::AssertionFailure()
           << a.rows() << " x " << a.cols() << " against " << b.rows() << " x " << b.cols();
  const auto bytes = static_cast<std::size_t>(a.size()) * sizeof(typename M::Scalar);
  if (bytes == 0 || std::memcmp(a.data(), b.data(), bytes) == 0) return testing::AssertionSuccess();
  return testing::AssertionFailure() << "relative distance " << distance(a, b);
}

template <class Scalar>
Matrix<Scalar> outliers_of(const FitResult<Scalar>& result) {
  return result.R.size() > 0 ? result.R : Matrix<Scalar>(result.R_sparse);
}

template <class Scalar>
void expect_same_bits(const FitResult<Scalar>& a, const FitResult<Scalar>& b) {
  EXPECT_TRUE(same_bits(a.W, b.W)) << "W";
  EXPECT_TRUE(same_bits(a.H, b.H)) << "H";
  EXPECT_TRUE(same_bits(outliers_of(a), outliers_of(b))) << "R";
}

// All numbers of the history that are not times.
template <class Scalar>
void expect_same_history(const FitResult<Scalar>& a, const FitResult<Scalar>& b) {
  ASSERT_EQ(a.history.size(), b.history.size());
  EXPECT_EQ(a.returned, b.returned);
  for (std::size_t i = 0; i < a.history.size(); ++i) {
    const EpochRecord& x = a.history[i];
    const EpochRecord& y = b.history[i];
    EXPECT_EQ(x.epoch, y.epoch) << "entry " << i;
    EXPECT_EQ(x.objective, y.objective) << "entry " << i;
    EXPECT_EQ(x.cost, y.cost) << "entry " << i;
    EXPECT_EQ(x.relative_error, y.relative_error) << "entry " << i;
    EXPECT_EQ(x.gradient_count, y.gradient_count) << "entry " << i;
    EXPECT_EQ(x.columns_read, y.columns_read) << "entry " << i;
    EXPECT_EQ(x.columns_evaluated, y.columns_evaluated) << "entry " << i;
    EXPECT_EQ(x.step, y.step) << "entry " << i;
    EXPECT_EQ(x.rollbacks, y.rollbacks) << "entry " << i;
    EXPECT_EQ(x.rolled_back, y.rolled_back) << "entry " << i;
    EXPECT_EQ(x.partial, y.partial) << "entry " << i;
  }
}

template <class Scalar>
void expect_close(const FitResult<Scalar>& a, const FitResult<Scalar>& b, double tolerance) {
  EXPECT_LE(distance(a.W, b.W), tolerance) << "W";
  EXPECT_LE(distance(a.H, b.H), tolerance) << "H";
  const Matrix<Scalar> R = outliers_of(a);
  if (R.norm() > 0) {
    EXPECT_LE(distance(R, outliers_of(b)), tolerance) << "R";
  }
  EXPECT_NEAR(a.record().objective, b.record().objective, tolerance * b.history.front().objective);
}

}  // namespace svrmu
