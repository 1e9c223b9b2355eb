#include "linalg/bounded_quadratic.hpp"

#include <gtest/gtest.h>

#include "linalg/shrink.hpp"
#include "random_matrix.hpp"

namespace svrmu {
namespace {

// The gradient where y may move, else what of it would leave the floor.
Eigen::VectorXd projected_gradient(const Matrix<double>& Q, const Eigen::VectorXd& a, Shrink<double> shrink,
                                   const Eigen::VectorXd& y) {
  const Eigen::VectorXd gradient = Q * y - a + shrink.l2 * y + Eigen::VectorXd::Constant(y.size(), shrink.l1);
  return (y.array() > floor_value<double>).select(gradient, gradient.cwiseMin(0));
}

TEST(BoundedQuadratic, MinimizesWhereColumnsAreNearlyAlike) {
  constexpr Index K = 12;
  Matrix<double> W = random_matrix<Matrix<double>>(40, K, 1) * 1e-3;
  W.colwise() += Eigen::VectorXd(random_matrix<Matrix<double>>(40, 1, 2));
  const Matrix<double> Q = W.transpose() * W;
  const Eigen::VectorXd a = W.transpose() * Eigen::VectorXd(random_matrix<Matrix<double>>(40, 1, 3));
  for (const Shrink<double> shrink : {Shrink<double>{}, Shrink<double>{0.01, 0.001}}) {
    Eigen::VectorXd y = Eigen::VectorXd::Ones(K);
    minimize(Quadratic<double>{Q.data(), a.data(), K, shrink}, 0, 400, y.data());
    EXPECT_LE(projected_gradient(Q, a, shrink, y).norm(), 1e-10 * a.norm());
    EXPECT_TRUE((y.array() == floor_value<double>).any());
    EXPECT_TRUE((y.array() > floor_value<double>).any());
  }
}

TEST(BoundedQuadratic, AJumpStopsAtTheFloorAndDoesNotRise) {
  constexpr Index K = 5;
  const Matrix<double> W = random_matrix<Matrix<double>>(9, K, 4);
  const Matrix<double> Q = W.transpose() * W;
  const Eigen::VectorXd a = Q * Eigen::VectorXd{{1, -2, 1, 3, -1}};
  Eigen::VectorXd y = Eigen::VectorXd::Ones(K);
  y(3) = floor_value<double>;
  const auto value = [&] { return 0.5 * y.dot(Q * y) - a.dot(y); };
  const double before = value();
  jump(Quadratic<double>{Q.data(), a.data(), K, {}}, y.data());
  EXPECT_LT(value(), before);
  EXPECT_EQ(y.minCoeff(), floor_value<double>);
  EXPECT_EQ(y(3), floor_value<double>) << "what is at the floor stays there";
}

TEST(BoundedQuadratic, AJumpReachesAMinimumInside) {
  constexpr Index K = 4;
  const Matrix<double> W = random_matrix<Matrix<double>>(9, K, 4);
  const Matrix<double> Q = W.transpose() * W;
  const Eigen::VectorXd best{{0.5, 2, 1, 3}};
  const Eigen::VectorXd a = Q * best;
  Eigen::VectorXd y = Eigen::VectorXd::Ones(K);
  jump(Quadratic<double>{Q.data(), a.data(), K, {}}, y.data());
  EXPECT_LE((y - best).norm(), 1e-12);
}

TEST(BoundedQuadratic, NoMinimumNoJump) {
  const Matrix<double> Q{{1, 2}, {2, 1}};
  const Eigen::VectorXd a{{1, 1}};
  Eigen::VectorXd y{{1, 2}};
  const Quadratic<double> q{Q.data(), a.data(), 2, {}};
  EXPECT_FALSE(positive_definite(q));
  jump(q, y.data());
  EXPECT_EQ(y, (Eigen::VectorXd{{1, 2}}));
  EXPECT_TRUE(positive_definite(Quadratic<double>{Q.data(), a.data(), 2, {0, 1.1}})) << "with its l2";
}

}  // namespace
}  // namespace svrmu
