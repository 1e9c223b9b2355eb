#include "linalg/gemm.hpp"

#include <gtest/gtest.h>

#include <limits>

#include "matrices.hpp"

namespace svrmu {
namespace {

template <class Scalar>
class Gemm : public testing::Test {};
using Scalars = testing::Types<float, double>;
TYPED_TEST_SUITE(Gemm, Scalars);

// Short and long sides, whole vectors and not, more than a tile.
TYPED_TEST(Gemm, EqualsTheSumOfProductsForEverySizeAndOperation) {
  for (const Index m : {1, 3, 20, 49, 130})
    for (const Index n : {1, 53, 300})
      for (const Index k : {1, 64, 300}) {
        const auto A = random_matrix<Matrix<TypeParam>>(m, k, 1);
        const auto B = random_matrix<Matrix<TypeParam>>(k, n, 2);
        const Matrix<TypeParam> At = A.transpose();
        const Matrix<TypeParam> Bt = B.transpose();
        const Matrix<double> expected = A.template cast<double>() * B.template cast<double>();
        const double tolerance = 4 * static_cast<double>(k) * std::numeric_limits<TypeParam>::epsilon();
        for (const Op a : {Op::plain, Op::transposed})
          for (const Op b : {Op::plain, Op::transposed}) {
            Matrix<TypeParam> C =
                Matrix<TypeParam>::Constant(m, n, std::numeric_limits<TypeParam>::quiet_NaN());
            gemm(a, b, m, n, k, TypeParam(1), a == Op::plain ? A.data() : At.data(), a == Op::plain ? m : k,
                 b == Op::plain ? B.data() : Bt.data(), b == Op::plain ? k : n, TypeParam(0), C.data(), m);
            EXPECT_LE((C.template cast<double>() - expected).cwiseAbs().maxCoeff(), tolerance)
                << m << " x " << n << " x " << k << (a == Op::plain ? " A" : " A'")
                << (b == Op::plain ? " B" : " B'");
          }
      }
}

TYPED_TEST(Gemm, ScalesAddsAndLeavesWhatLiesBetweenColumns) {
  constexpr Index m = 5;
  constexpr Index n = 60;
  constexpr Index k = 9;
  constexpr Index stride = 8;
  const auto A = random_matrix<Matrix<TypeParam>>(stride, k, 3);
  const auto B = random_matrix<Matrix<TypeParam>>(stride + 3, n, 4);
  const auto before = random_matrix<Matrix<TypeParam>>(stride, n, 5);
  for (const TypeParam alpha : {TypeParam(1), TypeParam(-2)})
    for (const TypeParam beta : {TypeParam(0), TypeParam(1), TypeParam(0.5)}) {
      Matrix<TypeParam> C = before;
      gemm(Op::plain, Op::plain, m, n, k, alpha, A.data(), stride, B.data(), stride + 3, beta, C.data(),
           stride);
      const Matrix<TypeParam> expected = alpha * A.topRows(m) * B.topRows(k) + beta * before.topRows(m);
      EXPECT_LE((C.topRows(m) - expected).cwiseAbs().maxCoeff(),
                100 * std::numeric_limits<TypeParam>::epsilon());
      EXPECT_EQ(C.bottomRows(stride - m), before.bottomRows(stride - m));
    }
}

TEST(GemmOfNothing, EmptyResultsAreLeftAlone) {
  double c = 5;
  gemm(Op::plain, Op::plain, 0, 3, 2, 1.0, &c, 1, &c, 2, 0.0, &c, 1);
  gemm(Op::plain, Op::plain, 3, 0, 2, 1.0, &c, 3, &c, 2, 0.0, &c, 3);
  EXPECT_EQ(c, 5);
}

TEST(GemmOfNothing, SumsOfNoTermsAreZero) {
  float c[] = {5, 5};
  const float unused = 0;
  gemm(Op::plain, Op::plain, 2, 1, 0, 1.0F, &unused, 2, &unused, 1, 0.0F, c, 2);
  EXPECT_EQ(c[0], 0);
  EXPECT_EQ(c[1], 0);
}

}  // namespace
}  // namespace svrmu
