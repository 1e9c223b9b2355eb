// A stop is obeyed between two batches.
#include <gtest/gtest.h>

#include <stop_token>
#include <thread>

#include "forms.hpp"
#include "problems.hpp"
#include "sources.hpp"
#include "thread_team.hpp"
#include "verify_result.hpp"

namespace svrmu {
namespace {

// Batches of the solver are told from blocks of the evaluation by their number: V is so small that it is one
// block, and has several batches.
class Cancel : public OverSolvers {};

TEST_P(Cancel, EndsWithinOneBatch) {
  const SolverOptions solver = configured(GetParam(), {{"batch_size", "4"}});
  in_every_form(mostly_zero(14, 33),
                [&]<class Scalar>(const MatrixSource<Scalar>& source, const Matrix<Scalar>& V) {
                  for (const int stop_at : {1, 5, 9, 13}) {
                    SCOPED_TRACE("stopped at batch " + std::to_string(stop_at));
                    std::stop_source stop;
                    int served = 0;
                    int served_later = 0;
                    const WatchedSource<Scalar> watched(source, [&](std::size_t batches) {
                      if (batches == 1) return;
                      if (stop.stop_requested()) ++served_later;
                      if (++served == stop_at) stop.request_stop();
                    });
                    FitOptions<Scalar> options = epochs<Scalar>(10, 3);
                    options.stop = stop.get_token();
                    const auto result = fit_unless_cancelled<Scalar>(watched, solver, options);
                    EXPECT_EQ(served_later, 0);
                    if (!result) continue;
                    EXPECT_EQ(result->reason, StopReason::cancelled);
                    verify_result(V, *result);
                    EXPECT_LE(result->record().objective, result->history.front().objective);
                  }
                });
}

INSTANTIATE_TEST_SUITE_P(Batched, Cancel, testing::ValuesIn(solvers_with("batch_size")), test_name);

// Stops at the n-th batch for every n, whatever the fit is doing then: looking V over, making the start, an
// epoch, or an evaluation. V has so few rows that blocks have 2048 columns. After the stop nothing is served
// but what makes the result: one evaluation of an epoch that is not whole, and closed-form outliers; for
// losses other than Frobenius those of the null model.
template <class Configure>
void expect_a_stop_is_heard_at_every_batch(const SolverOptions& solver, int allowed,
                                           const Configure& configure) {
  const Matrix<double> V = noisy(4, 2 * 2048 + 5, 2);
  const auto source = view(V);
  int cancelled = 0;
  int returned = 0;
  for (int stop_at = 1; stop_at <= 200; ++stop_at) {
    SCOPED_TRACE("stopped at batch " + std::to_string(stop_at));
    std::stop_source stop;
    int served = 0;
    int served_later = 0;
    int records = 0;
    const WatchedSource<double> watched(*source, [&](std::size_t) {
      if (stop.stop_requested()) ++served_later;
      if (++served == stop_at) stop.request_stop();
    });
    FitOptions<double> options = epochs<double>(3, 2);
    options.stop = stop.get_token();
    options.observer = [&](const EpochRecord&) { return ++records, Flow::keep_going; };
    configure(options);
    const auto result = fit_unless_cancelled<double>(watched, solver, options);
    if (!stop.stop_requested()) break;  // there are no more batches
    if (!result) {
      ++cancelled;
      EXPECT_EQ(records, 0) << "what was evaluated must be returned";
      EXPECT_EQ(served_later, 0);
      continue;
    }
    ++returned;
    EXPECT_GT(records, 0);
    EXPECT_LE(served_later, allowed);
    verify_result(V, *result);
  }
  EXPECT_GT(cancelled, 2) << "the scan has three blocks";
  EXPECT_GT(returned, 2);
}

constexpr int one_pass = 3;

class CancelAnywhere : public OverSolvers {};

TEST_P(CancelAnywhere, IsHeardAtEveryBatch) {
  const SolverOptions solver = configured(GetParam(), {{"batch_size", "600"}});
  expect_a_stop_is_heard_at_every_batch(solver, is_robust_name(GetParam()) ? 2 * one_pass : one_pass,
                                        [](FitOptions<double>&) {});
}

INSTANTIATE_TEST_SUITE_P(Every, CancelAnywhere, testing::ValuesIn(all_solvers()), test_name);

TEST(CancelInTheStart, IsHeardWhileSingularVectorsAreMade) {
  for (const Start start : {Start::svd_abs, Start::nndsvd, Start::nndsvda, Start::nndsvdar})
    expect_a_stop_is_heard_at_every_batch(HalsOptions{}, one_pass,
                                          [&](FitOptions<double>& options) { options.start = start; });
}

TEST(CancelInTheStart, IsHeardInAShortFrobeniusFit) {
  expect_a_stop_is_heard_at_every_batch(MuExtOptions{}, 3 * one_pass, [](FitOptions<double>& options) {
    options.loss = Loss::kullback_leibler();
    options.start = Start::frobenius;
  });
}

TEST(CancelInTheStart, IsHeardWhileOutliersAreMade) {
  const SolverOptions solver = configured("r-nmf", {{"outlier_update", "multiplicative"}});
  expect_a_stop_is_heard_at_every_batch(solver, one_pass, [](FitOptions<double>&) {});
}

// Projected gradients take a pass of their own.
TEST(CancelInTheStart, IsHeardWhileGradientsAreMeasured) {
  expect_a_stop_is_heard_at_every_batch(MuOptions{}, 2 * one_pass,
                                        [](FitOptions<double>& options) { options.stopping.kkt = 1e-12; });
}

TEST(CancelResume, WhileVIsLookedOverThrows) {
  const Matrix<double> V = noisy(14, 33, 3);
  const auto part = fit(*view(V), MuOptions{}, epochs<double>(2, 3));
  std::stop_source stop;
  stop.request_stop();
  FitOptions<double> options = epochs<double>(4, 3);
  options.stop = stop.get_token();
  EXPECT_THROW(resume(*view(V), part, options), Cancelled);
}

class CancelAtOnce : public OverSolvers {};

TEST_P(CancelAtOnce, ReadsNothing) {
  const Matrix<double> V = noisy(14, 33, 3);
  const auto source = view(V);
  const CountingSource<double> counting(*source);
  std::stop_source stop;
  stop.request_stop();
  FitOptions<double> options = epochs<double>(10, 3);
  options.stop = stop.get_token();
  EXPECT_THROW(fit(counting, configured(GetParam(), {{"batch_size", "4"}}), options), Cancelled);
  EXPECT_EQ(counting.served(), 0);
}

// One member is told; all end, at the same batch.
TEST_P(CancelAtOnce, EndsTheWholeTeam) {
  const Matrix<double> V = noisy(14, 33, 3);
  const auto source = view(V);
  for (const int stop_at : {1, 2, 3, 6, 10}) {
    SCOPED_TRACE("stopped at batch " + std::to_string(stop_at));
    std::vector<std::optional<FitResult<double>>> results(3);
    run_team(3, [&](const Team& team) {
      std::stop_source stop;
      FitOptions<double> options = epochs<double>(10, 3);
      options.stop = stop.get_token();
      const auto share = share_of(*source, team);
      int served = 0;
      const WatchedSource<double> watched(*share, [&](std::size_t) {
        if (++served == stop_at && team.member() == 1) stop.request_stop();
      });
      results[static_cast<std::size_t>(team.member())] =
          fit_unless_cancelled<double>(watched, configured(GetParam(), {{"batch_size", "4"}}), options, team);
    });
    for (const auto& result : results) {
      ASSERT_EQ(result.has_value(), results.front().has_value());
      if (!result) continue;
      EXPECT_EQ(result->reason, StopReason::cancelled);
      EXPECT_EQ(result->history.size(), results.front()->history.size());
      EXPECT_EQ(result->record().objective, results.front()->record().objective);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Every, CancelAtOnce, testing::ValuesIn(all_solvers()), test_name);

}  // namespace
}  // namespace svrmu
