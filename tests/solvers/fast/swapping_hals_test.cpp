#include "solvers/fast/swapping_hals.hpp"

#include <gtest/gtest.h>

#include "compare.hpp"
#include "problems.hpp"
#include "topics.hpp"

namespace svrmu::fast {
namespace {

constexpr Index rank = 12;

template <class Real>
double objective(const SparseMatrix<double>& V, const Factors<Real>& f) {
  const Matrix<double> W = f.W.template cast<double>();
  const Matrix<double> H = f.H.template cast<double>();
  return (Matrix<double>(V) - plain_product(W, H)).squaredNorm() / 2;
}

template <class Real>
Factors<Real> start_for(const SparseMatrix<double>& V) {
  return {random_matrix(V.rows(), rank, 1).cast<Real>(), random_matrix(rank, V.cols(), 2).cast<Real>(), {}};
}

template <class Real>
void expect_no_epoch_to_rise(double rounding) {
  const SparseMatrix<double> V = topics();
  const auto source = view(V);
  const Team alone;
  ColumnFeed<double> feed(*source, alone, 7, 1.0, {});
  const DataTerm<Real> term;
  SwappingHals<double, Real> hals(term);
  Factors<Real> f = start_for<Real>(V);
  double last = objective(V, f);
  Index swaps = 0;
  for (Index epoch = 1; epoch <= 12; ++epoch) {
    feed.begin_epoch(epoch);
    const Index before = feed.columns_read();
    hals.epoch(feed, f, 2, true);
    // An iteration is one pass over V, or two where it is undone; a swap takes four and at least one step.
    if (feed.columns_read() - before > 10 * V.cols()) ++swaps;
    const double now = objective(V, f);
    EXPECT_LE(now, last * (1 + rounding)) << "epoch " << epoch;
    EXPECT_NEAR(hals.value() + V.squaredNorm() / 2, now, 1e-5 * now) << "epoch " << epoch;
    last = now;
  }
  EXPECT_GT(swaps, 0);
}
TEST(SwappingHals, NoSwapRaisesTheObjective) {
  expect_no_epoch_to_rise<double>(1e-12);
  expect_no_epoch_to_rise<float>(1e-6);
}

// From factors that fit perfectly no other component can gain.
TEST(SwappingHals, UndoesASwapThatDoesNotGain) {
  const Matrix<double> W = random_matrix(40, 3, 1, 0.6);
  const Matrix<double> H = random_matrix(3, 60, 2, 0.6);
  const SparseMatrix<double> V = plain_product(W, H).sparseView();
  const auto source = view(V);
  const Team alone;
  ColumnFeed<double> feed(*source, alone, 7, 1.0, {});
  const DataTerm<double> term;
  SwappingHals<double> hals(term);
  Factors<double> f{W, H, {}};
  feed.begin_epoch(1);
  hals.epoch(feed, f, 2, false);  // the objective becomes known
  const Factors<double> before = f;
  feed.begin_epoch(2);
  hals.epoch(feed, f, 2, true);
  EXPECT_LT(distance(f.W, before.W), 1e-6);
  EXPECT_LT(distance(f.H, before.H), 1e-6);
}

TEST(SwappingHals, BeginsFromWAloneAsLowAsFromItsOwnH) {
  const SparseMatrix<double> V = topics();
  const auto source = view(V);
  const Team alone;
  ColumnFeed<double> feed(*source, alone, 7, 1.0, {});
  const DataTerm<double> term;
  SwappingHals<double> hals(term);
  Factors<double> f = start_for<double>(V);
  for (int i = 0; i < 4; ++i) hals.epoch(feed, f, 2, false);
  const double reached = objective(V, f);
  Factors<double> from_W{RowMatrix<double>::Zero(V.rows(), rank), Matrix<double>::Zero(rank, V.cols()), {}};
  hals.iterate_from_W(feed, from_W, f.W.cast<float>(), 8);
  EXPECT_LT(objective(V, from_W), 1.01 * reached);
  EXPECT_NEAR(hals.value() + V.squaredNorm() / 2, objective(V, from_W), 1e-9 * reached);
}

}  // namespace
}  // namespace svrmu::fast
