// The defining identities of the sketch and of the surrogate.
#include "solvers/fast/surrogate.hpp"

#include <gtest/gtest.h>

#include <limits>
#include <numeric>
#include <utility>
#include <vector>

#include "compare.hpp"
#include "linalg/batch_products.hpp"
#include "linalg/products.hpp"
#include "linalg/range_finder.hpp"
#include "problems.hpp"
#include "solvers/fast/dense_road.hpp"

namespace svrmu::fast {
namespace {

constexpr Index F = 60;
constexpr Index N = 200;
constexpr Index K = 5;
constexpr Index l = 8;
constexpr double rounding = 1e-5;  // of single precision, with room

Matrix<double> wide(const auto& matrix) { return matrix.template cast<double>(); }

void alone(Matrix<double>& sum) { EXPECT_TRUE(sum.allFinite()); }

template <class Scalar>
Batch<Scalar> batch_of(const Matrix<Scalar>& V) {
  Batch<Scalar> v;
  v.data = DenseColumns<Scalar>{V.data(), 1, V.rows()};
  v.features = V.rows();
  v.count = V.cols();
  v.total = V.cols();
  return v;
}

template <class Scalar>
RowMatrix<float> sketch_of(const Matrix<Scalar>& V) {
  std::vector<Index> items(static_cast<std::size_t>(V.cols()));
  std::iota(items.begin(), items.end(), Index{0});
  return range_finder(batch_of(V), random_signs(items, l, Random(3, Purpose::sketch)), 2, alone);
}

// V^ as a matrix, from the product that iterations work on.
Matrix<double> formed(const Surrogate& surrogate, const Matrix<float>& H) {
  return wide(surrogate.S) * wide(surrogate.Y.topRows(surrogate.S.cols())) +
         wide(surrogate.T) * wide(surrogate.Y.bottomRows(surrogate.T.cols())) + wide(surrogate.D) * wide(H);
}

void expect_orthonormal(const Matrix<double>& X) {
  EXPECT_LT((X.transpose() * X - Matrix<double>::Identity(X.cols(), X.cols())).norm(), rounding);
}

TEST(Sketch, IsOrthonormalAndHoldsAMatrixOfItsRank) {
  const Matrix<double> V = planted(F, N, l).V;
  const Matrix<double> S = wide(sketch_of(V));
  expect_orthonormal(S);
  EXPECT_LT(distance(S * (S.transpose() * V), V), rounding);
}

TEST(Completion, SpansWhatTheSketchLacksOfW) {
  const RowMatrix<float> S = sketch_of(noisy(F, N, l));
  const RowMatrix<float> W = random_matrix(F, K, 3).cast<float>();
  const RowMatrix<float> T = completion(S, W);
  expect_orthonormal(wide(T));
  EXPECT_LT((wide(S).transpose() * wide(T)).norm(), rounding);
  EXPECT_LT(
      distance(wide(S) * (wide(S).transpose() * wide(W)) + wide(T) * (wide(T).transpose() * wide(W)), W),
      rounding);
}

TEST(Completion, LeavesOutWhatTheSketchSpansAlready) {
  const RowMatrix<float> S = sketch_of(noisy(F, N, l));
  RowMatrix<float> W = random_matrix(F, K, 3).cast<float>();
  W.col(1) = S.col(0) + 2 * S.col(3);
  W.col(4) = W.col(0);
  const RowMatrix<float> T = completion(S, W);
  EXPECT_LT(
      distance(wide(S) * (wide(S).transpose() * wide(W)) + wide(T) * (wide(T).transpose() * wide(W)), W),
      rounding);
}

TEST(Completion, MakesNoDirectionOfRoundingWhereTheSketchSpansEverything) {
  RowMatrix<float> S = random_matrix(F, F, 4).cast<float>();
  orthonormalize(S);
  const RowMatrix<float> T = completion(S, random_matrix(F, K, 3).cast<float>());
  EXPECT_EQ(T.norm(), 0);
}

// The surrogate of any (W, H), as a pass over V makes it.
template <class Scalar>
Surrogate surrogate_of(const Matrix<Scalar>& V, const RowMatrix<float>& W, const Matrix<float>& H) {
  Surrogate surrogate;
  surrogate.S = sketch_of(V);
  surrogate.complete(W);
  EXPECT_TRUE(surrogate.make_room(N));
  project(surrogate.basis(), ProjectedRows::all, batch_of(V), surrogate.Y);
  RowMatrix<float> VHt = (wide(V) * wide(H).transpose()).template cast<float>();
  surrogate.correct(VHt, wide(H) * wide(H).transpose(), H, alone);
  return surrogate;
}

template <class Scalar>
class SurrogateOf : public testing::Test {
 protected:
  const Matrix<Scalar> V = noisy(F, N, 2 * K).cast<Scalar>();  // not of the rank of the sketch
  const RowMatrix<float> W = random_matrix(F, K, 5).cast<float>();
  const Matrix<float> H = random_matrix(K, N, 6).cast<float>();
  const Surrogate surrogate = surrogate_of(V, W, H);
  const Matrix<double> V_hat = formed(surrogate, H);

