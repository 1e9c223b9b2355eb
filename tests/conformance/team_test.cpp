// Several processes, played by threads, give the answer of one.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>
#include <stop_token>

#include <vector>

#include "compare.hpp"
#include "forms.hpp"
#include "problems.hpp"
#include "sources.hpp"
#include "thread_team.hpp"

namespace svrmu {
namespace {

constexpr double agreement = 1e-10;
constexpr Index rank = 4;

struct Together {
  FitResult<double> first;           // what member 0 says
  std::vector<RowMatrix<double>> W;  // of every member
  Matrix<double> H;                  // all columns, put together
  Matrix<double> R;
};

Together run_together(int size, const MatrixSource<double>& whole, const SolverOptions& solver,
                      const FitOptions<double>& options) {
  Together t;
  t.W.resize(static_cast<std::size_t>(size));
  t.H.resize(options.rank, whole.samples());
  t.R = Matrix<double>::Zero(whole.features(), whole.samples());
  run_team(size, [&](const Team& team) {
    const auto result = fit(*share_of(whole, team), solver, options, team);
    const Matrix<double> R = outliers_of(result);
    t.W[static_cast<std::size_t>(team.member())] = result.W;
    for (Index n = 0; n < result.H.cols(); ++n) {
      t.H.col(n * size + team.member()) = result.H.col(n);
      if (R.size() > 0) t.R.col(n * size + team.member()) = R.col(n);
    }
    if (team.member() == 0) t.first = result;
  });
  return t;
}

void expect_agreement(const MatrixSource<double>& source, const SolverOptions& solver,
                      const FitOptions<double>& options) {
  const auto alone = fit(source, solver, options);
  for (const int size : {2, 3, 7}) {
    SCOPED_TRACE("team of " + std::to_string(size));
    const Together t = run_together(size, source, solver, options);
    for (const auto& W : t.W) EXPECT_TRUE(same_bits(W, t.W.front()));
    EXPECT_LT(distance(t.W.front(), alone.W), agreement);
    EXPECT_LT(distance(t.H, alone.H), agreement);
    const Matrix<double> R = outliers_of(alone);
    if (R.size() > 0) {
      EXPECT_LT(distance(t.R, R), agreement);
    }
    ASSERT_EQ(t.first.history.size(), alone.history.size());
    for (std::size_t i = 0; i < alone.history.size(); ++i) {
      const EpochRecord& a = alone.history[i];
      const EpochRecord& b = t.first.history[i];
      EXPECT_NEAR(b.objective, a.objective, agreement * a.objective) << "entry " << i;
      EXPECT_NEAR(b.relative_error, a.relative_error, agreement) << "entry " << i;
      EXPECT_EQ(b.columns_read, a.columns_read) << "entry " << i;
      EXPECT_EQ(b.gradient_count, a.gradient_count) << "entry " << i;
    }
  }
}

class Teams : public OverSolvers {};

// `fast` makes five iterations an epoch on so small a V.
FitOptions<double> some_epochs(const std::string& solver, Index components) {
  return epochs<double>(solver == "fast" ? 2 : 10, components);
}

// Batches of five: in a team of seven some members have no column of a batch.
TEST_P(Teams, AgreeWithOneProcess) {
  in_both_storages<double>(mostly_zero(20, 45), [&]<class Scalar>(const MatrixSource<Scalar>& source,
                                                                  const Matrix<Scalar>&) {
    expect_agreement(source, configured(GetParam(), {{"batch_size", "5"}}), some_epochs(GetParam(), rank));
  });
}

TEST_P(Teams, WithMembersThatHaveNoColumnsAgree) {
  in_both_storages<double>(
      noisy(12, 5, 2), [&]<class Scalar>(const MatrixSource<Scalar>& source, const Matrix<Scalar>&) {
        expect_agreement(source, configured(GetParam(), {{"batch_size", "2"}}), some_epochs(GetParam(), 2));
      });
}

INSTANTIATE_TEST_SUITE_P(Every, Teams, testing::ValuesIn(all_solvers()), test_name);

class TeamOrders : public OverSolvers {};

TEST_P(TeamOrders, AgreeWithOneProcess) {
  in_both_storages<double>(
      mostly_zero(20, 45), [&]<class Scalar>(const MatrixSource<Scalar>& source, const Matrix<Scalar>&) {
        for (const char* solver : {"svrmu", "smu", "inc-mu"}) {
          SCOPED_TRACE(solver);
          expect_agreement(source, configured(solver, {{"batch_size", "5"}, {"order", GetParam()}}),
                           epochs<double>(10, rank));
        }
      });
}

INSTANTIATE_TEST_SUITE_P(Every, TeamOrders,
                         testing::Values("cyclic", "permute_once", "reshuffle", "with_replacement"),
                         test_name);

class TeamRules : public OverSolvers {};

TEST_P(TeamRules, AgreeWithOneProcess) {
  in_both_storages<double>(
      noisy(20, 45, 3), [&]<class Scalar>(const MatrixSource<Scalar>& source, const Matrix<Scalar>&) {
        expect_agreement(source, configured("svrmu", {{"batch_size", "9"}, {"h_rule", GetParam()}}),
                         epochs<double>(10, rank));
      });
}

INSTANTIATE_TEST_SUITE_P(Adaptive, TeamRules, testing::Values("paper", "gillis"), test_name);

class TeamLosses : public OverSolvers {};

TEST_P(TeamLosses, AgreeWithOneProcess) {
  in_both_storages<double>(positive(20, 45, 3),
                           [&]<class Scalar>(const MatrixSource<Scalar>& source, const Matrix<Scalar>&) {
                             for (const char* solver : {"mu", "mu-ext", "smu", "svrmu", "asag-mu"}) {
                               SCOPED_TRACE(solver);
                               FitOptions<double> options = epochs<double>(10, rank);
                               options.loss = parse_loss(GetParam());
                               expect_agreement(source, configured(solver, {{"batch_size", "9"}}), options);
                             }
                           });
}

INSTANTIATE_TEST_SUITE_P(Every, TeamLosses, testing::Values("kl", "is", "beta:1.5"), test_name);

TEST(TeamOfThreads, RethrowsTheFirstExceptionOfAMember) {
  EXPECT_THROW(run_team(3,
                        [](const Team& team) {
                          if (team.member() == 1) throw std::runtime_error("out of luck");
                          team.max(1);
                        }),
               std::runtime_error);
}

TEST(TeamOfThreads, RefusesNegativeValuesOnEveryMember) {
  Matrix<double> V = noisy(6, 9, 2);
  V(2, 4) = -1;
  const auto source = view(V);
  EXPECT_THROW(run_together(3, *source, MuOptions{}, epochs<double>(1, 2)), InvalidInput);
}

TEST(TeamOfThreads, NamesTheFirstPlaceOfAnInfiniteValue) {
  Matrix<double> V = noisy(6, 9, 2);
  V(4, 7) = -std::numeric_limits<double>::infinity();
  const auto source = view(V);
  try {
    run_together(3, *source, MuOptions{}, epochs<double>(1, 2));
    FAIL() << "was not refused";
  } catch (const InvalidInput& refusal) {
    EXPECT_THAT(refusal.what(), testing::HasSubstr("1 infinite value, at row 5, column 8"));
  }
}

// A row out of range on one member only: the others must not wait for it.
TEST(TeamOfThreads, RefuseTogetherWhatOneMemberCannotRead) {
  const Matrix<double> V = noisy(6, 9, 2);
  const auto good = view(V);
  EXPECT_THROW(run_team(2,
                        [&](const Team& team) {
                          const auto share = share_of(*good, team);
                          const LyingSource<double> lies(*share);
                          const MatrixSource<double>& mine =
                              team.member() == 1 ? static_cast<const MatrixSource<double>&>(lies) : *share;
                          fit(mine, MuOptions{}, epochs<double>(1, 2), team);
                        }),
               InvalidInput);
}

// One member's stop token ends the epoch of all, and all can go on.
TEST(TeamOfThreads, GoOnAfterAStopThatOneMemberAskedFor) {
  const Matrix<double> V = noisy(20, 45, 3);
  const auto source = view(V);
  run_team(2, [&](const Team& team) {
    const auto share = share_of(*source, team);
    std::stop_source stop;
    FitOptions<double> options = epochs<double>(8, 3);
    if (team.member() == 0) {
      options.stop = stop.get_token();
      options.observer = [&](const EpochRecord& report) {
        if (report.epoch == 3) stop.request_stop();
        return Flow::keep_going;
      };
    }
    const SolverOptions solver = configured("svrmu", {{"batch_size", "9"}});
    const auto part = fit(*share, solver, options, team);
    EXPECT_EQ(part.reason, StopReason::cancelled);
    const auto rest = resume(*share, part, epochs<double>(8, 3), team);
    const auto whole = fit(*share, solver, epochs<double>(8, 3), team);
    EXPECT_EQ(rest.W, whole.W);
    EXPECT_EQ(rest.H, whole.H);
  });
}

TEST(Sources, ThatContradictThemselvesAreRefused) {
  const Matrix<double> V = noisy(6, 9, 2);
  const auto source = view(V);
  const LyingSource<double> lies(*source);
  EXPECT_THROW(fit(lies, MuOptions{}, epochs<double>(1, 2)), InvalidInput);
}

}  // namespace
}  // namespace svrmu
