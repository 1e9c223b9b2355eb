// What `fast` does beyond what every solver owes: subset, sketch and surrogate, which tiny problems never see
// unless they are asked for.
#include <gtest/gtest.h>

#include <stop_token>

#include "compare.hpp"
#include "forms.hpp"
#include "problems.hpp"
#include "solvers/algorithm.hpp"
#include "solvers/fast/heavy_rows.hpp"
#include "solvers/solver.hpp"
#include "sources.hpp"
#include "thread_team.hpp"
#include "verify_result.hpp"

namespace svrmu {
namespace {

constexpr Index rank = 5;

SolverOptions with_sketch() { return FastOptions{.subset_size = 60, .sketch_size = 8}; }

Matrix<double> data() { return noisy(60, 200, rank); }

TEST(FastOnASketch, IsWhatItsReportSaysAndNeverRises) {
  in_both_storages<double>(data(), [](const auto& source, const auto& V) {
    const auto result = fit(source, with_sketch(), epochs<double>(30, rank));
    verify_result(V, result);
    for (std::size_t i = 1; i < result.history.size(); ++i)
      EXPECT_LE(result.history[i].objective, result.history[i - 1].objective * (1 + 1e-12)) << "epoch " << i;
  });
  in_both_storages<float>(data(), [](const auto& source, const auto& V) {
    const auto result = fit(source, with_sketch(), epochs<float>(30, rank));
    verify_result(V, result);
  });
}

TEST(FastOnASketch, EndsAsLowAsExtrapolatedHals) {
  const Matrix<double> V = data();
  const auto exact = fit(*view(V), HalsExtOptions{}, epochs<double>(500, rank));
  const auto fast = fit(*view(V), with_sketch(), epochs<double>(100, rank));
  EXPECT_LT(fast.record().objective, 1.01 * exact.record().objective);
}

TEST(FastOnASketch, NeedsFewVisits) {
  const Matrix<double> V = noisy(200, 1500, rank);
  const auto exact = fit(*view(V), HalsExtOptions{}, epochs<double>(8, rank));
  const auto fast = fit(*view(V), FastOptions{}, epochs<double>(4, rank));
  EXPECT_LT(fast.record().objective, exact.record().objective);
  EXPECT_LT(fast.record().columns_read, 7 * V.cols());
}

TEST(FastOnASketch, NeverEndsAboveAGivenStart) {
  const Planted p = planted(60, 200, rank);
  FitOptions<double> options = epochs<double>(5, rank);
  options.given.W = p.W;
  options.given.H = p.H;
  const auto at_the_answer = fit(*view(p.V), with_sketch(), options);
  EXPECT_LT(at_the_answer.record().relative_error, 1e-7);

  const Matrix<double> V = data();
  const auto good = fit(*view(V), HalsExtOptions{}, epochs<double>(300, rank));
  options.given.W = good.W;
  options.given.H = good.H;
  const auto from_good = fit(*view(V), with_sketch(), options);
  EXPECT_LE(from_good.record().objective, good.record().objective * (1 + 1e-12));
}

TEST(FastOnASketch, GoesOnToFullPrecision) {
  const Matrix<double> V = planted(60, 200, 3).V;
  const auto result = fit(*view(V), with_sketch(), epochs<double>(400, 3));
  EXPECT_LT(result.record().relative_error, 1e-7);
}

TEST(FastOnASketch, TakesPenalties) {
  const Matrix<double> V = data();
  FitOptions<double> options = epochs<double>(30, rank);
  options.penalties = {.l1_w = 0.5, .l2_w = 0.3, .l1_h = 0.2, .l2_h = 0.4};
  const auto fast = fit(*view(V), with_sketch(), options);
  verify_result(V, fast);
  options.stopping.max_epochs = 300;
  const auto exact = fit(*view(V), HalsExtOptions{}, options);
  EXPECT_LT(fast.record().objective, 1.02 * exact.record().objective);
}

template <class Scalar>
void expect_same_after_stops() {
  const Matrix<Scalar> V = data().cast<Scalar>();
  const auto whole = fit(*view(V), with_sketch(), epochs<Scalar>(8, rank));
  for (const Index stop_at : {0, 1, 3, 7}) {
    SCOPED_TRACE("stopped after epoch " + std::to_string(stop_at));
    const auto part = fit(*view(V), with_sketch(), epochs<Scalar>(stop_at, rank));
    const auto resumed = resume(*view(V), part, epochs<Scalar>(8, rank));
    expect_same_bits(resumed, whole);
    expect_same_history(resumed, whole);
  }
}
TEST(FastOnASketch, GoesOnWithTheBitsOfARunThatNeverStopped) {
  expect_same_after_stops<double>();
  expect_same_after_stops<float>();
}

TEST(FastOnASketch, HasTheSameBitsForAnyNumberOfThreads) {
  const Matrix<float> V = noisy(300, 900, rank).cast<float>();
  FitOptions<float> options = epochs<float>(4, rank);
  const auto one = fit(*view(V), FastOptions{}, options);
  for (const int threads : {2, 3}) {
    options.threads = threads;
    expect_same_bits(fit(*view(V), FastOptions{}, options), one);
  }
}

// The surrogate is in single precision: sums in another order part the runs at once, but not far.
TEST(FastOnASketch, AgreesWithATeam) {
  const Matrix<double> V = data();
  const auto source = view(V);
  const auto alone = fit(*source, with_sketch(), epochs<double>(3, rank));
  for (const int size : {2, 3}) {
    SCOPED_TRACE("team of " + std::to_string(size));
    std::vector<FitResult<double>> results(static_cast<std::size_t>(size));
    run_team(size, [&](const Team& team) {
      results[static_cast<std::size_t>(team.member())] =
          fit(*share_of(*source, team), with_sketch(), epochs<double>(3, rank), team);
    });
    for (const auto& result : results) {
      EXPECT_TRUE(same_bits(result.W, results.front().W));
      EXPECT_NEAR(result.record().objective, alone.record().objective, 1e-3 * alone.record().objective);
    }
  }
}

TEST(FastOnASketch, ReadsStreamsAsItReadsMemory) {
  const Matrix<double> V = data();
  const auto streamed = fit(CopyingSource<double>(V), with_sketch(), epochs<double>(4, rank));
  const auto in_memory = fit(*view(V), with_sketch(), epochs<double>(4, rank));
  expect_same_bits(streamed, in_memory);
  expect_same_history(streamed, in_memory);
}

TEST(FastOnASketch, ReadsRowsAsItReadsColumns) {
  const Matrix<double> V = data();
  const RowMatrix<double> rows = V;
  const auto from_rows = fit(*view(rows), with_sketch(), epochs<double>(3, rank));
  const auto from_columns = fit(*view(V), with_sketch(), epochs<double>(3, rank));
  EXPECT_NEAR(from_rows.record().objective, from_columns.record().objective,
              1e-3 * from_columns.record().objective);
}

TEST(FastOnASketch, LooksForAStopBetweenTwoVisits) {
  const Matrix<double> V = data();
  const auto source = view(V);
  const Team alone;
  int looks = 0;
  ColumnFeed<double> feed(*source, alone, 0, 1.0, [&] {
    ++looks;
    return false;
  });
  const DataTerm<double> term;
  const auto solver = make_solver<double>(with_sketch(), term);
  Factors<double> f{
      RowMatrix<double>::Constant(V.rows(), rank, 0.5) + 0.1 * RowMatrix<double>::Random(V.rows(), rank),
      Matrix<double>::Constant(rank, V.cols(), 0.5),
      {}};
  solver->prepare(feed, f);
  for (const Index epoch : {1, 2}) {
    const Factors<double> start = f;
    feed.begin_epoch(epoch);
    looks = 0;
    solver->epoch(feed, f, {1.0, start});
    EXPECT_GE(looks, 1 + 4) << "epoch "
                            << epoch;  // one for the visit, and after all but the last of 5 iterations
  }
}

TEST(FastOnSparse, LearnsWOnASubsetFirst) {
  const SparseMatrix<double> V = mostly_zero(80, 900, 2, 0.1).sparseView();
  const SolverOptions solver = FastOptions{.subset_size = 300};
  const auto result = fit(*view(V), solver, epochs<double>(6, rank));
  verify_result(Matrix<double>(V), result);
  const auto source = view(V);
  for (const int size : {2, 3})
    run_team(size, [&](const Team& team) {
      const auto together = fit(*share_of(*source, team), solver, epochs<double>(6, rank), team);
      EXPECT_LT(distance(together.W, result.W), 1e-4);  // sums in single precision, in another order
    });
  const auto part = fit(*source, solver, epochs<double>(1, rank));
  const auto resumed = resume(*source, part, epochs<double>(6, rank));
  expect_same_bits(resumed, result);
  expect_same_history(resumed, result);
}

// A product of sparse factors: nothing but rounding keeps WH from V.
SparseMatrix<double> sparse_product() {
  const Matrix<double> W = mostly_zero(80, 3, 3, 0.3);
  const Matrix<double> H = mostly_zero(3, 900, 4, 0.3);
  return Matrix<double>(W * H).sparseView();
}

TEST(FastOnSparse, GoesOnToFullPrecision) {
  const SparseMatrix<double> V = sparse_product();
  const auto result = fit(*view(V), FastOptions{.subset_size = 300}, epochs<double>(60, 3));
  verify_result(Matrix<double>(V), result);
  EXPECT_LT(result.record().relative_error, 1e-10);
  for (std::size_t i = 1; i < result.history.size(); ++i)
    EXPECT_LE(result.history[i].objective, result.history[i - 1].objective * (1 + 1e-9) + 1e-20)
        << "epoch " << i;
}

TEST(FastOnSparse, GoesOnWithTheBitsOfARunThatNeverStopped) {
  const SparseMatrix<double> V = sparse_product();
  const SolverOptions solver = FastOptions{.subset_size = 300};
  const auto whole = fit(*view(V), solver, epochs<double>(20, 3));
  ASSERT_LT(whole.record().relative_error, 1e-8);  // it has left single precision behind
  for (const Index stop_at : {0, 1, 2, 5, 10, 15}) {
    SCOPED_TRACE("stopped after epoch " + std::to_string(stop_at));
    const auto part = fit(*view(V), solver, epochs<double>(stop_at, 3));
    const auto resumed = resume(*view(V), part, epochs<double>(20, 3));
    expect_same_bits(resumed, whole);
    expect_same_history(resumed, whole);
  }
  const SparseMatrix<float> single = V.cast<float>();
  const auto in_single = fit(*view(single), solver, epochs<float>(6, 3));
  const auto part = fit(*view(single), solver, epochs<float>(3, 3));
  expect_same_bits(resume(*view(single), part, epochs<float>(6, 3)), in_single);
}

TEST(FastOnSparse, TakesAValueBesideWhichTheOthersVanishInSinglePrecision) {
  SparseMatrix<double> V = sparse_product();
  V.valuePtr()[V.nonZeros() / 2] = 1e45;
  const auto result = fit(*view(V), FastOptions{.subset_size = 300}, epochs<double>(5, 3));
  EXPECT_TRUE(result.W.allFinite() && result.H.allFinite());
  EXPECT_LE(result.record().objective, result.history.front().objective);
}

TEST(FastOnSparse, LearnsFromTheHeaviestRowsWhereThereAreMany) {
  const Index features = 4000;  // twice what it takes
  SparseMatrix<double> V = mostly_zero(features, 300, 2, 0.02).sparseView();
  for (Index p = 0; p < V.nonZeros(); ++p)
    V.valuePtr()[p] /= 1.0 + static_cast<double>(V.innerIndexPtr()[p] % 50);
  const auto first = fit(*view(V), FastOptions{.subset_size = 120}, epochs<double>(1, rank));
  verify_result(Matrix<double>(V), first);
  const auto plain = fit(*view(V), HalsExtOptions{}, epochs<double>(1, rank));
  EXPECT_LT(first.record().objective, plain.record().objective);
}

TEST(FastOnSparse, NeverEndsAboveAGivenStart) {
  const SparseMatrix<double> V = mostly_zero(80, 900, 2, 0.1).sparseView();
  const auto good = fit(*view(V), HalsExtOptions{}, epochs<double>(300, rank));
  FitOptions<double> options = epochs<double>(1, rank);
  options.given.W = good.W;
  options.given.H = good.H;
  const auto result = fit(*view(V), FastOptions{.subset_size = 300}, options);
  EXPECT_LE(result.record().objective, good.record().objective * (1 + 1e-9));
}

TEST(FastOnSparse, ReturnsItsStartWhenInterruptedWhileItLearns) {
  const SparseMatrix<double> V = mostly_zero(80, 900, 2, 0.1).sparseView();
  std::stop_source stop;
  FitOptions<double> options = epochs<double>(3, rank);
  options.stop = stop.get_token();
  options.observer = [&](const EpochRecord&) { return stop.request_stop(), Flow::keep_going; };
  const auto result = fit(*view(V), FastOptions{.subset_size = 300}, options);
  EXPECT_EQ(result.reason, StopReason::cancelled);
  verify_result(Matrix<double>(V), result);
  const auto resumed = resume(*view(V), result, epochs<double>(3, rank));
  expect_same_bits(resumed, fit(*view(V), FastOptions{.subset_size = 300}, epochs<double>(3, rank)));
}

TEST(FastOnSparse, GoesOnWithTheCountsOfARunThatNeverStoppedWhereVIsCopiedByRows) {
  const SparseMatrix<double> V = mostly_zero(80, 900, 2, 0.02).sparseView();
  ASSERT_LE(2 * V.nonZeros(), rank * (V.rows() + V.cols()));
  const auto source = view(V);
  for (const SolverOptions& solver :
       {SolverOptions(FastOptions{}), SolverOptions(FastOptions{.subset_size = 300}),
        SolverOptions(HalsExtOptions{})}) {
    const auto whole = fit(*source, solver, epochs<double>(5, rank));
    for (const Index stop_at : {0, 1, 3}) {
      const auto part = fit(*source, solver, epochs<double>(stop_at, rank));
      const auto resumed = resume(*source, part, epochs<double>(5, rank));
      expect_same_bits(resumed, whole);
      expect_same_history(resumed, whole);
    }
  }
}

TEST(HeavyRows, AreThoseWithTheLargestSumsOfSquares) {
  Matrix<float> V = Matrix<float>::Zero(5, 3);
  V(1, 0) = 3;
  V(2, 1) = 2;
  V(4, 0) = 1;
  V(4, 2) = 2;
  const fast::HeavyRows two(V.sparseView(), 2);
  Matrix<float> heavy(2, 3);
  heavy << 3, 0, 0, 1, 0, 2;
  EXPECT_EQ(Matrix<float>(two.of(V.sparseView())), heavy);
  EXPECT_DOUBLE_EQ(two.share(), 14.0 / 18.0);
  RowMatrix<double> W(5, 1);
  W << 0, 1, 2, 3, 4;
  const RowMatrix<float> part = two.of_W(W);
  EXPECT_EQ(part(0), 1);
  EXPECT_EQ(part(1), 4);

  V(2, 0) = 1;  // as heavy as row 4
  EXPECT_EQ(fast::HeavyRows(V.sparseView(), 2).of_W(W)(1), 2);
  EXPECT_EQ(fast::HeavyRows(V.sparseView(), 9).of_W(W).rows(), 5);
  EXPECT_EQ(fast::HeavyRows(SparseMatrix<float>(4, 2), 2).share(), 1);
}

}  // namespace
}  // namespace svrmu
