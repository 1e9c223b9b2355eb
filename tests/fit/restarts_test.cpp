// Restarts that stop and go on: what an uninterrupted fit gives.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include "compare.hpp"
#include "small_fits.hpp"
#include "sources.hpp"

namespace svrmu {
namespace {

using testing::HasSubstr;
using testing::ThrowsMessage;

class RestartsGoOn : public testing::Test {
 protected:
  // Ends after this many calls of the observer, over all runs.
  FitResult<double> stopped_after(int calls, const SolverOptions& solver,
                                  const FitResult<double>* from = nullptr) {
    FitOptions<double> o = options;
    o.observer = [&](const EpochRecord&) { return --calls > 0 ? Flow::keep_going : Flow::stop; };
    return from == nullptr ? fit(*view(V), solver, o) : resume(*view(V), *from, o);
  }
  static void expect_same(const FitResult<double>& a, const FitResult<double>& b) {
    EXPECT_EQ(a.seed, b.seed);
    EXPECT_EQ(a.reason, b.reason);
    expect_same_bits(a, b);
    expect_same_history(a, b);
    EXPECT_EQ(a.checkpoint.runs.ended, b.checkpoint.runs.ended);
    EXPECT_EQ(a.checkpoint.runs.other_objective, b.checkpoint.runs.other_objective);
    EXPECT_EQ(a.checkpoint.runs.other_seed, b.checkpoint.runs.other_seed);
  }

