// A run that goes on from a result has the bits of one that was never stopped.
#include <gtest/gtest.h>

#include <stop_token>

#include "compare.hpp"
#include "forms.hpp"
#include "problems.hpp"
#include "sources.hpp"
#include "thread_team.hpp"
#include "verify_result.hpp"

namespace svrmu {
namespace {

constexpr Index rank = 3;
constexpr Index all_epochs = 10;

template <class Scalar>
void expect_same_after_stop(const MatrixSource<Scalar>& source, const SolverOptions& solver,
                            FitOptions<Scalar> options, const FitResult<Scalar>& whole, Index stop_at) {
  SCOPED_TRACE("stopped after epoch " + std::to_string(stop_at));
  options.stopping.max_epochs = stop_at;
  const auto part = fit(source, solver, options);
  options.stopping.max_epochs = whole.history.back().epoch;
  const auto resumed = resume(source, part, options);
  expect_same_bits(resumed, whole);
  expect_same_history(resumed, whole);
}

template <class Scalar>
void expect_same_after_stops(const MatrixSource<Scalar>& source, const SolverOptions& solver,
                             const FitOptions<Scalar>& options) {
  const auto whole = fit(source, solver, options);
  for (const Index stop_at : {0, 1, 4, 9}) expect_same_after_stop(source, solver, options, whole, stop_at);
}

// Stopped in the middle of an epoch.
template <class Scalar>
void expect_same_after_interruptions(const MatrixSource<Scalar>& source, const Matrix<Scalar>& V,
                                     const SolverOptions& solver) {
  const auto whole = fit(source, solver, epochs<Scalar>(all_epochs, rank));
  Index partial = 0;
  for (const int stop_at_batch : {7, 14, 23, 31}) {
    SCOPED_TRACE("stopped at batch " + std::to_string(stop_at_batch));
    std::stop_source stop;
    int served = 0;
    const WatchedSource<Scalar> watched(source, [&](std::size_t) {
      if (++served == stop_at_batch) stop.request_stop();
    });
    FitOptions<Scalar> options = epochs<Scalar>(all_epochs, rank);
    options.stop = stop.get_token();
    const auto part = fit_unless_cancelled<Scalar>(watched, solver, options);
    if (!part || part->reason != StopReason::cancelled) continue;
    ++partial;
    verify_result(V, *part);
    const auto resumed = resume(source, *part, epochs<Scalar>(all_epochs, rank));
    expect_same_bits(resumed, whole);
    expect_same_history(resumed, whole);
  }
  EXPECT_GT(partial, 0) << "nothing was tested";
}

class Resume : public OverSolvers {};

TEST_P(Resume, GivesTheBitsOfARunThatNeverStopped) {
  for (const char* batch : {"3", "8"}) {
    SCOPED_TRACE(std::string("batches of ") + batch);
    const SolverOptions solver = configured(GetParam(), {{"batch_size", batch}});
    in_every_form(mostly_zero(14, 33),
                  [&]<class Scalar>(const MatrixSource<Scalar>& source, const Matrix<Scalar>&) {
                    expect_same_after_stops(source, solver, epochs<Scalar>(all_epochs, rank));
                  });
  }
}

TEST_P(Resume, KeepsTheUnitsOfVerySmallData) {
  const SolverOptions solver = configured(GetParam(), {{"batch_size", "8"}});
  in_every_form(1e-20 * mostly_zero(14, 33),
                [&]<class Scalar>(const MatrixSource<Scalar>& source, const Matrix<Scalar>&) {
                  FitOptions<Scalar> options = epochs<Scalar>(all_epochs, rank);
                  options.given.W = random_matrix(14, rank, 4).cast<Scalar>();
                  expect_same_after_stops(source, solver, options);
                });
}

TEST_P(Resume, KeepsOutliers) {
  if (!is_robust_name(GetParam())) return;
  const SolverOptions solver = configured(
      GetParam(), {{"batch_size", "8"}, {"outlier_update", "multiplicative"}, {"outlier_start", "residual"}});
  in_every_form(mostly_zero(14, 33),
                [&]<class Scalar>(const MatrixSource<Scalar>& source, const Matrix<Scalar>&) {
                  expect_same_after_stops(source, solver, epochs<Scalar>(all_epochs, rank));
                });
}

TEST_P(Resume, FollowsEveryOrderOfColumns) {
  for (const std::string order : {"cyclic", "reshuffle", "with_replacement"}) {
    if (GetParam().starts_with("sag-mu") && order != "cyclic") continue;
    SCOPED_TRACE(order);
    const SolverOptions solver = configured(GetParam(), {{"batch_size", "8"}, {"order", order}});
    in_both_storages<double>(mostly_zero(14, 33),
                             [&]<class Scalar>(const MatrixSource<Scalar>& source, const Matrix<Scalar>&) {
                               expect_same_after_stops(source, solver, epochs<Scalar>(all_epochs, rank));
                             });
  }
}

TEST_P(Resume, FollowsSnapshotsThatLastForAFewSteps) {
  if (!has_option(solver_named(GetParam()), "inner_steps")) return;
  for (const std::string order : {"cyclic", "permute_once", "reshuffle", "with_replacement"})
    for (const char* steps : {"2", "7"}) {  // of 5 batches
      SCOPED_TRACE(order + ", steps " + steps);
      const SolverOptions solver =
          configured(GetParam(), {{"batch_size", "8"}, {"order", order}, {"inner_steps", steps}});
      in_both_storages<double>(mostly_zero(14, 33),
                               [&]<class Scalar>(const MatrixSource<Scalar>& source, const Matrix<Scalar>&) {
                                 expect_same_after_stops(source, solver, epochs<Scalar>(all_epochs, rank));
                               });
    }
}

TEST_P(Resume, KeepsTheClockOfAStepThatFalls) {
  if (!has_option(solver_named(GetParam()), "step_decay_clock")) return;
  for (const char* clock : {"epoch", "step"}) {
    SCOPED_TRACE(clock);
    const SolverOptions solver = configured(GetParam(), {{"batch_size", "8"},
                                                         {"step_decay", "0.1"},
                                                         {"step_decay_power", "0.7"},
                                                         {"step_decay_clock", clock}});
    const Matrix<double> V = mostly_zero(14, 33);
    expect_same_after_stops(*view(V), solver, epochs<double>(all_epochs, rank));
    expect_same_after_interruptions(*view(V), V, solver);
  }
}

TEST_P(Resume, KeepsPenalties) {
  if (GetParam() == "inmf") return;
  FitOptions<double> options = epochs<double>(all_epochs, rank);
  options.penalties = {0.3, 0.2, 0.1, 0.2};
  const Matrix<double> V = mostly_zero(14, 33);
  expect_same_after_stops(*view(V), configured(GetParam(), {{"batch_size", "8"}}), options);
}

// A start so good that noisy steps can only spoil it: the safeguard has to step in.
template <class Scalar>
FitOptions<Scalar> from_a_good_start(const Matrix<Scalar>& V) {
  const auto good = fit(*view(V), HalsAccOptions{}, epochs<Scalar>(100, rank));
  FitOptions<Scalar> options = epochs<Scalar>(all_epochs, rank);
  options.given.W = good.W;
  options.given.H = good.H;
  return options;
}

TEST_P(Resume, GoesOnAfterARollback) {
  if (!has_option(solver_named(GetParam()), "safeguard") || GetParam().starts_with("inc-")) return;
  Index rollbacks = 0;
  in_every_form(
      noisy(14, 33, rank), [&]<class Scalar>(const MatrixSource<Scalar>& source, const Matrix<Scalar>& V) {
        const SolverOptions solver = configured(
            GetParam(), {{"batch_size", "2"}, {"outlier_penalty", "1000"}, {"correction", "unbiased"}});
        const FitOptions<Scalar> options = from_a_good_start(V);
        const auto whole = fit(source, solver, options);
        for (const EpochRecord& entry : whole.history)
          if (entry.rolled_back) {
            ++rollbacks;
            expect_same_after_stop(source, solver, options, whole, entry.epoch);
          }
      });
  EXPECT_GT(rollbacks, 0) << "nothing was tested";
}

// The parts of all batches and the last move, or nothing of them after a rollback.
TEST_P(Resume, GoesOnWithReplacedParts) {
  if (!GetParam().starts_with("svrmu")) return;
  Index rollbacks = 0;
  for (const char* loss : {"kl", "is", "beta:3"})
    for (const char* order : {"permute_once", "reshuffle"}) {
      SCOPED_TRACE(std::string(loss) + ", " + order);
      const SolverOptions solver = configured(GetParam(), {{"batch_size", "6"}, {"order", order}});
      in_every_form(positive(14, 33, rank),
                    [&]<class Scalar>(const MatrixSource<Scalar>& source, const Matrix<Scalar>&) {
                      FitOptions<Scalar> options = epochs<Scalar>(12, rank);
                      options.loss = parse_loss(loss);
                      const auto whole = fit(source, solver, options);
                      rollbacks += whole.history.back().rollbacks;
                      for (Index epoch = 1; epoch < 12; ++epoch)
                        expect_same_after_stop(source, solver, options, whole, epoch);
                    });
    }
  if (GetParam() == "svrmu") {
    EXPECT_GT(rollbacks, 0) << "no rollback was tested";
  }
}

TEST_P(Resume, GoesOnAfterAStopInTheMiddleOfAnEpoch) {
  const SolverOptions solver = configured(GetParam(), {{"batch_size", "8"}});
  in_every_form(mostly_zero(14, 33),
                [&]<class Scalar>(const MatrixSource<Scalar>& source, const Matrix<Scalar>& V) {
                  expect_same_after_interruptions(source, V, solver);
                });
}

TEST_P(Resume, GoesOnAfterAStopAmongAFewSteps) {
  if (!has_option(solver_named(GetParam()), "inner_steps")) return;
  const SolverOptions solver = configured(GetParam(), {{"batch_size", "4"}, {"inner_steps", "7"}});
  const Matrix<double> V = mostly_zero(14, 33);
  expect_same_after_interruptions(*view(V), V, solver);
}

TEST_P(Resume, GoesOnAfterTheObserverStopped) {
  const SolverOptions solver = configured(GetParam(), {{"batch_size", "8"}});
  const Matrix<double> V = mostly_zero(14, 33);
  FitOptions<double> options = epochs<double>(all_epochs, rank);
  const auto whole = fit(*view(V), solver, options);
  options.observer = [](const EpochRecord& r) { return r.epoch == 3 ? Flow::stop : Flow::keep_going; };
  const auto part = fit(*view(V), solver, options);
  EXPECT_EQ(part.reason, StopReason::cancelled);
  EXPECT_EQ(part.history.size(), 4u);
  options.observer = {};
  const auto resumed = resume(*view(V), part, options);
  expect_same_bits(resumed, whole);
  expect_same_history(resumed, whole);
}

// Without an evaluation at each epoch, the factors of a stop may be none that were evaluated.
TEST_P(Resume, GoesOnAfterAStopBetweenEvaluations) {
  const SolverOptions solver = configured(GetParam(), {{"batch_size", "8"}});
  if (GetParam().starts_with("svrmu") || GetParam().starts_with("r-svrmu") ||
      GetParam().starts_with("sag-mu") || GetParam() == "mu-ext")
    return;
  const Matrix<double> V = noisy(14, 33, rank);
  const auto source = view(V);
  FitOptions<double> options = from_a_good_start(V);
  options.evaluate_every = 4;
  const auto whole = fit(*source, solver, options);
  for (int stop_at_batch = 5; stop_at_batch < 60; stop_at_batch += 6) {
    SCOPED_TRACE("stopped at batch " + std::to_string(stop_at_batch));
    std::stop_source stop;
    int served = 0;
    const WatchedSource<double> watched(*source, [&](std::size_t) {
      if (++served == stop_at_batch) stop.request_stop();
    });
    FitOptions<double> stopped = options;
    stopped.stop = stop.get_token();
    const auto part = fit_unless_cancelled<double>(watched, solver, stopped);
    if (!part) continue;
    verify_result(V, *part);
    const auto resumed = resume(*source, *part, options);
    verify_result(V, resumed);
    expect_same_bits(resumed, whole);
    expect_same_history(resumed, whole);
  }
}

TEST_P(Resume, WorksInATeam) {
  const SolverOptions solver = configured(GetParam(), {{"batch_size", "8"}});
  in_both_storages<double>(
      mostly_zero(14, 33), [&]<class Scalar>(const MatrixSource<Scalar>& source, const Matrix<Scalar>&) {
        run_team(3, [&](const Team& team) {
          const auto share = share_of(source, team);
          const auto whole = fit(*share, solver, epochs<Scalar>(all_epochs, rank), team);
          const auto part = fit(*share, solver, epochs<Scalar>(4, rank), team);
          const auto resumed = resume(*share, part, epochs<Scalar>(all_epochs, rank), team);
          expect_same_bits(resumed, whole);
          expect_same_history(resumed, whole);
        });
      });
}

INSTANTIATE_TEST_SUITE_P(Every, Resume, testing::ValuesIn(all_solvers()), test_name);

class ResumeVariants : public OverSolvers {};

TEST_P(ResumeVariants, GiveTheBitsOfARunThatNeverStopped) {
  const SolverOptions solver = configured("onmf", {{"batch_size", "8"}, {"statistics", GetParam()}});
  in_every_form(mostly_zero(14, 33),
                [&]<class Scalar>(const MatrixSource<Scalar>& source, const Matrix<Scalar>&) {
                  expect_same_after_stops(source, solver, epochs<Scalar>(all_epochs, rank));
                });
}

INSTANTIATE_TEST_SUITE_P(Statistics, ResumeVariants, testing::Values("reset", "accumulate", "replace"),
                         test_name);

class ResumeLosses : public OverSolvers {};

TEST_P(ResumeLosses, GiveTheBitsOfARunThatNeverStopped) {
  for (const char* solver : {"mu", "smu", "svrmu", "asag-mu"}) {
    SCOPED_TRACE(solver);
    in_every_form(positive(14, 33, rank),
                  [&]<class Scalar>(const MatrixSource<Scalar>& source, const Matrix<Scalar>&) {
                    FitOptions<Scalar> options = epochs<Scalar>(all_epochs, rank);
                    options.loss = parse_loss(GetParam());
                    expect_same_after_stops(source, configured(solver, {{"batch_size", "8"}}), options);
                  });
  }
}

INSTANTIATE_TEST_SUITE_P(Every, ResumeLosses, testing::Values("kl", "is", "beta:1.5"), test_name);

TEST(ResumeElsewhere, IsRefusedWhenTheOutliersDoNotFitV) {
  const Matrix<double> V = noisy(12, 20, rank);
  const SparseMatrix<double> few = Matrix<double>((V.array() > V.mean()).select(V, 0.0)).sparseView();
  const SparseMatrix<double> many = V.sparseView();
  const SolverOptions solver = configured("r-svrmu", {{"outlier_update", "multiplicative"}});
  const auto part = fit(*view(few), solver, epochs<double>(2, rank));
  EXPECT_THROW(resume(*view(many), part, epochs<double>(4, rank)), InvalidInput);
  EXPECT_THROW(resume(*view(V), part, epochs<double>(4, rank)), InvalidInput);
}

TEST(ResumeElsewhere, ReturnsTheFactorsOfItsReportWhenEvaluationsBecomeMoreFrequent) {
  const Matrix<double> V = noisy(12, 20, rank);
  const auto source = view(V);
  for (const int stop_after : {1, 4, 5}) {
    std::stop_source stop;
    int epochs_begun = 0;
    const WatchedSource<double> watched(*source, [&](std::size_t) {
      if (++epochs_begun > 2 * stop_after + 4) stop.request_stop();
    });
    FitOptions<double> options = epochs<double>(20, rank);
    options.evaluate_every = 3;
    options.stop = stop.get_token();
    const auto part = fit(watched, MuOptions{}, options);
    const auto rest = resume(*source, part, epochs<double>(20, rank));
    verify_result(V, rest);
  }
}

TEST(ResumeElsewhere, IsRefusedWithoutTheStateOfTheSolver) {
  const Matrix<double> V = noisy(12, 20, rank);
  auto part = fit(*view(V), solver_named("inc-mu"), epochs<double>(2, rank));
  part.checkpoint.matrices.clear();
  EXPECT_THROW(resume(*view(V), part, epochs<double>(4, rank)), InvalidInput);
}

}  // namespace
}  // namespace svrmu
