#include "linalg/products.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "linalg/parallel.hpp"
#include "matrices.hpp"

namespace svrmu {
namespace {

template <class Scalar>
class Products : public testing::Test {
 protected:
  const ThreadScope threads{2};
};
using Scalars = testing::Types<float, double>;
TYPED_TEST_SUITE(Products, Scalars);

TYPED_TEST(Products, GramIsTheSumOfOuterProducts) {
  for (const Sizes& s : odd_sizes) {
    SCOPED_TRACE(to_text(s));
    const auto W = random_matrix<RowMatrix<TypeParam>>(s.F, s.K, 1);
    const auto H = random_matrix<Matrix<TypeParam>>(s.K, s.N, 2);
    expect_near<TypeParam>(WtW(W), times(W.transpose(), W));
    expect_near<TypeParam>(HHt(H), times(H, H.transpose()));
  }
}

TYPED_TEST(Products, GramIsSymmetricToTheLastBit) {
  const auto W = random_matrix<RowMatrix<TypeParam>>(700, 19, 1);
  const Matrix<TypeParam> G = WtW(W);
  EXPECT_LE((G - G.transpose()).cwiseAbs().maxCoeff(),
            4 * std::numeric_limits<TypeParam>::epsilon() * G.cwiseAbs().maxCoeff());
}

TYPED_TEST(Products, WeightsOfAGramRepeatItems) {
  const auto H = random_matrix<Matrix<TypeParam>>(3, 4, 1);
  const TypeParam weights[] = {1, 3, 0, 2};
  Matrix<TypeParam> repeated(3, 6);
  repeated << H.col(0), H.col(1), H.col(1), H.col(1), H.col(3), H.col(3);
  expect_near<TypeParam>(gram(H.data(), 4, 3, weights), times(repeated, repeated.transpose()));
}

TYPED_TEST(Products, ItemSumAddsTheItems) {
  for (const Sizes& s : odd_sizes) {
    SCOPED_TRACE(to_text(s));
    const auto W = random_matrix<RowMatrix<TypeParam>>(s.F, s.K, 1);
    const Matrix<double> expected = W.template cast<double>().colwise().sum().transpose();
    expect_near<TypeParam>(item_sum(W.data(), s.F, s.K), expected);
  }
}

TYPED_TEST(Products, WeightsOfAnItemSumRepeatItems) {
  const auto H = random_matrix<Matrix<TypeParam>>(3, 4, 1);
  const TypeParam weights[] = {1, 3, 0, 2};
  const Matrix<TypeParam> expected = H.col(0) + 3 * H.col(1) + 2 * H.col(3);
  expect_near<TypeParam>(item_sum(H.data(), 4, 3, weights), expected);
}

TYPED_TEST(Products, InnerProductAddsEntrywiseProducts) {
  for (const Sizes& s : odd_sizes) {
    const auto A = random_matrix<RowMatrix<TypeParam>>(s.F, s.K, 1, -0.5);
    const auto B = random_matrix<RowMatrix<TypeParam>>(s.F, s.K, 2, -0.5);
    const double expected = A.template cast<double>().cwiseProduct(B.template cast<double>()).sum();
    EXPECT_NEAR(inner_product(A, B), expected, 1e-12 * double(s.F * s.K));
    const Matrix<TypeParam> A_columns = A;
    const Matrix<TypeParam> B_columns = B;
    EXPECT_NEAR(inner_product(A_columns, B_columns), expected, 1e-12 * double(s.F * s.K));
  }
}

TYPED_TEST(Products, NormsAreSummedInDouble) {
  const auto A = random_matrix<Matrix<TypeParam>>(300, 200, 1);
  const Norms n = norms(A.data(), A.size());
  EXPECT_NEAR(n.l1, A.template cast<double>().sum(), 1e-10 * n.l1);
  EXPECT_NEAR(n.squared, A.template cast<double>().squaredNorm(), 1e-10 * n.squared);
  EXPECT_EQ(norms(A.data(), 0).l1, 0);
}

TYPED_TEST(Products, CombinationAddsAllKindsOfTerms) {
  for (const Sizes& s : odd_sizes) {
    SCOPED_TRACE(to_text(s));
    const auto M = random_matrix<RowMatrix<TypeParam>>(s.F, s.K, 1);
    const auto W = random_matrix<RowMatrix<TypeParam>>(s.F, s.K, 2);
    const auto X = random_matrix<Matrix<TypeParam>>(s.K, s.K + 3, 3);
    const Matrix<TypeParam> G = HHt(X);
    const auto g = random_matrix<Matrix<TypeParam>>(s.K, 1, 4);
    Combination<TypeParam> sum;
    sum.add(0.5, M).add(2, W, G).add_row(3, g);
    Matrix<double> expected = 0.5 * M.template cast<double>() + 2 * times(W, G);
    expected.rowwise() += 3 * g.template cast<double>().col(0).transpose();
    expect_near<TypeParam>(sum.evaluate(s.F, s.K), expected);
  }
}

TYPED_TEST(Products, AnEmptyCombinationIsZero) {
  EXPECT_TRUE(Combination<TypeParam>().evaluate(3, 2).isZero(0));
}

TYPED_TEST(Products, RowsOfACombinationCanBeHadAlone) {
  const auto M = random_matrix<RowMatrix<TypeParam>>(10, 3, 1);
  Combination<TypeParam> sum;
  sum.add(1, M);
  RowMatrix<TypeParam> part(4, 3);
  sum.evaluate(2, 6, 3, part.data());
  EXPECT_EQ(part, (M.middleRows(2, 4)));
}

TYPED_TEST(Products, MultiplyByRatioIsTheMultiplicativeStep) {
  for (const Sizes& s : odd_sizes) {
    SCOPED_TRACE(to_text(s));
    const auto start = random_matrix<RowMatrix<TypeParam>>(s.F, s.K, 1, 0.1);
    const auto up = random_matrix<RowMatrix<TypeParam>>(s.F, s.K, 2, 0.1);
    const auto X = random_matrix<Matrix<TypeParam>>(s.K, s.K + 3, 3);
    const Matrix<TypeParam> G = HHt(X);
    RowMatrix<TypeParam> W = start;
    Combination<TypeParam> P;
    Combination<TypeParam> Q;
    P.add(1, up);
    Q.add(1, W, G);  // refers to W itself
    multiply_by_ratio(W, P, Q, {TypeParam(0.25), TypeParam(0.5)}, 0.75, 0.5);
    const Eigen::ArrayXXd w = start.template cast<double>().array();
    const Eigen::ArrayXXd down = times(start, G).array() + 0.25 + 0.5 * w;
    const Eigen::ArrayXXd expected = 0.25 * w + 0.75 * w * (up.template cast<double>().array() / down).sqrt();
    expect_near<TypeParam>(W, expected.matrix());
  }
}

TYPED_TEST(Products, MuSweepIsTheMultiplicativeStepOnItems) {
  for (const Sizes& s : odd_sizes) {
    SCOPED_TRACE(to_text(s));
    const auto start = random_matrix<Matrix<TypeParam>>(s.K, s.N, 1, 0.1);
    const auto A = random_matrix<Matrix<TypeParam>>(s.K, s.N, 2, 0.1);
    const auto W = random_matrix<RowMatrix<TypeParam>>(s.F, s.K, 3, 0.1);
    const Matrix<TypeParam> G = WtW(W);
    Matrix<TypeParam> X = start;
    const double change = mu_sweep(X.data(), A.data(), s.N, G, {TypeParam(0.5), TypeParam(0.25)});
    const Eigen::ArrayXXd x = start.template cast<double>().array();
    const Eigen::ArrayXXd expected =
        x * A.template cast<double>().array() / (times(G, start).array() + 0.5 + 0.25 * x);
    expect_near<TypeParam>(X, expected.matrix());
    const double moved = (X - start).template cast<double>().squaredNorm();
    EXPECT_NEAR(change, moved, 1e-6 * moved);
  }
}

TYPED_TEST(Products, HalsSweepNeverRaisesTheQuadratic) {
  for (const Sizes& s : odd_sizes) {
    SCOPED_TRACE(to_text(s));
    const auto V = random_matrix<Matrix<TypeParam>>(s.F, s.N, 4);
    const auto W = random_matrix<RowMatrix<TypeParam>>(s.F, s.K, 3, 0.1);
    const Matrix<TypeParam> G = WtW(W);
    const Matrix<TypeParam> A = times(W.transpose(), V).template cast<TypeParam>();
    Matrix<TypeParam> X = random_matrix<Matrix<TypeParam>>(s.K, s.N, 1, 0.1);
    const auto cost = [&] {
      return (V.template cast<double>() - W.template cast<double>() * X.template cast<double>())
          .squaredNorm();
    };
    double before = cost();
    for (int sweep = 0; sweep < 5; ++sweep) {
      hals_sweep(X.data(), A.data(), s.N, G, {});
      const double now = cost();
      EXPECT_LE(now, before + rounding<TypeParam> * V.template cast<double>().squaredNorm());
      before = now;
    }
  }
}

TYPED_TEST(Products, HaveTheSameBitsForAnyNumberOfThreads) {
  const auto W = random_matrix<RowMatrix<TypeParam>>(3000, 7, 3, 0.1);
  const auto A = random_matrix<RowMatrix<TypeParam>>(3000, 7, 4, 0.1);
  const auto all = [&](int count) {
    const ThreadScope scope(count);
    const Matrix<TypeParam> G = WtW(W);
    RowMatrix<TypeParam> X = A;
    const double change = hals_sweep(X.data(), A.data(), 3000, G, {});
    return std::tuple(G, item_sum(W.data(), 3000, 7), inner_product(W, A), norms(W.data(), W.size()).l1, X,
                      change);
  };
  const auto one = all(1);
  EXPECT_EQ(all(2), one);
  EXPECT_EQ(all(5), one);
}

}  // namespace
}  // namespace svrmu