  static double objective(const Matrix<double>& V, const Matrix<double>& W, const Matrix<double>& H) {
    return (W * H).squaredNorm() / 2 - V.cwiseProduct(W * H).sum();  // without 1/2||V||^2
  }
};
using Scalars = testing::Types<float, double>;
TYPED_TEST_SUITE(SurrogateOf, Scalars);

TYPED_TEST(SurrogateOf, HasTheProductsOfVWithBothFactors) {
  const Matrix<double> data = wide(this->V);
  EXPECT_GT(distance(this->V_hat, data), 0.01);  // it is not V
  EXPECT_LT(distance(wide(this->W).transpose() * this->V_hat, wide(this->W).transpose() * data), rounding);
  EXPECT_LT(distance(this->V_hat * wide(this->H).transpose(), data * wide(this->H).transpose()), rounding);
}

TYPED_TEST(SurrogateOf, HasTheObjectiveOfVWhereOneFactorStays) {
  const Matrix<double> data = wide(this->V);
  const std::pair own{wide(this->W), wide(this->H)};
  const std::pair other{random_matrix(F, K, 7), random_matrix(K, N, 8)};
  for (const auto& [w, h] : {own, std::pair{other.first, own.second}, std::pair{own.first, other.second}})
    EXPECT_NEAR(this->objective(this->V_hat, w, h), this->objective(data, w, h),
                rounding * data.squaredNorm());
}

TYPED_TEST(SurrogateOf, TellsTheCoordinatesOfWInItsBasis) {
  const Matrix<double> WtST = wide(this->surrogate.coordinates(this->W));
  EXPECT_LT(distance(WtST * wide(this->surrogate.Y), wide(this->W).transpose() * wide(this->V)), rounding);
}

TYPED_TEST(SurrogateOf, IsTheProductThatIterationsWorkOn) {
  const LowRankProduct product = this->surrogate.product(this->H);
  EXPECT_EQ(rows_of(product.U), this->surrogate.width());
  EXPECT_EQ(rows_of(product.Z), this->surrogate.width());
  Matrix<float> U(this->surrogate.width(), F);  // transposed
  Matrix<float> Z(this->surrogate.width(), N);
  const auto stack = [](const LowRankFactor& factor, Matrix<float>& rows) {
    Index at = 0;
    for (const RowStack& part : factor) {
      rows.middleRows(at, part.rows) = Eigen::Map<const Matrix<float>>(part.data, part.rows, rows.cols());
      at += part.rows;
    }
  };
  stack(product.U, U);
  stack(product.Z, Z);
  EXPECT_LT(distance(wide(U).transpose() * wide(Z), this->V_hat), rounding);
}

// As the dense road leaves it, epoch after epoch: at the W that its last pass began with, which lies in the
// span of [S T], and at the H that it ended with.
template <class Scalar>
void expect_identities_on_the_road() {
  const Matrix<Scalar> V = noisy(F, N, 2 * K).cast<Scalar>();
  const auto source = view(V);
  const Team one;
  ColumnFeed<Scalar> feed(*source, one, 2, Scalar(1), {});
  const DataTerm<Scalar> term;
  Progress<Scalar> progress(term);
  progress.objective = std::numeric_limits<double>::infinity();
  DenseRoad<Scalar> road(term, progress);
  Factors<Scalar> f{random_matrix(F, K, 5).cast<Scalar>(), random_matrix(K, N, 6).cast<Scalar>(), {}};
  for (int epoch = 1; epoch <= 3; ++epoch) {
    SCOPED_TRACE("epoch " + std::to_string(epoch));
    const Factors<Scalar> start = f;
    feed.begin_epoch(epoch);
    road.epoch(feed, f, start, {.subset = 60, .sketch = l, .rows = 0}, 4);
    ASSERT_TRUE(road.surrogate_is_current());
    const Surrogate& surrogate = road.surrogate();
    const Matrix<double> V_hat = formed(surrogate, f.H.template cast<float>());
    expect_orthonormal(wide(surrogate.S));
    EXPECT_LT(distance(wide(surrogate.S).transpose() * V_hat, wide(surrogate.S).transpose() * wide(V)),
              rounding);
    EXPECT_LT((wide(surrogate.T).transpose() * (V_hat - wide(V))).norm(), rounding * wide(V).norm());
    EXPECT_LT(distance(V_hat * wide(f.H).transpose(), wide(V) * wide(f.H).transpose()), rounding);
  }
}
TEST(DenseRoad, LeavesASurrogateThatAgreesWithVAtItsLastPass) {
  expect_identities_on_the_road<float>();
  expect_identities_on_the_road<double>();
}

}  // namespace
}  // namespace svrmu::fast
