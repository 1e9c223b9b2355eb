// V in any unit that its type can hold.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "small_fits.hpp"
#include "verify_result.hpp"

namespace svrmu {
namespace {

using testing::HasSubstr;
using testing::ThrowsMessage;

template <class Scalar>
Matrix<Scalar> times_power(const Matrix<Scalar>& V, int k) {
  return V.unaryExpr([k](Scalar x) { return std::ldexp(x, k); });
}

template <class Scalar>
std::vector<SolverOptions> some_solvers() {
  return {SolverOptions(), MuOptions{}, HalsAccOptions{}, SvrmuOptions{.batch_size = 10}};
}

// W the same, H times 2^k: so is WH.
template <class Scalar>
void expect_exact_powers(const std::vector<int>& powers) {
  const Matrix<Scalar> V = low_rank<Scalar>(15, 40, 3, 0.3);
  FitOptions<Scalar> options = rank<Scalar>(3);
  options.stopping.max_epochs = 20;
  for (const SolverOptions& solver : some_solvers<Scalar>()) {
    const Matrix<Scalar> first = times_power(V, powers.front());
    const auto a = fit(*view(first), solver, options);
    for (const int k : powers) {
      SCOPED_TRACE(a.algorithm + ", V times 2^" + std::to_string(k));
      const Matrix<Scalar> scaled = times_power(V, k);
      const auto b = fit(*view(scaled), solver, options);
      EXPECT_GT(b.H.maxCoeff(), 0);
      EXPECT_EQ(b.W, a.W);
      EXPECT_EQ(b.H, times_power(a.H, k - powers.front()));
      EXPECT_EQ(b.record().objective, std::ldexp(a.record().objective, 2 * (k - powers.front())));
      EXPECT_EQ(b.record().relative_error, a.record().relative_error);
    }
  }
}

TEST(UnitsOfV, PowersOfTwoChangeNoDigitInDouble) {
  expect_exact_powers<double>({-30, -60, -200, -300, -440, 25, 60, 200, 400, 490});
}
TEST(UnitsOfV, PowersOfTwoChangeNoDigitInFloat) {
  expect_exact_powers<float>({-30, -60, -90, -110, 25, 60, 100, 115});
}

TEST(UnitsOfV, AreLeftAloneBetweenAThousandthAndAMillion) {
  const Matrix<double> V = low_rank(15, 40, 3, 0.3);
  FitOptions<double> options = rank<double>(3);
  options.stopping.max_epochs = 20;
  for (const SolverOptions& solver : some_solvers<double>()) {
    const auto a = fit(*view(V), solver, options);
    for (const int k : {-9, -3, 5, 18, -40, 40}) {
      SCOPED_TRACE(a.algorithm + ", V times 2^" + std::to_string(k));
      const Matrix<double> scaled = times_power(V, k);
      const auto b = fit(*view(scaled), solver, options);
      const Matrix<double> expected = a.W * a.H;
      EXPECT_LE((times_power(Matrix<double>(b.W * b.H), -k) - expected).norm(), 1e-6 * expected.norm());
    }
  }
}

// V, W and H in units of 2^200 and 2^100: the penalties below are those of the first fit in these units.
TEST(UnitsOfV, PenaltiesPressOnBothFactorsAlike) {
  const Matrix<double> V = low_rank(15, 40, 3, 0.3);
  FitOptions<double> options = rank<double>(3);
  options.stopping.max_epochs = 200;
  options.penalties = {.l1_w = 0, .l2_w = 0.5, .l1_h = 0, .l2_h = 0.5};
  const auto a = fit(*view(V), HalsOptions{}, options);
  const Matrix<double> large = times_power(V, 200);
  options.penalties = {.l1_w = 0, .l2_w = std::ldexp(0.5, 200), .l1_h = 0, .l2_h = std::ldexp(0.5, 200)};
  const auto b = fit(*view(large), HalsOptions{}, options);
  EXPECT_NEAR(std::ldexp(b.record().objective, -400) / a.record().objective, 1, 1e-3);
  verify_result(large, b);
}

TEST(UnitsOfV, ThatLeaveNoRoomForTheObjectiveAreRefused) {
  const Matrix<double> V = low_rank(15, 40, 3, 0.3);
  for (const double unit : {1e-160, 1e-200, 1e-300, 1e160, 1e200, 1e307}) {
    const Matrix<double> scaled = V * unit;
    EXPECT_THAT([&] { fit(*view(scaled), rank<double>(3)); },
                ThrowsMessage<InvalidData>(HasSubstr(unit < 1 ? "V is too small" : "V is too large")));
  }
  FitOptions<double> options = rank<double>(3);
  options.loss = Loss{5};
  const Matrix<double> scaled = V * 1e-70;
  EXPECT_THAT([&] { fit(*view(scaled), MuOptions{}, options); },
              ThrowsMessage<InvalidData>(HasSubstr("its loss beta:5 would leave the range")));
}

template <class Scalar>
void expect_denormals_refused() {
  const double least = std::numeric_limits<Scalar>::min();
  const Matrix<Scalar> V =
      (low_rank<double>(15, 40, 3, 0.3).array().min(1.0) * (least / 4)).matrix().template cast<Scalar>();
  ASSERT_GT(V.maxCoeff(), 0);
  const SparseMatrix<Scalar> sparse = V.sparseView(Scalar(1), Scalar(0));
  const auto says = ThrowsMessage<InvalidData>(HasSubstr("V is too small: its largest value is "));
  EXPECT_THAT([&] { fit(*view(V), rank<Scalar>(3)); }, says);
  EXPECT_THAT([&] { fit(*view(sparse), rank<Scalar>(3)); }, says);
  FitOptions<Scalar> options = rank<Scalar>(3);
  const Matrix<Scalar> ordinary = low_rank<Scalar>(15, 40, 3, 0.3);
  const auto model = fit(*view(ordinary), options);
  EXPECT_THAT([&] { transform(*view(V), model); }, says);
}

TEST(UnitsOfV, ThatMakeItDenormalAreRefusedByName) {
  expect_denormals_refused<double>();
  expect_denormals_refused<float>();
}

TEST(UnitsOfV, ADenormalEntryAmongOthersIsNoZero) {
  Matrix<float> V = low_rank<float>(15, 40, 3, 0.3) * 1e-30f;
  V(2, 3) = 1e-41f;
  FitOptions<float> options = rank<float>(3);
  options.loss = Loss::itakura_saito();
  const auto r = fit(*view(V), MuOptions{}, options);
  EXPECT_TRUE(std::isfinite(r.record().objective));
}

// Divergences that are infinite where WH is zero and V is not: what was claimed can be computed again.
TEST(FactorsAtTheFloor, AreKeptWhereZerosWouldMakeTheLossInfinite) {
  Matrix<double> V = low_rank(15, 40, 3, 0.3);
  V.row(3) *= 1e-20;
  V.col(7) *= 1e-22;
  V(5, 6) = 1e-30;
  for (const double beta : {1.0, 0.5, 0.0, -0.5}) {
    SCOPED_TRACE(beta);
    FitOptions<double> options = rank<double>(3);
    options.loss = Loss{beta};
    options.stopping = {.max_epochs = 300, .relative_change = 0};
    const auto r = fit(*view(V), MuOptions{}, options);
    double cost = 0;
    const Matrix<double> X = r.W * r.H;
    for (Index i = 0; i < V.size(); ++i) cost += plain_divergence(beta, V.data()[i], X.data()[i], 0);
    EXPECT_NEAR(r.record().cost, cost, 1e-9 * cost);
    EXPECT_GT(r.W.minCoeff(), 0);
    const auto h = transform(*view(V), r);
    EXPECT_GT(h.H.minCoeff(), 0);
  }
}

TEST(FactorsAtTheFloor, AreZeroWhereVHasNoValue) {
  Matrix<double> V = sparse_product(15, 40, 3, 0.3);
  V.row(3).setZero();
  V.col(7).setZero();
  FitOptions<double> options = rank<double>(3);
  options.loss = Loss::kullback_leibler();
  const SparseMatrix<double> sparse = V.sparseView();
  for (const auto& source : {view(V), view(sparse)}) {
    const auto r = fit(*source, MuOptions{}, options);
    EXPECT_TRUE(r.W.row(3).isZero(0));
    EXPECT_TRUE(r.H.col(7).isZero(0));
    EXPECT_GT(r.W.row(2).minCoeff(), 0);
  }
}

TEST(FactorsAtTheFloor, AreZeroForOtherLosses) {
  const Matrix<double> V = sparse_product(15, 40, 3, 0.3);
  for (const double beta : {1.5, 2.0}) {
    FitOptions<double> options = rank<double>(3);
    options.loss = Loss{beta};
    options.stopping = {.max_epochs = 2000, .relative_change = 0};
    EXPECT_EQ(fit(*view(V), MuOptions{}, options).W.minCoeff(), 0);
  }
}

}  // namespace
}  // namespace svrmu
