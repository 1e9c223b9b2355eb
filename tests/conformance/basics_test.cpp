// What every solver owes on any V: factors that are what the report says, and descent.
#include <gtest/gtest.h>

#include "forms.hpp"
#include "problems.hpp"
#include "verify_result.hpp"

namespace svrmu {
namespace {

const Settings small_batches = {{"batch_size", "6"}};

class Basics : public OverSolvers {};

TEST_P(Basics, ResultsAreWhatTheirReportsSay) {
  const SolverOptions solver = configured(GetParam(), small_batches);
  for (const NamedProblem& problem : tiny_problems()) {
    SCOPED_TRACE(problem.name);
    in_every_form(problem.V, [&]<class Scalar>(const MatrixSource<Scalar>& source, const Matrix<Scalar>& V) {
      const auto result = fit(source, solver, epochs<Scalar>(15, problem.rank));
      verify_result(V, result);
      EXPECT_EQ(result.reason, StopReason::epoch_limit);
      EXPECT_EQ(result.history.size(), 16u);
    });
  }
}

TEST_P(Basics, StartIsReportedAsItIs) {
  const SolverOptions solver = configured(GetParam(), small_batches);
  in_every_form(noisy(15, 30, 4),
                [&]<class Scalar>(const MatrixSource<Scalar>& source, const Matrix<Scalar>& V) {
                  const auto result = fit(source, solver, epochs<Scalar>(0, 4));
                  verify_result(V, result);
                  EXPECT_EQ(result.history.size(), 1u);
                  EXPECT_EQ(result.record().columns_read, result.history.front().columns_read);
                });
}

TEST_P(Basics, ObjectiveFalls) {
  const SolverOptions solver = configured(GetParam(), small_batches);
  for (const NamedProblem& problem : tiny_problems()) {
    SCOPED_TRACE(problem.name);
    in_every_form(problem.V, [&]<class Scalar>(const MatrixSource<Scalar>& source, const Matrix<Scalar>&) {
      const auto result = fit(source, solver, epochs<Scalar>(10, problem.rank));
      EXPECT_LT(result.record().objective, 0.9 * result.history.front().objective);
      for (const EpochRecord& entry : result.history)
        EXPECT_GE(entry.objective, result.record().objective - 1e-6 * result.history.front().objective);
    });
  }
}

TEST_P(Basics, ExactFactorizationIsAFixedPoint) {
  const SolverOptions solver = configured(GetParam(), {{"batch_size", "6"}, {"outlier_penalty", "1000"}});
  const Planted p = planted(14, 27, 3);
  in_every_form(p.V, [&]<class Scalar>(const MatrixSource<Scalar>& source, const Matrix<Scalar>& V) {
    FitOptions<Scalar> options = epochs<Scalar>(5, 3);
    options.given.W = p.W.cast<Scalar>();
    options.given.H = p.H.cast<Scalar>();
    const auto result = fit(source, solver, options);
    verify_result(V, result);
    for (const EpochRecord& entry : result.history)
      EXPECT_LT(entry.relative_error, Tolerance<Scalar>::fixed_point) << "epoch " << entry.epoch;
    const Matrix<double> found = plain_product(result.checkpoint.current.W.template cast<double>(),
                                               result.checkpoint.current.H.template cast<double>());
    EXPECT_LT((found - p.V).norm() / p.V.norm(), Tolerance<Scalar>::fixed_point);
  });
}

INSTANTIATE_TEST_SUITE_P(Every, Basics, testing::ValuesIn(all_solvers()), test_name);

class Monotone : public OverSolvers {};

TEST_P(Monotone, ObjectiveNeverRises) {
  const SolverOptions solver = configured(GetParam(), small_batches);
  for (const NamedProblem& problem : tiny_problems()) {
    SCOPED_TRACE(problem.name);
    in_every_form(problem.V, [&]<class Scalar>(const MatrixSource<Scalar>& source, const Matrix<Scalar>& V) {
      const double size = V.template cast<double>().squaredNorm() / 2;
      const auto result = fit(source, solver, epochs<Scalar>(40, problem.rank));
      for (std::size_t i = 1; i < result.history.size(); ++i)
        EXPECT_LE(result.history[i].objective,
                  result.history[i - 1].objective + Tolerance<Scalar>::rise * size)
            << "epoch " << i;
      EXPECT_EQ(result.history.back().rollbacks, 0);
    });
  }
}

INSTANTIATE_TEST_SUITE_P(ByTheory, Monotone,
                         testing::Values("mu", "mu-acc", "hals", "hals-acc", "hals-ext", "fast", "r-nmf",
                                         "inc-mu", "inc-mu-acc", "inc-hals"),
                         test_name);

}  // namespace
}  // namespace svrmu
