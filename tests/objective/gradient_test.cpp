// The parts that solvers divide are the parts of the gradient: against finite differences of the cost.
#include <gtest/gtest.h>

#include "linalg/parallel.hpp"
#include "terms.hpp"

namespace svrmu {
namespace {

constexpr Kind kinds[] = {Kind::columns, Kind::rows, Kind::sparse32, Kind::sparse64};

double objective(const Example<double>& e, const RowMatrix<double>& W, const Matrix<double>& h) {
  const Cost cost = direct_cost(e.term, W, e.batch(), h, e.R);
  return cost.loss + cost.outliers;
}

// d objective / d M, entry by entry, by central differences.
template <class M, class F>
M differences(const M& at, const F& f) {
  M gradient(at.rows(), at.cols());
  M moved = at;
  for (Index j = 0; j < at.cols(); ++j)
    for (Index i = 0; i < at.rows(); ++i) {
      const double eps = 1e-6;
      moved(i, j) = at(i, j) + eps;
      const double above = f(moved);
      moved(i, j) = at(i, j) - eps;
      const double below = f(moved);
      moved(i, j) = at(i, j);
      gradient(i, j) = (above - below) / (2 * eps);
    }
  return gradient;
}

template <class Body>
void for_examples(const Body& body) {
  for (const NamedTerm& named : all_terms())
    for (const Kind kind : kinds) {
      SCOPED_TRACE(named.name + ", " + to_text(kind));
      body(Example<double>(7, 3, 8, kind, named.term));
    }
}

// R on sparse V is left out: direct_cost is what is differenced, and its R is tested elsewhere.
bool differentiable(const Example<double>& e) {
  return e.term.outliers != OutlierModel::multiplicative || !is_sparse(e.kind);
}

TEST(GradientInH, AgreesWithFiniteDifferences) {
  for_examples([](const Example<double>& e) {
    if (!differentiable(e)) return;
    const Matrix<double> expected =
        differences(e.h(), [&](const Matrix<double>& h) { return objective(e, e.W, h); });
    const Matrix<double> actual = gradient_h(e.term, Basis<double>(e.term, e.W), e.batch(), e.h(), e.R);
    EXPECT_LE((actual - expected).norm(), 1e-6 * expected.norm());
  });
}

TEST(GradientInH, LeavesOutliersWhereTheyAre) {
  for_examples([](const Example<double>& e) {
    const Outliers<double> before = e.R;
    gradient_h(e.term, Basis<double>(e.term, e.W), e.batch(), e.h(), e.R);
    EXPECT_EQ(e.R.dense, before.dense);
    EXPECT_EQ(e.R.values, before.values);
  });
}

TEST(GradientInH, OfSparseOutliersIsThatOfDenseOnes) {
  for (const NamedTerm& named : outlier_terms()) {
    Example<double> sparse(7, 3, 8, Kind::sparse64, named.term);
    const Stored<double> dense(sparse.V, Kind::columns);
    Outliers<double> R;
    if (named.term.outliers == OutlierModel::multiplicative) R.dense = sparse.R_double;
    const Basis<double> basis(sparse.term, sparse.W);
    const auto a = gradient_h(sparse.term, basis, sparse.batch(), sparse.h(), sparse.R);
    const auto b = gradient_h(sparse.term, basis, dense.listed(sparse.list), sparse.h(), R);
    expect_near<double>(a, b);
  }
}

TEST(GradientInW, DownMinusUpAgreesWithFiniteDifferences) {
  for_examples([](const Example<double>& e) {
    if (!differentiable(e)) return;
    const RowMatrix<double> expected =
        differences(e.W, [&](const RowMatrix<double>& W) { return objective(e, W, e.h()); });
    Sums<double> sums;
    sums.reset(e.term, e.W.rows(), e.W.cols());
    add_sums(e.term, e.W, e.batch(), e.h(), e.R, sums);
    Combination<double> gradient;
    gradient.add(-1, sums.up);
    sums.add_down(1, e.W, gradient);
    const RowMatrix<double> actual = gradient.evaluate(e.W.rows(), e.W.cols());
    EXPECT_LE((actual - expected).norm(), 1e-6 * expected.norm());
  });
}

TEST(MultiplicativeStep, NeverRaisesTheObjectiveInH) {
  const LoneFeed<double> lone;
  for_examples([&](Example<double> e) {
    if (!differentiable(e)) return;
    Matrix<double> h = e.h();
    const auto penalised = [&] {
      return objective(e, e.W, h) + e.term.on_h.l1 * h.sum() + e.term.on_h.l2 / 2 * h.squaredNorm();
    };
    double before = penalised();
    for (int l = 0; l < 20; ++l) {
      update_h(e.term, Basis<double>(e.term, e.W), e.batch(), h, e.R, Repeats{}, lone.feed);
      const double now = penalised();
      EXPECT_LE(now, before * (1 + 1e-12));
      before = now;
    }
  });
}

}  // namespace
}  // namespace svrmu
