// Penalties on W and H, for every solver that takes them.
#include <gtest/gtest.h>

#include "forms.hpp"
#include "problems.hpp"
#include "verify_result.hpp"

namespace svrmu {
namespace {

std::vector<Penalties> penalties_to_try() {
  return {{.l1_w = 0.5}, {.l2_w = 0.5}, {.l1_h = 0.2}, {.l2_h = 0.2}, {0.3, 0.2, 0.1, 0.2}};
}

class PenaltiesOn : public OverSolvers {};

TEST_P(PenaltiesOn, AreInTheReportedObjectiveWhichFalls) {
  const SolverOptions solver = configured(GetParam(), {{"batch_size", "8"}});
  for (const Penalties& penalties : penalties_to_try()) {
    SCOPED_TRACE(testing::Message() << "l1_w " << penalties.l1_w << " l2_w " << penalties.l2_w << " l1_h "
                                    << penalties.l1_h << " l2_h " << penalties.l2_h);
    in_every_form(noisy(15, 30, 4),
                  [&]<class Scalar>(const MatrixSource<Scalar>& source, const Matrix<Scalar>& V) {
                    FitOptions<Scalar> options = epochs<Scalar>(12, 4);
                    options.penalties = penalties;
                    const auto result = fit(source, solver, options);
                    verify_result(V, result);
                    EXPECT_GT(result.record().objective, result.record().cost);
                    EXPECT_LT(result.record().objective, 0.95 * result.history.front().objective);
                  });
  }
}

TEST_P(PenaltiesOn, ShrinkWhatTheyAreOn) {
  const SolverOptions solver = configured(GetParam(), {{"batch_size", "8"}});
  const Matrix<double> V = noisy(15, 30, 4);
  const auto run = [&](const Penalties& penalties) {
    FitOptions<double> options = epochs<double>(30, 4);
    options.penalties = penalties;
    return fit(*view(V), solver, options);
  };
  const auto plain = run({});
  EXPECT_LT(run({.l1_w = 2}).W.sum(), plain.W.sum());
  EXPECT_LT(run({.l2_w = 2}).W.norm(), plain.W.norm());
  EXPECT_LT(run({.l1_h = 1}).H.sum(), plain.H.sum());
  EXPECT_LT(run({.l2_h = 1}).H.norm(), plain.H.norm());
}

TEST_P(PenaltiesOn, NeverMakeAMonotoneSolverRise) {
  const bool monotone = GetParam() == "mu" || GetParam() == "mu-acc" || GetParam() == "hals" ||
                        GetParam() == "hals-acc" || GetParam() == "r-nmf" || GetParam() == "inc-mu" ||
                        GetParam() == "inc-mu-acc" || GetParam() == "hals-ext" || GetParam() == "fast" ||
                        GetParam() == "inc-hals";
  if (!monotone) return;
  const SolverOptions solver = configured(GetParam(), {{"batch_size", "8"}});
  in_every_form(noisy(15, 30, 4), [&]<class Scalar>(const MatrixSource<Scalar>& source,
                                                    const Matrix<Scalar>& V) {
    FitOptions<Scalar> options = epochs<Scalar>(30, 4);
    options.penalties = {0.3, 0.2, 0.1, 0.2};
    const auto result = fit(source, solver, options);
    const double size = V.template cast<double>().squaredNorm() / 2;
    for (std::size_t i = 1; i < result.history.size(); ++i)
      EXPECT_LE(result.history[i].objective, result.history[i - 1].objective + Tolerance<Scalar>::rise * size)
          << "epoch " << i;
  });
}

std::vector<std::string> all_but_inmf() {
  std::vector<std::string> names = all_solvers();
  std::erase(names, "inmf");
  return names;
}

INSTANTIATE_TEST_SUITE_P(Every, PenaltiesOn, testing::ValuesIn(all_but_inmf()), test_name);

TEST(PenaltiesOnInmf, AreRefusedByName) {
  const Matrix<double> V = noisy(15, 30, 4);
  FitOptions<double> options = epochs<double>(1, 4);
  options.penalties.l1_h = 1;
  EXPECT_THROW(fit(*view(V), solver_named("inmf"), options), InvalidInput);
}

class PenaltiesWithLoss : public OverSolvers {};

TEST_P(PenaltiesWithLoss, AreInTheReportedObjectiveWhichFalls) {
  for (const char* loss : {"kl", "is", "beta:1.5"}) {
    SCOPED_TRACE(loss);
    in_every_form(positive(15, 30, 4),
                  [&]<class Scalar>(const MatrixSource<Scalar>& source, const Matrix<Scalar>& V) {
                    FitOptions<Scalar> options = epochs<Scalar>(15, 4);
                    options.loss = parse_loss(loss);
                    options.penalties = {0.3, 0.2, 0.1, 0.2};
                    const auto result = fit(source, configured(GetParam(), {{"batch_size", "15"}}), options);
                    verify_result(V, result);
                    EXPECT_LT(result.record().objective, 0.95 * result.history.front().objective);
                  });
  }
}

INSTANTIATE_TEST_SUITE_P(Every, PenaltiesWithLoss, testing::Values("mu", "smu", "svrmu", "asag-mu"),
                         test_name);

}  // namespace
}  // namespace svrmu
