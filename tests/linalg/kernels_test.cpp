#include "linalg/kernels.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "data/random.hpp"
#include "kernel_tables.hpp"

namespace svrmu {
namespace {

using Scalars = testing::Types<float, double>;
TYPED_TEST_SUITE(KernelTables, Scalars);

TYPED_TEST(KernelTables, DotIsTheSumOfProducts) {
  for (const auto& table : tables<TypeParam>())
    for (const Index n : this->lengths) {
      const auto a = this->column(n, 1);
      const auto b = this->column(n, 2);
      const double expected = a.template cast<double>().dot(b.template cast<double>());
      EXPECT_NEAR(static_cast<double>(table.dot(a.data(), b.data(), n)), expected,
                  rounding<TypeParam> * expected);
    }
}

TYPED_TEST(KernelTables, InnerProductIsSummedInDouble) {
  for (const auto& table : tables<TypeParam>())
    for (const Index n : this->lengths) {
      const auto a = this->column(n, 1);
      const auto b = this->column(n, 2);
      const double expected = a.template cast<double>().dot(b.template cast<double>());
      EXPECT_NEAR(table.inner_product(a.data(), b.data(), n), expected, 1e-14 * expected);
    }
}

TYPED_TEST(KernelTables, UniformHasTheBitsOfRandom) {
  const Random random(41, Purpose::start_h);
  const std::uint64_t items[] = {0, 5, (std::uint64_t{1} << 32) - 1, (std::uint64_t{3} << 32) + 17};
  for (const auto& table : tables<TypeParam>())
    for (const Index n : this->lengths)
      for (const std::uint64_t item : items) {
        std::vector<TypeParam> expected(static_cast<std::size_t>(n) + 1, TypeParam(-1));
        for (Index k = 0; k < n; ++k)
          expected[static_cast<std::size_t>(k)] =
              static_cast<TypeParam>(0.3 * random.uniform(static_cast<Index>(item), k));
        std::vector<TypeParam> out(expected.size(), TypeParam(-1));
        table.uniform(random.key(), item, n, 0.3, out.data());
        EXPECT_EQ(out, expected);
      }
}

TYPED_TEST(KernelTables, AddScaledAdds) {
  for (const auto& table : tables<TypeParam>())
    for (const Index n : this->lengths) {
      auto y = this->column(n, 1);
      const auto x = this->column(n, 2);
      const Eigen::VectorXd expected = y.template cast<double>() + 0.75 * x.template cast<double>();
      table.add_scaled(y.data(), TypeParam(0.75), x.data(), n);
      expect_near<TypeParam>(y, expected);
    }
}

TYPED_TEST(KernelTables, ScaleAboveFloorMakesZerosOfTheFloor) {
  for (const auto& table : tables<TypeParam>())
    for (const Index n : this->lengths) {
      auto x = this->column(n, 1);
      for (Index i = 0; i < n; i += 3) x(i) = floor_value<TypeParam>;
      auto expected = x;
      for (Index i = 0; i < n; ++i) expected(i) = i % 3 == 0 ? TypeParam(0) : TypeParam(0.75) * x(i);
      auto out = x;
      table.scale_above_floor(TypeParam(0.75), x.data(), n, out.data());
      EXPECT_EQ(out, expected);
    }
}

TYPED_TEST(KernelTables, AddGramSumsOuterProducts) {
  for (const auto& table : tables<TypeParam>())
    for (const Index K : {1, 3, 8, 17, 30, 50})
      for (const Index count : {0, 1, 63, 64, 150}) {
        const auto x = random_matrix<RowMatrix<TypeParam>>(count, K, 7);
        const Index Kp = gram_stride(table.width, K);
        RowMatrix<double> sum = RowMatrix<double>::Constant(Kp, Kp, 2);
        std::vector<TypeParam> panel(static_cast<std::size_t>(gram_panel * Kp));
        table.add_gram(x.data(), count, K, panel.data(), sum.data());
        const Matrix<double> wide = x.template cast<double>();
        const Matrix<double> expected = (wide.transpose() * wide).array() + 2;
        for (Index k = 0; k < K; ++k)
          for (Index l = k; l < K; ++l)
            EXPECT_NEAR(sum(k, l), expected(k, l), rounding<TypeParam> * expected(k, l));
      }
}

TYPED_TEST(KernelTables, RatioIsTheDampedMultiplicativeStep) {
  for (const auto& table : tables<TypeParam>())
    for (const Index n : this->lengths)
      for (const double step : {1.0, 0.3})
        for (const double exponent : {1.0, 0.5}) {
          const auto start = this->column(n, 1);
          const auto up = this->column(n, 2);
          const auto down = this->column(n, 3);
          const Shrink<TypeParam> shrink{TypeParam(0.25), TypeParam(0.5)};
          Eigen::VectorXd expected(n);
          for (Index i = 0; i < n; ++i) {
            const double x = start(i);
            const double ratio = double(up(i)) / (double(down(i)) + 0.25 + 0.5 * x);
            expected(i) = (1 - step) * x + step * x * std::pow(ratio, exponent);
          }
          auto x = start;
          table.ratio(x.data(), up.data(), down.data(), n, shrink, TypeParam(step), TypeParam(exponent));
          expect_near<TypeParam>(x, expected);
        }
}

TYPED_TEST(KernelTables, RatioNeverFallsBelowTheFloor) {
  for (const auto& table : tables<TypeParam>()) {
    std::vector<TypeParam> x(20, TypeParam(1));
    const std::vector<TypeParam> up(20, TypeParam(0));
    const std::vector<TypeParam> down(20, TypeParam(3));
    table.ratio(x.data(), up.data(), down.data(), 20, {}, TypeParam(1), TypeParam(1));
    EXPECT_EQ(x, std::vector<TypeParam>(20, floor_value<TypeParam>));
  }
}

TYPED_TEST(KernelTables, ZeroOverZeroStaysFinite) {
  for (const auto& table : tables<TypeParam>())
    for (const double exponent : {1.0, 0.5, 2.0}) {
      std::vector<TypeParam> x(20, TypeParam(1));
      const std::vector<TypeParam> zero(20, TypeParam(0));
      table.ratio(x.data(), zero.data(), zero.data(), 20, {}, TypeParam(1), TypeParam(exponent));
      for (const TypeParam value : x) EXPECT_TRUE(std::isfinite(value) && value >= floor_value<TypeParam>);
    }
}

TYPED_TEST(KernelTables, RatioChangeMovesAlikeAndMeasuresTheMove) {
  for (const auto& table : tables<TypeParam>())
    for (const Index n : this->lengths)
      for (const double exponent : {1.0, 0.5}) {
        const auto start = this->column(n, 1);
        const auto up = this->column(n, 2);
        const auto down = this->column(n, 3);
        auto a = start;
        auto b = start;
        table.ratio(a.data(), up.data(), down.data(), n, {}, TypeParam(1), TypeParam(exponent));
        const double change =
            table.ratio_change(b.data(), up.data(), down.data(), n, {}, TypeParam(exponent));
        expect_near<TypeParam>(b, a);
        const double expected = (b - start).template cast<double>().squaredNorm();
        EXPECT_NEAR(change, expected, 1e-5 * expected);
      }
}

// A problem of HALS, its solution by `sweeps` sweeps in double, and the last sweep's squared change.
template <class Scalar>
struct HalsExample {
  HalsExample(Index K, Index count, int sweeps) {
    const auto W = random_matrix<Matrix<Scalar>>(40, K, 1, 0.1);
    G = W.transpose() * W;
    A = random_matrix<Matrix<Scalar>>(K, count, 2, 0.5);
    start = random_matrix<Matrix<Scalar>>(K, count, 3);
    expected = start.template cast<double>();
    for (int s = 0; s < sweeps; ++s) {
      const Matrix<double> before = expected;
      for (Index i = 0; i < count; ++i)
        for (Index k = 0; k < K; ++k) {
          double rest = double(A(k, i)) - 0.125;
          for (Index l = 0; l < K; ++l)
            if (l != k) rest -= double(G(k, l)) * expected(l, i);
          expected(k, i) = std::max(rest / (double(G(k, k)) + 0.25), 0x1p-52);
        }
      change = (expected - before).squaredNorm();
    }
  }
  Matrix<Scalar> G, A, start;
  Matrix<double> expected;
  double change = 0;
  Shrink<Scalar> shrink{Scalar(0.125), Scalar(0.25)};
};

TYPED_TEST(KernelTables, PartsOfTheDivergencesAreTheirFormulasAlsoInPlace) {
  for (const auto& kernels : tables<TypeParam>())
    for (const Index n : this->lengths) {
      const auto v = this->column(n, 1, 0.0);
      auto x = this->column(n, 2);
      if (n > 0) x(n - 1) = 0;  // counts as the least product
      auto minus = v;
      auto plus = x;
      kernels.kl_parts(minus.data(), plus.data(), n, minus.data(), plus.data());
      for (Index i = 0; i < n; ++i) {
        const double at = std::max<double>(x(i), least_product<TypeParam>);
        EXPECT_NEAR(minus(i) * at / std::max<double>(v(i), 1e-30), 1, 1e-6) << n << ", " << i;
        EXPECT_EQ(plus(i), x(i));
      }
      minus = v;
      kernels.is_parts(minus.data(), plus.data(), n, minus.data(), plus.data());
      for (Index i = 0; i < n; ++i) {
        const double at = std::max<double>(x(i), least_product<TypeParam>);
        EXPECT_NEAR(minus(i) * at * at / std::max<double>(v(i), 1e-30), 1, 1e-6) << n << ", " << i;
        EXPECT_NEAR(plus(i) * at, 1, 1e-6);
      }
    }
}

TYPED_TEST(KernelTables, LossesAreTheSumsOfTheirEntries) {
  for (const auto& kernels : tables<TypeParam>())
    for (const Index n : this->lengths) {
      auto v = this->column(n, 3, 0.0);
      auto x = this->column(n, 4);
      for (Index i = 0; i < n; ++i) {  // over the whole range that factors have
        v(i) *= static_cast<TypeParam>(std::pow(10.0, static_cast<double>(i % 17) - 8));
        x(i) *= static_cast<TypeParam>(std::pow(10.0, static_cast<double>(i % 11) - 5));
      }
      double kl = 0;
      double is = 0;
      double squared = 0;
      for (Index i = 0; i < n; ++i) {
        const double a = v(i);
        const double b = std::max<double>(x(i), 0x1p-52);
        kl += a * std::log(a / b) - a + b;
        is += a / b - std::log(a / b) - 1;
        squared += (a - x(i)) * (a - x(i));
      }
      const Losses found = kernels.kl_loss(v.data(), x.data(), n);
      EXPECT_NEAR(found.loss, kl, 1e-13 * std::abs(kl)) << n;
      EXPECT_NEAR(found.squared, squared, 1e-13 * squared) << n;
      EXPECT_NEAR(kernels.is_loss(v.data(), x.data(), n).loss, is, 1e-13 * std::abs(is)) << n;
    }
}

TYPED_TEST(KernelTables, LossesAreExactWhereNothingIsToBeRounded) {
  for (const auto& kernels : tables<TypeParam>()) {
    const TypeParam v[5] = {0, 0, 2, TypeParam(1e-30), 3};
    const TypeParam x[5] = {0.5, 0, 2, TypeParam(1e-30), 3};
    // An entry without a value adds x, or the product of two floors; equal numbers add nothing.
    EXPECT_EQ(kernels.kl_loss(v + 1, x + 1, 1).loss, 0x1p-104);
    EXPECT_NEAR(kernels.kl_loss(v, x, 5).loss, 0.5, 1e-16);
    EXPECT_NEAR(kernels.is_loss(v + 3, x + 3, 1).loss, 0, 1e-15);
    EXPECT_EQ(kernels.kl_loss(v + 2, x + 2, 1).loss, 0);
    EXPECT_EQ(kernels.is_loss(v + 2, x + 2, 1).loss, 0);
  }
}

TYPED_TEST(KernelTables, LossesOfNoNumberAreNoNumber) {
  for (const auto& kernels : tables<TypeParam>()) {
    const TypeParam v[4] = {1, 1, 0, 1};
    const TypeParam x[4] = {1, 1, std::numeric_limits<TypeParam>::quiet_NaN(), 1};
    EXPECT_TRUE(std::isnan(kernels.kl_loss(v, x, 4).loss));
    EXPECT_TRUE(std::isnan(kernels.is_loss(v, x, 4).loss));
  }
}

TYPED_TEST(KernelTables, HalsSweepIsCoordinateDescent) {
  for (const auto& table : tables<TypeParam>())
    for (const Index K : {1, 2, 5, 16, 17, 33}) {
      const HalsExample<TypeParam> e(K, 4, 1);
      Matrix<TypeParam> x = e.start;
      const double change = table.hals_sweep(x.data(), e.A.data(), 4, e.G.data(), K, e.shrink);
      expect_near<TypeParam>(x, e.expected, 20);
      EXPECT_NEAR(change, e.change, 1e-4 * e.change);
    }
}

// Counts around the number of lanes, so that whole blocks, a part of one, and both are seen.
TYPED_TEST(KernelTables, HalsSweepsInLanesAreCoordinateDescent) {
  for (const auto& table : tables<TypeParam>())
    for (const Index K : {1, 2, 3, 4, 5, 8, 16, 17, 33})
      for (const Index count : {Index{1}, Index{7}, Index{table.lanes}, Index{table.lanes + 5}, Index{100}})
        for (const int sweeps : {1, 3}) {
          const HalsExample<TypeParam> e(K, count, sweeps);
          Matrix<TypeParam> x = e.start;
          std::vector<TypeParam> work(static_cast<std::size_t>(hals_work(table.lanes, K)));
          const double change =
              table.hals_sweeps(x.data(), e.A.data(), count, e.G.data(), K, e.shrink, sweeps, work.data());
          expect_near<TypeParam>(x, e.expected, 60);
          EXPECT_NEAR(change, e.change, 1e-3 * e.change + 1e-9);
        }
}

// As scikit-learn's coordinate descent adds it up: |gradient| of each coordinate when its turn comes, and
// where the coordinate is zero only of a gradient that leads away from there.
TYPED_TEST(KernelTables, HalsViolationIsThatOfCoordinateDescent) {
  for (const auto& table : tables<TypeParam>())
    for (const Index K : {1, 2, 3, 5, 8, 17})
      for (const Index count : {Index{1}, Index{7}, Index{table.lanes + 5}}) {
        const HalsExample<TypeParam> e(K, count, 1);
        Matrix<TypeParam> start = e.start;
        for (Index i = 0; i < start.size(); i += 3) start.data()[i] = i % 2 == 0 ? 0 : floor_value<TypeParam>;
        Matrix<double> x = start.template cast<double>();
        double expected = 0;
        for (Index c = 0; c < count; ++c)
          for (Index k = 0; k < K; ++k) {
            double gradient = static_cast<double>(e.shrink.l1) + static_cast<double>(e.shrink.l2) * x(k, c) -
                              static_cast<double>(e.A(k, c));
            for (Index l = 0; l < K; ++l) gradient += static_cast<double>(e.G(k, l)) * x(l, c);
            expected +=
                x(k, c) > double{floor_value<TypeParam>} ? std::abs(gradient) : std::max(-gradient, 0.0);
            const double pivot = static_cast<double>(e.G(k, k) + e.shrink.l2);
            x(k, c) = std::max(x(k, c) - gradient / pivot, double{floor_value<TypeParam>});
          }
        Matrix<TypeParam> found = start;
        std::vector<TypeParam> work(static_cast<std::size_t>(hals_work(table.lanes, K)));
        const double violation =
            table.hals_violation(found.data(), e.A.data(), count, e.G.data(), K, e.shrink, work.data());
        EXPECT_NEAR(violation, expected, 1e-4 * expected + 1e-9);
        Matrix<TypeParam> swept = start;
        table.hals_sweeps(swept.data(), e.A.data(), count, e.G.data(), K, e.shrink, 1, work.data());
        EXPECT_EQ(found, swept) << "the sweep is the same";
      }
}

TYPED_TEST(KernelTables, HalsSweepsLeaveComponentsWithoutWeight) {
  for (const auto& table : tables<TypeParam>()) {
    const TypeParam G[] = {0, 0, 0, 2};
    const TypeParam A[] = {0, 4};
    TypeParam x[] = {3, 1};
    table.hals_sweep(x, A, 1, G, 2, {});
    EXPECT_EQ(x[0], TypeParam(3));
    EXPECT_EQ(x[1], TypeParam(2));
    TypeParam y[] = {3, 1};
    std::vector<TypeParam> work(static_cast<std::size_t>(hals_work(table.lanes, 2)));
    table.hals_sweeps(y, A, 1, G, 2, {}, 1, work.data());
    EXPECT_EQ(y[0], TypeParam(3));
    EXPECT_EQ(y[1], TypeParam(2));
  }
}

TYPED_TEST(KernelTables, AddProductWalksAlongEitherStride) {
  constexpr Index items = 45;  // whole blocks of every size, and a rest
  constexpr Index terms = 21;
  for (const auto& table : tables<TypeParam>())
    for (const Index K : {1, 2, 3, 5, 8, 11, 16, 20, 33, 50, 64, 81, 112}) {
      const auto X = random_matrix<RowMatrix<TypeParam>>(terms, K, 3);
      const auto T = random_matrix<Matrix<TypeParam>>(items, terms, 4);
      const auto start = random_matrix<RowMatrix<TypeParam>>(items, K, 5);
      const RowMatrix<double> expected =
          start.template cast<double>() + T.template cast<double>() * X.template cast<double>();
      RowMatrix<TypeParam> out = start;
      table.add_product({items, terms, K, X.data(), K, T.data(), items, 1, out.data(), K});
      expect_near<TypeParam>(out, expected);
      const Matrix<TypeParam> flipped = T.transpose();
      out = start;
      table.add_product({items, terms, K, X.data(), K, flipped.data(), 1, terms, out.data(), K});
      expect_near<TypeParam>(out, expected);
    }
}

TYPED_TEST(KernelTables, SummariesCountEveryValueOnce) {
  for (const auto& table : tables<TypeParam>())
    for (const Index n : {0, 1, 7, 8, 16, 17, 45, 200}) {
      auto x = random_matrix<Matrix<TypeParam>>(n, 1, 6);
      for (Index i = 0; i < n; i += 3) x(i) = 0;
      if (n > 20) x(20) = TypeParam(-5);
      const Summary all = table.summarize(x.data(), n);
      const Eigen::ArrayXd values = x.template cast<double>().array();
      EXPECT_NEAR(all.sum, values.sum(), 1e-12 * (1 + values.abs().sum()));
      EXPECT_NEAR(all.squared, values.square().sum(), 1e-12 * (1 + values.square().sum()));
      EXPECT_EQ(all.nonzeros, static_cast<double>((values != 0).count()));
      EXPECT_EQ(all.least, n > 0 ? values.minCoeff() : Summary{}.least);
      EXPECT_EQ(all.max, n > 0 ? values.maxCoeff() : Summary{}.max);
    }
}

TYPED_TEST(KernelTables, NotANumberIsInTheSumAlone) {
  for (const auto& table : tables<TypeParam>())
    for (const Index at : {3, 40}) {
      Matrix<TypeParam> x = Matrix<TypeParam>::Constant(41, 1, TypeParam(2));
      x(at) = std::numeric_limits<TypeParam>::quiet_NaN();
      const Summary all = table.summarize(x.data(), x.size());
      EXPECT_TRUE(std::isnan(all.sum));
      EXPECT_EQ(all.least, 2);
      EXPECT_EQ(all.max, 2);
    }
}

TYPED_TEST(KernelTables, RoundingScalesFirst) {
  for (const auto& table : tables<TypeParam>()) {
    const auto x = random_matrix<Matrix<TypeParam>>(37, 1, 7);
    std::vector<float> out(37);
    table.round(x.data(), TypeParam(3), 37, out.data());
    for (Index i = 0; i < 37; ++i)
      EXPECT_EQ(out[static_cast<std::size_t>(i)], static_cast<float>(TypeParam(3) * x(i)));
  }
}

}  // namespace
}  // namespace svrmu
