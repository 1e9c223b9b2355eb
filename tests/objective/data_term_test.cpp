#include "objective/data_term.hpp"
#include "objective/cost.hpp"
#include "objective/h_step.hpp"
#include "objective/sums.hpp"

#include <gtest/gtest.h>

#include "linalg/parallel.hpp"
#include "terms.hpp"

namespace svrmu {
namespace {

// Small enough for one tile, and large enough for several of columns, entries and rows.
constexpr Sizes sizes[] = {{1, 1, 1}, {30, 5, 23}, {2100, 3, 40}, {20, 17, 300}};

template <class Scalar, class Body>
void for_examples(const std::vector<NamedTerm>& terms, const Body& body) {
  const ThreadScope threads(2);
  for (const NamedTerm& named : terms)
    for (const Sizes& s : sizes)
      for (const Kind kind : all_kinds) {
        if (kind == Kind::padded_columns || kind == Kind::padded_rows) continue;
        SCOPED_TRACE(named.name + ", " + to_text(s) + ", " + to_text(kind));
        Example<Scalar> example(s.F, s.K, s.N, kind, named.term);
        body(example);
      }
}

template <class Scalar>
class HStep : public testing::Test {
 protected:
  LoneFeed<Scalar> lone;

  void expect_formula(const std::vector<NamedTerm>& terms, int repeats, double scale) {
    for_examples<Scalar>(terms, [&](Example<Scalar>& e) {
      Matrix<double> h = e.h();
      Matrix<double> r = e.r();
      for (int l = 0; l < repeats; ++l) literal_h_step(e.term_double, e.w(), e.v(scale), h, r);
      Matrix<Scalar> actual = e.h_scalar();
      const Basis<Scalar> basis(e.term, e.W);
      const Batch<Scalar> batch = e.batch(static_cast<Scalar>(scale));
      const int made = update_h(e.term, basis, batch, actual, e.R, {HRule::fixed, repeats, 0}, lone.feed);
      EXPECT_EQ(made, repeats);
      expect_near<Scalar>(actual, h, 4);
      if (e.term.outliers == OutlierModel::multiplicative)
        expect_near<Scalar>(columns_of(load_outliers(e.R, e.V, e.kind), e.list), r, 4);
    });
  }
};
using Scalars = testing::Types<float, double>;
TYPED_TEST_SUITE(HStep, Scalars);

TYPED_TEST(HStep, IsTheFormulaForEveryBeta) { this->expect_formula(beta_terms(), 1, 1); }

TYPED_TEST(HStep, IsTheFormulaForEveryOutlierModel) { this->expect_formula(outlier_terms(), 1, 1); }

TYPED_TEST(HStep, RepeatsTheFormula) { this->expect_formula(all_terms(), 3, 1); }

TYPED_TEST(HStep, SeesVInWorkingUnits) { this->expect_formula(all_terms(), 1, 0.125); }

TYPED_TEST(HStep, OutliersOfOtherColumnsStayWhereTheyAre) {
  for_examples<TypeParam>(outlier_terms(), [&](Example<TypeParam>& e) {
    if (e.term.outliers != OutlierModel::multiplicative || e.V.cols() < 3) return;
    Matrix<TypeParam> h = e.h_scalar();
    update_h(e.term, Basis<TypeParam>(e.term, e.W), e.batch(), h, e.R, Repeats{}, this->lone.feed);
    const Matrix<double> R = load_outliers(e.R, e.V, e.kind);
    for (Index n = 0; n < e.V.cols(); ++n)
      if (std::find(e.list.begin(), e.list.end(), n) == e.list.end()) {
        EXPECT_EQ(R.col(n), e.R_double.col(n).template cast<TypeParam>().template cast<double>());
      }
  });
}

TYPED_TEST(HStep, OfNoColumnsDoesNothing) {
  const Matrix<TypeParam> V = with_zeros<TypeParam>(5, 3, 1);
  for (const Kind kind : all_kinds)
    for (const NamedTerm& named : all_terms()) {
      if (named.term.outliers == OutlierModel::multiplicative) continue;
      const Stored<TypeParam> stored(V, kind);
      const auto W = random_matrix<RowMatrix<TypeParam>>(5, 2, 2, 0.1);
      const auto term = cast<TypeParam>(named.term);
      Matrix<TypeParam> h(2, 0);
      Outliers<TypeParam> R;
      for (const HRule rule : {HRule::fixed, HRule::paper, HRule::gillis})
        update_h(term, Basis<TypeParam>(term, W), stored.range(1, 0), h, R, {rule, 3, 0.1}, this->lone.feed);
      EXPECT_EQ(h.cols(), 0);
    }
}

TYPED_TEST(HStep, ThePaperRuleComparesWithTheWholeWay) {
  for_examples<TypeParam>(all_terms(), [&](Example<TypeParam>& e) {
    if (e.V.cols() != 23) return;
    const double tolerance = 0.2;
    const Matrix<double> start = e.h();
    Matrix<double> h = start;
    Matrix<double> r = e.r();
    int expected = 0;
    for (int l = 1; l <= 30 && expected == 0; ++l) {
      const Matrix<double> before = h;
      literal_h_step(e.term_double, e.w(), e.v(), h, r);
      if ((h - before).norm() <= tolerance * (h - start).norm()) expected = l;
    }
    ASSERT_GT(expected, 1);
    Matrix<TypeParam> actual = e.h_scalar();
    EXPECT_EQ(update_h(e.term, Basis<TypeParam>(e.term, e.W), e.batch(), actual, e.R,
                       {HRule::paper, 30, tolerance}, this->lone.feed),
              expected);
    expect_near<TypeParam>(actual, h, 10);
  });
}

TYPED_TEST(HStep, TheGillisRuleComparesWithTheFirstStep) {
  for_examples<TypeParam>(all_terms(), [&](Example<TypeParam>& e) {
    if (e.V.cols() != 23) return;
    const double tolerance = 0.3;
    Matrix<double> h = e.h();
    Matrix<double> r = e.r();
    double first = 0;
    int expected = 0;
    for (int l = 1; l <= 40 && expected == 0; ++l) {
      const Matrix<double> before = h;
      literal_h_step(e.term_double, e.w(), e.v(), h, r);
      const double change = (h - before).norm();
      if (l == 1) first = change;
      if (l > 1 && change < tolerance * first) expected = l;
    }
    ASSERT_GT(expected, 1);
    Matrix<TypeParam> actual = e.h_scalar();
    EXPECT_EQ(update_h(e.term, Basis<TypeParam>(e.term, e.W), e.batch(), actual, e.R,
                       {HRule::gillis, 40, tolerance}, this->lone.feed),
              expected);
    expect_near<TypeParam>(actual, h, 10);
  });
}

TYPED_TEST(HStep, TheRulesNeverMakeMoreStepsThanAllowed) {
  Example<TypeParam> e(30, 5, 23, Kind::columns, beta_terms()[0].term);
  for (const HRule rule : {HRule::paper, HRule::gillis}) {
    Matrix<TypeParam> h = e.h_scalar();
    EXPECT_EQ(
        update_h(e.term, Basis<TypeParam>(e.term, e.W), e.batch(), h, e.R, {rule, 4, 0}, this->lone.feed), 4);
  }
}

TYPED_TEST(HStep, AnHAtRestEndsTheRules) {
  // V = WH exactly: the first step does not move h beyond rounding.
  const auto W = random_matrix<RowMatrix<double>>(6, 1, 2, 0.5);
  const auto H = Matrix<double>::Constant(1, 4, 0.5);
  const RowMatrix<TypeParam> W_scalar = RowMatrix<TypeParam>::Constant(6, 1, 2);
  const Matrix<TypeParam> V = Matrix<TypeParam>::Constant(6, 4, 1);
  const Stored<TypeParam> stored(V, Kind::columns);
  DataTerm<TypeParam> term;
  Outliers<TypeParam> R;
  for (const HRule rule : {HRule::paper, HRule::gillis}) {
    Matrix<TypeParam> h = H.template cast<TypeParam>();
    EXPECT_EQ(update_h(term, Basis<TypeParam>(term, W_scalar), stored.all(), h, R, {rule, 50, 0.1},
                       this->lone.feed),
              1);
  }
}

template <class Scalar>
class WSums : public testing::Test {
 protected:
  static RowMatrix<Scalar> down(const Sums<Scalar>& sums, const RowMatrix<Scalar>& W, double scale = 1) {
    Combination<Scalar> combination;
    sums.add_down(scale, W, combination);
    return combination.evaluate(W.rows(), W.cols());
  }
  static Sums<Scalar> sums_of(Example<Scalar>& e, const Batch<Scalar>& batch, const Matrix<Scalar>& h) {
    Sums<Scalar> sums;
    sums.reset(e.term, e.W.rows(), e.W.cols());
    add_sums(e.term, e.W, batch, h, e.R, sums);
    return sums;
  }
};
TYPED_TEST_SUITE(WSums, Scalars);

TYPED_TEST(WSums, AreTheTwoPartsOfTheGradient) {
  for_examples<TypeParam>(all_terms(), [&](Example<TypeParam>& e) {
    const Sums<TypeParam> sums = this->sums_of(e, e.batch(), e.h_scalar());
    const Parts expected = literal_w_parts(e.term_double, e.w(), e.v(), e.h(), e.r());
    expect_near<TypeParam>(sums.up, expected.up);
    expect_near<TypeParam>(this->down(sums, e.W), expected.down);
  });
}

TYPED_TEST(WSums, SeeVInWorkingUnits) {
  for_examples<TypeParam>(all_terms(), [&](Example<TypeParam>& e) {
    const Sums<TypeParam> sums = this->sums_of(e, e.batch(TypeParam(0.25)), e.h_scalar());
    const Parts expected = literal_w_parts(e.term_double, e.w(), e.v(0.25), e.h(), e.r());
    expect_near<TypeParam>(sums.up, expected.up);
    expect_near<TypeParam>(this->down(sums, e.W), expected.down);
  });
}

TYPED_TEST(WSums, AddToWhatIsThere) {
  for_examples<TypeParam>(all_terms(), [&](Example<TypeParam>& e) {
    Sums<TypeParam> twice = this->sums_of(e, e.batch(), e.h_scalar());
    const Sums<TypeParam> once = twice;
    add_sums(e.term, e.W, e.batch(), e.h_scalar(), e.R, twice);
    expect_near<TypeParam>(twice.up, 2 * once.up);
    expect_near<TypeParam>(this->down(twice, e.W), this->down(once, e.W, 2));
  });
}

TYPED_TEST(WSums, WeightsRepeatColumns) {
  for_examples<TypeParam>(all_terms(), [&](Example<TypeParam>& e) {
    if (e.list.size() < 3) return;
    const std::vector<Index> few(e.list.begin(), e.list.begin() + 3);
    const std::vector<Index> repeated{few[0], few[1], few[1], few[2], few[2], few[2]};
    const std::vector<TypeParam> weights{1, 2, 3};
    Batch<TypeParam> weighted = e.stored->listed(few);
    weighted.weights = weights;
    const Batch<TypeParam> listed = e.stored->listed(repeated);
    const Matrix<double> H = e.H.template cast<double>();
    const auto a = this->sums_of(e, weighted, columns_of(H, few).template cast<TypeParam>());
    const auto b = this->sums_of(e, listed, columns_of(H, repeated).template cast<TypeParam>());
    expect_near<TypeParam>(a.up, b.up);
    expect_near<TypeParam>(this->down(a, e.W), this->down(b, e.W));
  });
}

TYPED_TEST(WSums, APairIsTwoSums) {
  for_examples<TypeParam>(all_terms(), [&](Example<TypeParam>& e) {
    const auto Ws = random_matrix<RowMatrix<TypeParam>>(e.W.rows(), e.W.cols(), 31, 0.1);
    const auto hs = random_matrix<Matrix<TypeParam>>(e.H.rows(), static_cast<Index>(e.list.size()), 32, 0.1);
    Outliers<TypeParam> Rs = e.R;
    Rs.dense *= TypeParam(0.5);
    for (TypeParam& r : Rs.values) r *= TypeParam(0.5);
    std::vector<TypeParam> weights;
    for (std::size_t j = 0; j < e.list.size(); ++j) weights.push_back(TypeParam(1 + j % 3));
    for (const bool weighted : {false, true}) {
      Batch<TypeParam> batch = e.batch();
      if (weighted) batch.weights = weights;
      Sums<TypeParam> a, b, a_alone, b_alone;
      for (Sums<TypeParam>* sums : {&a, &b, &a_alone, &b_alone}) sums->reset(e.term, e.W.rows(), e.W.cols());
      add_sums_pair(e.term, batch, e.W, e.h_scalar(), e.R, a, Ws, hs, Rs, b);
      add_sums(e.term, e.W, batch, e.h_scalar(), e.R, a_alone);
      add_sums(e.term, Ws, batch, hs, Rs, b_alone);
      expect_near<TypeParam>(a.up, a_alone.up);
      expect_near<TypeParam>(b.up, b_alone.up);
      expect_near<TypeParam>(this->down(a, e.W), this->down(a_alone, e.W));
      expect_near<TypeParam>(this->down(b, Ws), this->down(b_alone, Ws));
    }
  });
}

TYPED_TEST(WSums, OfNoColumnsAreZero) {
  for (const NamedTerm& named : all_terms()) {
    Example<TypeParam> e(7, 2, 5, Kind::sparse32, named.term);
    const Sums<TypeParam> sums = this->sums_of(e, e.stored->range(2, 0), Matrix<TypeParam>(2, 0));
    EXPECT_TRUE(sums.up.isZero(0));
    EXPECT_TRUE(this->down(sums, e.W).isZero(0));
  }
}

TYPED_TEST(WSums, BlendIsALinearCombination) {
  for (const NamedTerm& named : all_terms()) {
    Example<TypeParam> e(7, 2, 5, Kind::columns, named.term);
    Sums<TypeParam> a = this->sums_of(e, e.stored->range(0, 2), e.H.leftCols(2));
    const Sums<TypeParam> b = this->sums_of(e, e.stored->range(2, 3), e.H.rightCols(3));
    const RowMatrix<TypeParam> up = TypeParam(0.5) * a.up - TypeParam(2) * b.up;
    const RowMatrix<TypeParam> below = this->down(a, e.W, 0.5) + this->down(b, e.W, -2);
    a.blend(0.5, b, -2);
    expect_near<TypeParam>(a.up, up);
    expect_near<TypeParam>(this->down(a, e.W), below);
  }
}

TYPED_TEST(WSums, AllSumsAreThoseOfAllColumns) {
  for (const NamedTerm& named : all_terms()) {
    SCOPED_TRACE(named.name);
    Example<TypeParam> e(9, 3, 3000, Kind::columns, named.term);  // several blocks
    const auto source = view(e.V);
    const Team alone{};
    ColumnFeed<TypeParam> feed(*source, alone, 0, TypeParam(1), {});
    const Factors<TypeParam> f{e.W, e.H, e.R};
    Sums<TypeParam> sums;
    all_sums(e.term, feed, Counted::gradient, f, sums);
    const Parts expected = literal_w_parts(e.term_double, e.w(), e.V.template cast<double>(),
                                           e.H.template cast<double>(), e.R_double);
    expect_near<TypeParam>(sums.up, expected.up);
    expect_near<TypeParam>(this->down(sums, e.W), expected.down);
    EXPECT_EQ(feed.gradient_count(), 27000);
  }
}

TYPED_TEST(WSums, HaveTheSameBitsForAnyNumberOfThreads) {
  for (const NamedTerm& named : all_terms())
    for (const Kind kind : {Kind::columns, Kind::sparse64}) {
      SCOPED_TRACE(named.name + ", " + to_text(kind));
      Example<TypeParam> e(300, 5, 400, kind, named.term);
      const auto step = [&](int count) {
        const ThreadScope scope(count);
        Outliers<TypeParam> R = e.R;
        Matrix<TypeParam> h = e.h_scalar();
        update_h(e.term, Basis<TypeParam>(e.term, e.W), e.batch(), h, R, {HRule::paper, 5, 0.01},
                 LoneFeed<TypeParam>().feed);
        Sums<TypeParam> sums;
        sums.reset(e.term, 300, 5);
        add_sums(e.term, e.W, e.batch(), h, R, sums);
        const Cost cost = direct_cost(e.term, e.W, e.batch(), h, R);
        return std::tuple(h, sums.up, sums.HHt, sums.rest, R.dense, R.values, cost.loss, cost.squared);
      };
      EXPECT_EQ(step(1), step(3));
    }
}

template <class Scalar>
class Costs : public testing::Test {
 protected:
  static void expect_close(const Cost& a, const Cost& b, double size) {
    const double tolerance = rounding<Scalar> * size;
    EXPECT_NEAR(a.loss, b.loss, tolerance);
    EXPECT_NEAR(a.outliers, b.outliers, tolerance);
    EXPECT_NEAR(a.squared, b.squared, tolerance);
  }
  // Loss, lambda sum(R) and ||V - WH - R||^2, entry by entry.
  static Cost literal(const DataTerm<double>& t, const Matrix<double>& W, const Matrix<double>& V,
                      const Matrix<double>& h, const Matrix<double>& R) {
    const Matrix<double> x = W * h;
    Cost cost;
    for (Index j = 0; j < V.cols(); ++j)
      for (Index f = 0; f < V.rows(); ++f) {
        double r = R(f, j);
        if (t.outliers == OutlierModel::closed_form) r = std::max(V(f, j) - x(f, j) - t.lambda, 0.0);
        cost.loss += literal_divergence(t.beta, V(f, j) - r, x(f, j));
        cost.outliers += t.lambda * r;
        cost.squared += std::pow(V(f, j) - x(f, j) - r, 2);
      }
    return cost;
  }
};
TYPED_TEST_SUITE(Costs, Scalars);

TYPED_TEST(Costs, AreTheFormulaEntryByEntry) {
  for_examples<TypeParam>(all_terms(), [&](Example<TypeParam>& e) {
    const Cost expected = this->literal(e.term_double, e.w(), e.v(), e.h(), e.r());
    const Cost actual = direct_cost(e.term, e.W, e.batch(), e.h_scalar(), e.R);
    this->expect_close(actual, expected, expected.loss + expected.squared);
  });
}

TYPED_TEST(Costs, SeeVInWorkingUnits) {
  for_examples<TypeParam>(beta_terms(), [&](Example<TypeParam>& e) {
    const Cost expected = this->literal(e.term_double, e.w(), e.v(4), e.h(), e.r());
    const Cost actual = direct_cost(e.term, e.W, e.batch(TypeParam(4)), e.h_scalar(), e.R);
    this->expect_close(actual, expected, expected.loss + expected.squared);
  });
}

TYPED_TEST(Costs, FromThePatternAreTheDirectOnes) {
  for_examples<TypeParam>(all_terms(), [&](Example<TypeParam>& e) {
    if (!is_sparse(e.kind) || (e.term.beta != 2 && e.term.beta != 1)) return;
    const Matrix<TypeParam> gram = WtW(e.W);
    const Matrix<TypeParam> column_sums = item_sum(e.W.data(), e.W.rows(), e.W.cols());
    const Batch<TypeParam> batch = e.batch(TypeParam(0.5));
    const Cost direct = direct_cost(e.term, e.W, batch, e.h_scalar(), e.R);
    const Cost pattern = pattern_cost(e.term, e.W, gram, column_sums, batch, e.h_scalar(), e.R);
    this->expect_close(pattern, direct, (e.w() * e.h()).squaredNorm() + (e.w() * e.h()).sum());
  });
}

TYPED_TEST(Costs, OfAnExactFactorizationAreZero) {
  // Products of small integers are exact.
  RowMatrix<TypeParam> W(3, 2);
  W << 1, 2, 3, 4, 5, 6;
  Matrix<TypeParam> H(2, 4);
  H << 1, 2, 3, 4, 5, 6, 7, 8;
  const Matrix<TypeParam> V = W * H;
  const Stored<TypeParam> stored(V, Kind::rows);
  for (const NamedTerm& named : beta_terms()) {
    const Cost cost = direct_cost(cast<TypeParam>(named.term), W, stored.all(), H, {});
    EXPECT_NEAR(cost.loss, 0, 1e-10) << named.name;
    EXPECT_EQ(cost.squared, 0);
  }
}

TYPED_TEST(Costs, OfNoColumnsAreZero) {
  const Matrix<TypeParam> V = with_zeros<TypeParam>(5, 3, 1);
  const Stored<TypeParam> stored(V, Kind::columns);
  const auto W = random_matrix<RowMatrix<TypeParam>>(5, 2, 2);
  EXPECT_EQ(direct_cost(DataTerm<TypeParam>{}, W, stored.range(1, 0), Matrix<TypeParam>(2, 0), {}).loss, 0);
}

TYPED_TEST(Costs, KlOfZerosIsWhatTheModelPutsThere) {
  const Matrix<TypeParam> V = Matrix<TypeParam>::Zero(2, 1);
  const RowMatrix<TypeParam> W = RowMatrix<TypeParam>::Constant(2, 1, 3);
  const Matrix<TypeParam> h = Matrix<TypeParam>::Constant(1, 1, 2);
  const Stored<TypeParam> stored(V, Kind::columns);
  DataTerm<TypeParam> term;
  term.beta = 1;
  EXPECT_EQ(direct_cost(term, W, stored.all(), h, {}).loss, 12);
}

}  // namespace
}  // namespace svrmu
