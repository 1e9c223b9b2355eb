// How `fast` leaves a poor local minimum of a sparse V.
#include "solvers/fast/swap.hpp"

#include <gtest/gtest.h>

#include <Eigen/QR>
#include <stop_token>

#include "compare.hpp"
#include "forms.hpp"
#include "problems.hpp"
#include "sources.hpp"
#include "thread_team.hpp"
#include "topics.hpp"
#include "verify_result.hpp"

namespace svrmu {
namespace {

double squared_residual(const Matrix<double>& A, const Matrix<double>& b) {
  return (b - A * A.colPivHouseholderQr().solve(b)).squaredNorm();
}

TEST(ByWorth, IsWhatDroppingAComponentCostsWhenTheOthersAreFitted) {
  const Planted p = planted(30, 50, 4);
  const Factors<double> f{p.W, p.H, {}};
  const auto source = view(p.V);
  const Team alone;
  const ColumnFeed<double> feed(*source, alone, 0, 1.0, {});
  const auto components = fast::by_worth(feed, f);
  ASSERT_EQ(components.size(), 4U);
  for (std::size_t i = 0; i < components.size(); ++i) {
    const auto [k, worth] = components[i];
    EXPECT_LE(components[i == 0 ? 0 : i - 1].worth, worth);
    Matrix<double> W(30, 3);
    Matrix<double> H(3, 50);
    for (Index c = 0, to = 0; c < 4; ++c)
      if (c != k) {
        W.col(to) = p.W.col(c);
        H.row(to++) = p.H.row(c);
      }
    const double in_H = squared_residual(W, p.V) / 2;
    const double in_W = squared_residual(H.transpose(), p.V.transpose()) / 2;
    EXPECT_NEAR(worth, std::min(in_H, in_W), 1e-6 * worth) << "component " << k;
  }
}

TEST(ByWorth, PutsComponentsThatAreZeroOrTwinsFirst) {
  Planted p = planted(30, 50, 4);
  p.W.col(2).setZero();
  const Factors<double> f{p.W, p.H, {}};
  const auto source = view(p.V);
  const Team alone;
  const ColumnFeed<double> feed(*source, alone, 0, 1.0, {});
  EXPECT_EQ(fast::by_worth(feed, f).front().k, 2);
  p.W.col(1) = p.W.col(3);
  const Factors<double> twins{p.W, p.H, {}};
  const auto components = fast::by_worth(feed, twins);
  EXPECT_LT(components[2].worth, 1e-6 * components[3].worth);
}

// V = WH with its last component known to no one; the first of the others is to give its place.
TEST(ComponentSwap, FindsWhatTheResidualHolds) {
  const Planted p = planted(40, 60, 4);
  const SparseMatrix<double> V = p.V.sparseView();
  const auto source = view(V);
  const Team alone;
  ColumnFeed<double> feed(*source, alone, 7, 1.0, {});
  Factors<double> f{p.W.leftCols(3), p.H.topRows(3), {}};
  ASSERT_TRUE(fast::ComponentSwap<double>(feed, f, {})(0, 1));
  const Matrix<double> found = f.W.col(0) * f.H.row(0);
  const Matrix<double> hidden = p.W.col(3) * p.H.row(3);
  EXPECT_LT((found - hidden).norm(), 1e-6 * hidden.norm());
  EXPECT_EQ(Matrix<double>(f.W.rightCols(2)), Matrix<double>(p.W.middleCols(1, 2)));
}

TEST(ComponentSwap, LeavesAPerfectFitAlone) {
  const SparseMatrix<double> V(6, 5);
  const auto source = view(V);
  const Team alone;
  ColumnFeed<double> feed(*source, alone, 0, 1.0, {});
  Factors<double> f{RowMatrix<double>::Zero(6, 2), Matrix<double>::Zero(2, 5), {}};
  EXPECT_FALSE(fast::ComponentSwap<double>(feed, f, {})(0, 0));
  EXPECT_EQ(f.W.norm(), 0);
}

constexpr Index rank = 12;
SolverOptions with_subset() { return FastOptions{.subset_size = 200}; }

TEST(FastOnSparse, EndsBelowTheMinimumThatItsIterationsAloneLeadTo) {
  const SparseMatrix<double> V = topics();
  double swapped = 0;
  double alone = 0;
  for (std::uint64_t seed = 1; seed <= 4; ++seed) {
    const auto before_any_swap = fit(*view(V), with_subset(), epochs<double>(3, rank, seed));
    FitOptions<double> options = epochs<double>(500, rank);
    options.given.W = before_any_swap.W;
    options.given.H = before_any_swap.H;
    alone += fit(*view(V), HalsExtOptions{}, options).record().objective;

    const auto result = fit(*view(V), with_subset(), epochs<double>(12, rank, seed));
    verify_result(Matrix<double>(V), result);
    for (std::size_t i = 1; i < result.history.size(); ++i)
      EXPECT_LE(result.history[i].objective, result.history[i - 1].objective * (1 + 1e-12)) << "epoch " << i;
    swapped += result.record().objective;
  }
  EXPECT_LT(swapped, (1 - 1e-4) * alone);
}

TEST(FastOnSparse, SwapsTheSameComponentsForAnyThreadsAndStops) {
  const SparseMatrix<double> V = topics();
  const auto source = view(V);
  const auto whole = fit(*source, with_subset(), epochs<double>(6, rank));
  auto threads = epochs<double>(6, rank);
  threads.threads = 3;
  expect_same_bits(fit(*source, with_subset(), threads), whole);
  for (const Index stop_at : {1, 2, 3, 5}) {
    const auto part = fit(*source, with_subset(), epochs<double>(stop_at, rank));
    const auto resumed = resume(*source, part, epochs<double>(6, rank));
    expect_same_bits(resumed, whole);
    expect_same_history(resumed, whole);
  }
}

TEST(FastOnSparse, SwapsTheSameComponentsInATeam) {
  const SparseMatrix<double> V = topics();
  const auto source = view(V);
  const auto alone = fit(*source, with_subset(), epochs<double>(4, rank));
  for (const int size : {2, 3})
    run_team(size, [&](const Team& team) {
      const auto together = fit(*share_of(*source, team), with_subset(), epochs<double>(4, rank), team);
      EXPECT_LT(distance(together.W, alone.W), 1e-3);  // iterations are in single precision
    });
}

TEST(FastOnSparse, IsUndisturbedByAStopWhileItSwaps) {
  const SparseMatrix<double> V = topics();
  const auto whole = fit(*view(V), with_subset(), epochs<double>(6, rank));
  for (const int after : {40, 55, 70}) {
    int looks = 0;
    std::stop_source stop;
    const auto in_memory = view(V);
    const WatchedSource<double> source(*in_memory, [&](std::size_t) {
      if (++looks == after) stop.request_stop();
    });
    FitOptions<double> options = epochs<double>(6, rank);
    options.stop = stop.get_token();
    const auto part = fit(source, with_subset(), options);
    EXPECT_EQ(part.reason, StopReason::cancelled);
    verify_result(Matrix<double>(V), part);
    expect_same_bits(resume(*view(V), part, epochs<double>(6, rank)), whole);
  }
}

}  // namespace
}  // namespace svrmu
