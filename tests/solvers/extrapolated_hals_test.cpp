#include "solvers/extrapolated_hals.hpp"

#include <gtest/gtest.h>

#include <limits>

#include "forms.hpp"
#include "problems.hpp"

namespace svrmu {
namespace {

template <class Scalar>
Factors<Scalar> random_factors(Index F, Index N, Index K) {
  return {random_matrix(F, K, 11).cast<Scalar>(), random_matrix(K, N, 12).cast<Scalar>(), {}};
}

template <class Scalar>
double objective(const Matrix<Scalar>& V, const Factors<Scalar>& f, const DataTerm<Scalar>& term) {
  const Matrix<double> W = f.W.template cast<double>();
  const Matrix<double> H = f.H.template cast<double>();
  return (V.template cast<double>() - plain_product(W, H)).squaredNorm() / 2 +
         static_cast<double>(term.on_w.l1) * W.sum() +
         static_cast<double>(term.on_h.l2) / 2 * H.squaredNorm();
}

template <class Scalar>
void expect_never_rises(const DataTerm<Scalar>& term) {
  in_both_storages<Scalar>(noisy(30, 80, 4), [&](const auto& source, const Matrix<Scalar>& V) {
    const Team alone;
    ColumnFeed<Scalar> feed(source, alone, 0, Scalar(1), {});
    ExtrapolatedHals<Scalar> hals(term);
    Factors<Scalar> f = random_factors<Scalar>(30, 80, 4);
    const double half = V.template cast<double>().squaredNorm() / 2;
    const double rounding = 10 * static_cast<double>(std::numeric_limits<Scalar>::epsilon()) * half;
    double last = objective(V, f, term);
    for (int i = 0; i < 60; ++i) {
      const Factors<Scalar> start = f;
      hals.iterate(feed, f, start, 2);
      const double now = objective(V, f, term);
      EXPECT_LE(now, last + rounding) << "iteration " << i;
      EXPECT_NEAR(hals.value() + half, now, 10 * rounding) << "iteration " << i;
      last = now;
    }
  });
}

TEST(ExtrapolatedHals, NeverRises) {
  expect_never_rises<double>({});
  expect_never_rises<float>({});
}

TEST(ExtrapolatedHals, NeverRisesWithPenalties) {
  DataTerm<double> term;
  term.on_w = {0.3, 0};
  term.on_h = {0, 0.2};
  expect_never_rises(term);
}

TEST(ExtrapolatedHals, APlainStepNeverRisesFromAnywhere) {
  const Matrix<double> V = noisy(30, 80, 4);
  const auto source = view(V);
  const Team alone;
  ColumnFeed<double> feed(*source, alone, 0, 1.0, {});
  const DataTerm<double> term;
  ExtrapolatedHals<double> hals(term);
  for (const double scale : {1e-3, 1.0, 1e3}) {
    Factors<double> f = random_factors<double>(30, 80, 4);
    f.W *= scale;
    const double before = objective(V, f, term);
    hals.plain_step(feed, f, 1);
    EXPECT_LE(objective(V, f, term), before);
  }
}

TEST(ExtrapolatedHals, KnowsNoObjectiveBeforeItsFirstIteration) {
  const DataTerm<double> term;
  ExtrapolatedHals<double> hals(term);
  EXPECT_EQ(hals.value(), std::numeric_limits<double>::infinity());
  hals.begin_from(-3, Traces{});
  EXPECT_EQ(hals.value(), -3);
  hals.forget();
  EXPECT_EQ(hals.value(), std::numeric_limits<double>::infinity());
}

}  // namespace
}  // namespace svrmu
