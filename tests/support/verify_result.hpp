// A result against V itself: everything it claims is computed again by the plainest loops, in double.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <type_traits>

#include "svrmu/svrmu.hpp"
#include "tolerance.hpp"

namespace svrmu {

struct Recomputed {
  double objective = 0;
  double cost = 0;
  double squared = 0;    // ||V - WH - R||^2
  double squared_V = 0;  // ||V||^2
  double terms = 0;      // what the loss is made of: 1/2||V||^2, or the sum of v^beta
};

// Products below `least` count as that much.
inline double plain_divergence(double beta, double v, double x, double least) {
  if (beta == 2) return (v - x) * (v - x) / 2;
  x = std::max(x, least);
  if (beta == 1) return v > 0 ? v * std::log(v / x) - v + x : x;
  if (beta == 0) return v / x - std::log(v / x) - 1;
  return (std::pow(v, beta) + (beta - 1) * std::pow(x, beta) - beta * v * std::pow(x, beta - 1)) /
         (beta * (beta - 1));
}

inline double outlier_penalty_of(const SolverOptions& solver) {
  const auto* penalty = solver.find<std::optional<double>>(Meaning::outlier_penalty);
  return penalty == nullptr ? 0 : penalty->value_or(0);
}

template <class Scalar>
Recomputed recompute(const Matrix<Scalar>& V, const FitResult<Scalar>& result) {
  Recomputed sums;
  Matrix<double> R = Matrix<double>::Zero(V.rows(), V.cols());
  const double least = 0x1p-104 / (result.checkpoint.w_scale * result.checkpoint.h_scale);
  if (result.R.size() > 0) R = result.R.template cast<double>();
  if (result.R_sparse.size() > 0) R = Matrix<Scalar>(result.R_sparse).template cast<double>();
  for (Index j = 0; j < V.cols(); ++j)
    for (Index i = 0; i < V.rows(); ++i) {
      const double v = V(i, j);
      double x = 0;
      for (Index k = 0; k < result.rank; ++k)
        x += static_cast<double>(result.W(i, k)) * static_cast<double>(result.H(k, j));
      const double residual = v - x - R(i, j);
      sums.squared_V += v * v;
      sums.squared += residual * residual;
      sums.terms += result.loss.is_frobenius() ? v * v / 2 : v > 0 ? std::pow(v, result.loss.beta) : 0;
      sums.cost += plain_divergence(result.loss.beta, v - R(i, j), x, least);
      sums.objective += outlier_penalty_of(result.solver) * R(i, j);
    }
  // Both factors are stored component by component of an item, and penalties belong to W before it was
  // normalized.
  const auto add_penalty = [&](const auto& factor, double l1, double l2, double power) {
    for (Index i = 0; i < factor.size(); ++i) {
      const auto k = static_cast<std::size_t>(i % result.rank);
      const double norm = result.column_norms.empty() ? 1 : result.column_norms[k];
      const double x = static_cast<double>(factor.data()[i]) * std::pow(norm, power);
      sums.objective += l1 * x + l2 / 2 * x * x;
    }
  };
  add_penalty(result.W, result.penalties.l1_w, result.penalties.l2_w, 1);
  add_penalty(result.H, result.penalties.l1_h, result.penalties.l2_h, -1);
  sums.objective += sums.cost;
  return sums;
}

template <class M>
testing::AssertionResult finite_and_nonnegative(const M& matrix) {
  for (Index i = 0; i < matrix.size(); ++i) {
    const double x = matrix.data()[i];
    if (!std::isfinite(x) || x < 0)
      return testing::AssertionFailure() << "holds " << x << " at place " << i << " of " << matrix.size();
  }
  return testing::AssertionSuccess();
}

// What a value near zero may be wrong by when it is made of differences of numbers of the given size: a
// residual that is wrong by epsilon times V.
template <class Scalar>
double claim_tolerance(double value, double size) {
  value = std::max(value, 0.0);
  const double slip = 32 * Tolerance<Scalar>::epsilon;
  return Tolerance<Scalar>::claim * value + slip * std::sqrt(value * size) + slip * slip * size;
}

template <class Scalar>
void verify_result(const Matrix<Scalar>& V, const FitResult<Scalar>& result) {
  ASSERT_EQ(result.W.rows(), V.rows());
  ASSERT_EQ(result.W.cols(), result.rank);
  ASSERT_EQ(result.H.rows(), result.rank);
  ASSERT_EQ(result.H.cols(), V.cols());
  EXPECT_TRUE(finite_and_nonnegative(result.W)) << "W";
  EXPECT_TRUE(finite_and_nonnegative(result.H)) << "H";
  EXPECT_TRUE(result.R.size() == 0 || result.R_sparse.size() == 0);
  if (result.R.size() > 0) {
    ASSERT_EQ(result.R.rows(), V.rows());
    ASSERT_EQ(result.R.cols(), V.cols());
    EXPECT_TRUE(finite_and_nonnegative(result.R)) << "R";
  }
  if (result.R_sparse.size() > 0) {
    ASSERT_EQ(result.R_sparse.rows(), V.rows());
    ASSERT_EQ(result.R_sparse.cols(), V.cols());
    for (Index n = 0; n < result.R_sparse.nonZeros(); ++n) {
      EXPECT_TRUE(std::isfinite(result.R_sparse.valuePtr()[n]));
      EXPECT_GT(result.R_sparse.valuePtr()[n], 0);
    }
  }

  ASSERT_LT(result.returned, result.history.size());
  EXPECT_NE(result.reason, StopReason::numerical_failure);
  EXPECT_EQ(result.history.front().epoch, 0);
  for (const EpochRecord& entry : result.history) {
    EXPECT_TRUE(std::isfinite(entry.objective)) << "epoch " << entry.epoch;
    EXPECT_TRUE(std::isfinite(entry.relative_error)) << "epoch " << entry.epoch;
  }

  const Recomputed is = recompute(V, result);
  const EpochRecord& claimed = result.record();
  // Divergences are differences of terms even where the residual is exact.
  const double rounding = result.loss.is_frobenius() ? 0 : 64 * 0x1p-52 * is.terms;
  EXPECT_NEAR(claimed.cost, is.cost, claim_tolerance<Scalar>(is.cost, is.terms) + rounding);
  EXPECT_NEAR(claimed.objective, is.objective, claim_tolerance<Scalar>(is.objective, is.terms) + rounding);
  const double share = is.squared / is.squared_V;
  EXPECT_NEAR(claimed.relative_error * claimed.relative_error, share, claim_tolerance<Scalar>(share, 1));
}

}  // namespace svrmu