  const Matrix<double> V = low_rank(12, 30, 4, 0.5);
  FitOptions<double> options = [] {
    FitOptions<double> o = rank<double>(4);
    o.restarts = 4;
    o.seed = 11;
    o.stopping = {.max_epochs = 3, .relative_change = 0};
    return o;
  }();
  const std::vector<SolverOptions> solvers = {MuOptions{}, HalsAccOptions{}, SmuOptions{.batch_size = 5},
                                              SvrmuOptions{.batch_size = 5}};
};

TEST_F(RestartsGoOn, AfterAStopAnywhere) {
  std::set<std::uint64_t> kept;
  for (const SolverOptions& solver : solvers) {
    const auto whole = fit(*view(V), solver, options);
    kept.insert(whole.seed);
    // Each run calls four times; the last call of a run ends it by the stop, though its epochs are all done.
    for (int calls = 1; calls <= 16; ++calls) {
      SCOPED_TRACE(std::string(name_of(solver)) + ", stopped at call " + std::to_string(calls));
      const auto part = stopped_after(calls, solver);
      if (calls == 16) continue;
      EXPECT_EQ(part.reason, StopReason::cancelled);
      EXPECT_TRUE(can_go_on(part, options.stopping));
      expect_same(resume(*view(V), part, options), whole);
      // And after another stop.
      const auto again = stopped_after(3, solver, &part);
      if (again.reason == StopReason::cancelled) expect_same(resume(*view(V), again, options), whole);
      EXPECT_LE(again.record().objective, part.record().objective);
    }
  }
  EXPECT_GT(kept.size(), 1u) << "one run was the best of all: little was tested";
}

TEST_F(RestartsGoOn, WithEveryRunWhenEpochsAreRaised) {
  for (const SolverOptions& solver : solvers) {
    SCOPED_TRACE(name_of(solver));
    FitOptions<double> more = options;
    more.stopping.max_epochs = 12;
    const auto whole = fit(*view(V), solver, more);
    const auto part = fit(*view(V), solver, options);
    EXPECT_FALSE(can_go_on(part, options.stopping));
    EXPECT_TRUE(can_go_on(part, more.stopping));
    expect_same(resume(*view(V), part, more), whole);
  }
}

// The best so far had converged and another is better in the end: going on with the former must not make it
// better than a run of its own would have been.
TEST_F(RestartsGoOn, ButForTheOneThatHadConverged) {
  const Matrix<double> small{{3, 1, 2, 3, 2, 1}, {1, 1, 2, 0, 3, 3}, {2, 2, 1, 1, 2, 4}, {1, 2, 0, 1, 3, 2}};
  const HalsAccOptions solver{.update_first = UpdateFirst::w};
  options.rank = 1;
  options.restarts = 3;
  options.seed = 416;
  options.stopping = {.max_epochs = 5, .relative_change = 1e-6};
  const auto part = fit(*view(small), solver, options);
  ASSERT_EQ(part.reason, StopReason::relative_change);
  options.stopping.max_epochs = 17;
  const auto whole = fit(*view(small), solver, options);
  ASSERT_NE(whole.seed, part.seed);
  expect_same(resume(*view(small), part, options), whole);
}

TEST_F(RestartsGoOn, WithTheirStartByTheFrobeniusLoss) {
  options.loss = Loss::kullback_leibler();
  const auto whole = fit(*view(V), options);
  const auto part = stopped_after(6, SolverOptions());
  expect_same(resume(*view(V), part, options), whole);
}

TEST_F(RestartsGoOn, AfterATimeLimit) {
  const auto whole = fit(*view(V), MuOptions{}, options);
  FitOptions<double> short_time = options;
  short_time.stopping.time_limit_seconds = 0;
  const auto part = fit(*view(V), MuOptions{}, short_time);
  EXPECT_EQ(part.reason, StopReason::time_limit);
  EXPECT_FALSE(can_go_on(part, short_time.stopping));
  EXPECT_TRUE(can_go_on(part, options.stopping));
  expect_same(resume(*view(V), part, options), whole);
}

TEST_F(RestartsGoOn, ButNotFromGivenFactors) {
  options.given.W = random_matrix<RowMatrix<double>>(12, 4, 3);
  const auto part = stopped_after(6, MuOptions{});
  EXPECT_THAT([&] { resume(*view(V), part, options); },
              ThrowsMessage<InvalidInput>(HasSubstr("begin with given factors")));
}

TEST_F(RestartsGoOn, AStopInsideTheLastEpochCanBeResumed) {
  options.restarts = 1;
  const auto source = view(V);
  int in_the_last = 0;
  for (const SolverOptions& solver : solvers) {
    const auto whole = fit(*source, solver, options);
    for (int stop_at = 1; stop_at < 60; ++stop_at) {
      std::stop_source stop;
      int served = 0;
      const WatchedSource<double> watched(*source, [&](std::size_t) {
        if (++served == stop_at) stop.request_stop();
      });
      FitOptions<double> stoppable = options;
      stoppable.stop = stop.get_token();
      FitResult<double> part;
      try {
        part = fit(watched, solver, stoppable);
      } catch (const Cancelled&) {
        continue;
      }
      const EpochRecord& last = part.history.back();
      if (!last.partial || last.epoch != options.stopping.max_epochs) continue;
      ++in_the_last;
      EXPECT_TRUE(can_go_on(part, options.stopping));
      expect_same(resume(*source, part, options), whole);
    }
  }
  EXPECT_GT(in_the_last, 0) << "nothing was tested";
}

// Whatever the second run was doing when the stop came, the first one is there.
TEST_F(RestartsGoOn, AStopInTheStartOfALaterRunReturnsTheRunsBefore) {
  options.restarts = 3;
  const auto source = view(V);
  FitOptions<double> first = options;
  first.restarts = 1;
  const auto whole = fit(*source, HalsOptions{}, first);
  std::stop_source stop;
  FitOptions<double> stoppable = options;
  stoppable.stop = stop.get_token();
  stoppable.observer = [&](const EpochRecord& record) {
    EXPECT_EQ(record.run, 0);
    if (record.epoch == options.stopping.max_epochs) stop.request_stop();
    return Flow::keep_going;
  };
  const auto part = fit(*source, HalsOptions{}, stoppable);
  EXPECT_EQ(part.reason, StopReason::cancelled);
  EXPECT_EQ(part.seed, options.seed);
  EXPECT_EQ(part.W, whole.W);
  EXPECT_THROW(fit_all(*source, HalsOptions{}, stoppable), Cancelled) << "the token is still set";
  expect_same(resume(*source, part, options), fit(*source, HalsOptions{}, options));
}

}  // namespace
}  // namespace svrmu
