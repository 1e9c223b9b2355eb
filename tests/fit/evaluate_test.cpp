#include "fit/evaluate.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "linalg/parallel.hpp"
#include "small_fits.hpp"

namespace svrmu {
namespace {

// V with an evaluator, dense or sparse.
struct Bench {
  Bench(const Matrix<double>& values, bool is_sparse, DataTerm<double> data_term, Scaling units = {})
      : V(values),
        sparse(values.sparseView()),
        source(is_sparse ? view(sparse) : view(V)),
        term(data_term),
        found(scan(*source, alone)),
        evaluator(*source, alone, term, Loss{term.beta}, found, units) {}

  const Matrix<double> V;
  const SparseMatrix<double> sparse;
  const std::unique_ptr<MatrixSource<double>> source;
  const Team alone{};
  DataTerm<double> term;
  Scan found;
  Evaluator<double> evaluator;
};

Factors<double> factors(const Matrix<double>& W, const Matrix<double>& H) {
  Factors<double> f;
  f.W = W;
  f.H = H;
  return f;
}

Factors<double> random_factors(Index F, Index K, Index N) {
  return factors(random_matrix<Matrix<double>>(F, K, 8, 0.1), random_matrix<Matrix<double>>(K, N, 9, 0.1));
}

double half_square(const Matrix<double>& V, const Factors<double>& f) {
  return (V - f.W * f.H).squaredNorm() / 2;
}

TEST(Evaluate, TheTraceFormIsTheDirectResidual) {
  const Matrix<double> V = sparse_product(30, 40, 3, 0.1);
  const Factors<double> f = random_factors(30, 3, 40);
  for (const bool sparse : {false, true}) {
    Bench bench(V, sparse, {});
    const Evaluation e = bench.evaluator(f, nullptr);
    EXPECT_NEAR(e.cost, half_square(V, f), 1e-11 * e.cost);
    EXPECT_NEAR(e.objective, e.cost, 1e-15);
    EXPECT_NEAR(e.relative_error, (V - f.W * f.H).norm() / V.norm(), 1e-11);
  }
}

TEST(Evaluate, TheSolversOwnSumsGiveTheSameCost) {
  const Matrix<double> V = low_rank(30, 40, 3, 0.1);
  const Factors<double> f = random_factors(30, 3, 40);
  Bench bench(V, false, {});
  Sums<double> sums;
  ColumnFeed<double> feed(*bench.source, bench.alone, 0, 1.0, {});
  all_sums(bench.term, feed, Counted::columns, f, sums);
  EXPECT_NEAR(bench.evaluator(f, &sums).cost, bench.evaluator(f, nullptr).cost, 1e-12);
}

// V = WH up to an error of relative size 1e-7 per entry: the trace form would have no digit left.
TEST(Evaluate, ACloseFitKeepsItsDigits) {
  const Factors<double> f = random_factors(30, 3, 40);
  const Matrix<double> V =
      (f.W * f.H).array() * (1 + 1e-7 * random_matrix<Matrix<double>>(30, 40, 10).array());
  for (const bool sparse : {false, true}) {
    Bench bench(V, sparse, {});
    EXPECT_NEAR(bench.evaluator(f, nullptr).cost, half_square(V, f), 1e-6 * half_square(V, f));
  }
}

TEST(Evaluate, ACloseRobustFitKeepsItsDigits) {
  const Factors<double> f = random_factors(30, 3, 40);
  const Matrix<double> V =
      (f.W * f.H).array() * (1 + 1e-7 * random_matrix<Matrix<double>>(30, 40, 10).array());
  DataTerm<double> term;
  term.outliers = OutlierModel::closed_form;
  term.lambda = 0.5;
  for (const bool sparse : {false, true}) {
    Bench bench(V, sparse, term);
    EXPECT_NEAR(bench.evaluator(f, nullptr).cost, half_square(V, f), 1e-6 * half_square(V, f))
        << (sparse ? "sparse" : "dense");
  }
}

TEST(Evaluate, ACloseKlFitIsNeverNegative) {
  const Factors<double> f = random_factors(30, 3, 40);
  const Matrix<double> V =
      (f.W * f.H).array() * (1 + 1e-9 * random_matrix<Matrix<double>>(30, 40, 10).array());
  DataTerm<double> term;
  term.beta = 1;
  for (const bool sparse : {false, true}) {
    Bench bench(V, sparse, term);
    EXPECT_GE(bench.evaluator(f, nullptr).cost, 0) << (sparse ? "sparse" : "dense");
    EXPECT_GE(bench.evaluator(f, nullptr).objective, 0) << (sparse ? "sparse" : "dense");
  }
}

TEST(Evaluate, PenaltiesAreInTheObjectiveNotInTheCost) {
  const Matrix<double> V = low_rank(10, 12, 2, 0.1);
  const Factors<double> f = random_factors(10, 2, 12);
  DataTerm<double> term;
  term.on_w = {0.5, 0.25};
  term.on_h = {2, 4};
  Bench bench(V, false, term);
  const Evaluation e = bench.evaluator(f, nullptr);
  EXPECT_NEAR(e.cost, half_square(V, f), 1e-10);
  EXPECT_NEAR(e.objective - e.cost,
              0.5 * f.W.sum() + 0.125 * f.W.squaredNorm() + 2 * f.H.sum() + 2 * f.H.squaredNorm(), 1e-9);
}

TEST(Evaluate, OutliersAreInTheObjectiveNotInTheCost) {
  const Matrix<double> V = sparse_product(10, 12, 2, 0.1) * 3;
  const Factors<double> f = random_factors(10, 2, 12);
  DataTerm<double> term;
  term.outliers = OutlierModel::closed_form;
  term.lambda = 0.5;
  const Matrix<double> R = ((V - f.W * f.H).array() - 0.5).max(0);
  for (const bool sparse : {false, true}) {
    Bench bench(V, sparse, term);
    const Evaluation e = bench.evaluator(f, nullptr);
    EXPECT_NEAR(e.cost, (V - f.W * f.H - R).squaredNorm() / 2, 1e-10);
    EXPECT_NEAR(e.objective - e.cost, 0.5 * R.sum(), 1e-10);
    EXPECT_NEAR(e.relative_error, (V - f.W * f.H - R).norm() / V.norm(), 1e-11);
  }
}

TEST(Evaluate, EveryLossOfSparseVIsThatOfDenseV) {
  const Matrix<double> V = sparse_product(20, 25, 3, 0.1);
  const Factors<double> f = random_factors(20, 3, 25);
  for (const double beta : {0.5, 1.0, 1.5, 2.0, 3.0}) {
    DataTerm<double> term;
    term.beta = beta;
    Bench dense(V, false, term);
    Bench sparse(V, true, term);
    const Evaluation a = dense.evaluator(f, nullptr);
    const Evaluation b = sparse.evaluator(f, nullptr);
    EXPECT_NEAR(a.cost, b.cost, 1e-11 * a.cost);
    EXPECT_NEAR(a.relative_error, b.relative_error, 1e-10);
  }
}

TEST(Evaluate, AnswersInTheUnitsOfTheCaller) {
  const Matrix<double> V = low_rank(10, 12, 2, 0.1);
  const Factors<double> f = random_factors(10, 2, 12);
  for (const double beta : {1.0, 1.5, 2.0}) {
    DataTerm<double> term;
    term.beta = beta;
    Bench plain(V, false, term);
    Bench scaled(V, false, term, Scaling{.v = 8, .w = 2, .h = 4});
    const Factors<double> working = factors(2 * f.W, 4 * f.H);
    EXPECT_NEAR(scaled.evaluator(working, nullptr).objective, plain.evaluator(f, nullptr).objective,
                1e-11 * plain.evaluator(f, nullptr).objective);
  }
}

FitResult<double> converged(const Matrix<double>& V, Index K) {
  FitOptions<double> options = rank<double>(K);
  options.stopping = {.max_epochs = 20000, .relative_change = 0, .kkt = 1e-9};
  return fit(*view(V), HalsAccOptions{}, options);
}

TEST(Kkt, OfAConvergedRunGoesToZero) {
  const auto r = converged(sparse_product(20, 15, 3, 0.2), 3);
  EXPECT_EQ(r.reason, StopReason::kkt);
  EXPECT_EQ(r.history.front().kkt, 1);
  EXPECT_LE(r.history.back().kkt, 1e-9);
}

// Coordinate descent as scikit-learn makes it: the columns of H, then the rows of W.
TEST(Violation, IsThatOfCoordinateDescentInAnyUnits) {
  const Matrix<double> V = sparse_product(20, 15, 3, 0.2);
  const Penalties penalties{.l1_w = 0.1, .l2_w = 0.2, .l1_h = 0.05, .l2_h = 0.3};
  FitOptions<double> options = rank<double>(3);
  options.given.W = random_matrix<RowMatrix<double>>(20, 3, 1);
  options.given.H = random_matrix<Matrix<double>>(3, 15, 2);
  Matrix<double> W = *options.given.W;
  Matrix<double> Ht = options.given.H->transpose();
  const auto descend = [](Matrix<double>& X, const Matrix<double>& Y, const Matrix<double>& data, double l1,
                          double l2) {
    double violation = 0;
    for (Index k = 0; k < X.cols(); ++k)
      for (Index i = 0; i < X.rows(); ++i) {
        const double gradient = (X.row(i) * (Y.transpose() * Y.col(k))).value() -
                                (data.row(i) * Y.col(k)).value() + l1 + l2 * X(i, k);
        violation += X(i, k) == 0 ? std::max(-gradient, 0.0) : std::abs(gradient);
        X(i, k) = std::max(X(i, k) - gradient / (Y.col(k).squaredNorm() + l2), 0.0);
      }
    return violation;
  };
  std::vector<double> of_h;
  std::vector<double> of_w;
  for (int epoch = 0; epoch < 6; ++epoch) {
    of_h.push_back(descend(Ht, W, V.transpose(), penalties.l1_h, penalties.l2_h));
    of_w.push_back(descend(W, Ht, V, penalties.l1_w, penalties.l2_w));
  }
  for (const double unit : {1.0, 0x1p-40}) {
    const Matrix<double> scaled = unit * V;
    FitOptions<double> in_units = options;
    in_units.stopping = {.max_epochs = 6, .relative_change = 0, .violation = 1e-300};
    in_units.given.H = *options.given.H * unit;
    in_units.penalties = {.l1_w = penalties.l1_w * unit * unit,
                          .l2_w = penalties.l2_w * unit * unit,
                          .l1_h = penalties.l1_h * unit,
                          .l2_h = penalties.l2_h};
    const auto r = fit(*view(scaled), HalsOptions{.initial_scaling = false}, in_units);
    ASSERT_EQ(r.history.size(), 7u);
    EXPECT_TRUE(std::isnan(r.history.front().violation)) << "the start has made no sweep";
    // H is in the units of V, so that its gradient grows with them, and that of W with their square.
    const auto expected = [&](std::size_t epoch) { return of_h[epoch] + unit * of_w[epoch]; };
    for (std::size_t epoch = 0; epoch < 6; ++epoch)
      EXPECT_NEAR(r.history[epoch + 1].violation, expected(epoch) / expected(0), 1e-9);
  }
}

TEST(Violation, StopsAndGoesOnWithTheSameBits) {
  const Matrix<double> V = sparse_product(20, 15, 3, 0.2);
  FitOptions<double> options = rank<double>(3);
  options.stopping = {.max_epochs = 500, .relative_change = 0, .violation = 1e-3};
  const auto whole = fit(*view(V), HalsOptions{}, options);
  EXPECT_EQ(whole.reason, StopReason::violation);
  EXPECT_LE(whole.history.back().violation, 1e-3);
  ASSERT_GT(whole.history.size(), 6u);
  EXPECT_GT(whole.history[whole.history.size() - 2].violation, 1e-3);
  FitOptions<double> short_options = options;
  short_options.stopping.max_epochs = 5;
  const auto resumed = resume(*view(V), fit(*view(V), HalsOptions{}, short_options), options);
  EXPECT_EQ(resumed.W, whole.W);
  EXPECT_EQ(resumed.history.size(), whole.history.size());
  EXPECT_EQ(resumed.history.back().violation, whole.history.back().violation);
  EXPECT_EQ(resumed.reason, StopReason::violation);
}

TEST(Violation, ChangesNoBitOfARun) {
  const Matrix<double> V = low_rank(30, 40, 5, 0.1);
  FitOptions<double> options = rank<double>(5);
  options.stopping = {.max_epochs = 20, .relative_change = 0};
  const auto plain = fit(*view(V), HalsOptions{}, options);
  options.stopping.violation = 1e-300;
  const auto measured = fit(*view(V), HalsOptions{}, options);
  EXPECT_EQ(measured.W, plain.W);
  EXPECT_EQ(measured.H, plain.H);
  EXPECT_TRUE(std::isnan(plain.history.back().violation));
}

TEST(Kkt, IsMeasuredOnlyWhenAskedFor) {
  const Matrix<double> V = low_rank(10, 12, 2, 0.1);
  EXPECT_TRUE(std::isnan(fit(*view(V), MuOptions{}, rank<double>(2)).history.back().kkt));
}

TEST(Kkt, IsTheNormOfTheProjectedGradient) {
  const Matrix<double> V = low_rank(10, 12, 2, 0.1);
  Factors<double> f = random_factors(10, 2, 12);
  f.W(3, 0) = 0;
  for (Index k = 0; k < 2; ++k) {  // balanced
    const double c = std::sqrt(f.H.row(k).norm() / f.W.col(k).norm());
    f.W.col(k) *= c;
    f.H.row(k) /= c;
  }
  f.W(3, 0) = 0x1p-52;
  const Matrix<double> residual = f.W * f.H - V;
  Matrix<double> gW = residual * f.H.transpose();
  const Matrix<double> gH = f.W.transpose() * residual;
  gW(3, 0) = std::min(gW(3, 0), 0.0);
  Bench bench(V, false, {});
  EXPECT_NEAR(bench.evaluator.projected_gradient(f), std::sqrt(gW.squaredNorm() + gH.squaredNorm()), 1e-10);
}

TEST(Kkt, DoesNotDependOnWhereTheWeightOfAComponentLies) {
  const Matrix<double> V = sparse_product(20, 15, 3, 0.2);
  const auto r = converged(V, 3);
  const auto& at = r.checkpoint.current;
  ASSERT_TRUE((at.W.array() <= 0x1p-52).any() || (at.H.array() <= 0x1p-52).any());
  Bench bench(V, false, {});
  const double start = bench.evaluator.projected_gradient(random_factors(20, 3, 15));
  for (const double c : {1.0, 1024.0, 1.0 / 1024}) {
    // Weight moves between W and H; what is at the floor stays there.
    const auto moved = [](const auto& M, double by) {
      return (M.array() > 0x1p-52).select(M * by, 0x1p-52).eval();
    };
    const Factors<double> f = factors(moved(at.W, c), moved(at.H, 1 / c));
    EXPECT_LE(bench.evaluator.projected_gradient(f), 1e-7 * start) << "W times " << c;
  }
}

TEST(Kkt, OfSparseVIsThatOfDenseV) {
  const Matrix<double> V = sparse_product(20, 25, 3, 0.1);
  const Factors<double> f = random_factors(20, 3, 25);
  for (const double beta : {0.5, 1.0, 2.0}) {
    DataTerm<double> term;
    term.beta = beta;
    Bench dense(V, false, term);
    Bench sparse(V, true, term);
    const double expected = dense.evaluator.projected_gradient(f);
    EXPECT_NEAR(sparse.evaluator.projected_gradient(f), expected, 1e-10 * expected);
  }
}

}  // namespace
}  // namespace svrmu
