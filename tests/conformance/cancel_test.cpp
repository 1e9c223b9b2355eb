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
                    const auto result = fit(watched, solver, options);
                    EXPECT_EQ(result.reason, StopReason::cancelled);
                    EXPECT_EQ(served_later, 0);
                    verify_result(V, result);
                    EXPECT_LE(result.record().objective, result.history.front().objective);
                  }
                });
}

INSTANTIATE_TEST_SUITE_P(Batched, Cancel, testing::ValuesIn(solvers_with("batch_size")), test_name);

class CancelWhole : public OverSolvers {};

// The batch methods go through V in blocks of 2048 columns when it has few rows. After the stop there is one
// more visit, to evaluate what is returned, and one to make closed-form outliers.
TEST_P(CancelWhole, EndsWithinOneBlock) {
  const Matrix<double> V = noisy(4, 3 * 2048 + 5, 2);
  const auto source = view(V);
  for (const int stop_at : {17, 18, 21, 22, 25}) {
    SCOPED_TRACE("stopped at block " + std::to_string(stop_at));
    std::stop_source stop;
    int served = 0;
    int served_later = 0;
    const WatchedSource<double> watched(*source, [&](std::size_t) {
      if (stop.stop_requested()) ++served_later;
      if (++served == stop_at) stop.request_stop();
    });
    FitOptions<double> options = epochs<double>(10, 2);
    options.stop = stop.get_token();
    const auto result = fit(watched, solver_named(GetParam()), options);
    EXPECT_EQ(result.reason, StopReason::cancelled);
    EXPECT_LE(served_later, is_robust_name(GetParam()) ? 3 + 4 + 4 : 3 + 4);
    verify_result(V, result);
  }
}

INSTANTIATE_TEST_SUITE_P(Batch, CancelWhole,
                         testing::Values("mu", "mu-ext", "mu-acc", "r-nmf", "hals", "hals-acc", "hals-ext"),
                         test_name);

class CancelAtOnce : public OverSolvers {};

TEST_P(CancelAtOnce, ReturnsTheStart) {
  const Matrix<double> V = noisy(14, 33, 3);
  std::stop_source stop;
  stop.request_stop();
  FitOptions<double> options = epochs<double>(10, 3);
  options.stop = stop.get_token();
  const auto result = fit(*view(V), configured(GetParam(), {{"batch_size", "4"}}), options);
  EXPECT_EQ(result.reason, StopReason::cancelled);
  EXPECT_EQ(result.record().epoch, 0);
  verify_result(V, result);
}

// One member is told; all end, at the same batch.
TEST_P(CancelAtOnce, EndsTheWholeTeam) {
  const Matrix<double> V = noisy(14, 33, 3);
  const auto source = view(V);
  std::vector<FitResult<double>> results(3);
  run_team(3, [&](const Team& team) {
    std::stop_source stop;
    FitOptions<double> options = epochs<double>(10, 3);
    options.stop = stop.get_token();
    const auto share = share_of(*source, team);
    int served = 0;
    const WatchedSource<double> watched(*share, [&](std::size_t) {
      if (++served == 6 && team.member() == 1) stop.request_stop();
    });
    results[static_cast<std::size_t>(team.member())] =
        fit(watched, configured(GetParam(), {{"batch_size", "4"}}), options, team);
  });
  for (const auto& result : results) {
    EXPECT_EQ(result.reason, StopReason::cancelled);
    EXPECT_EQ(result.history.size(), results.front().history.size());
    EXPECT_EQ(result.record().objective, results.front().record().objective);
  }
}

INSTANTIATE_TEST_SUITE_P(Every, CancelAtOnce, testing::ValuesIn(all_solvers()), test_name);

}  // namespace
}  // namespace svrmu
