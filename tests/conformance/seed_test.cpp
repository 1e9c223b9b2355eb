// The seed decides everything that is random.
#include <gtest/gtest.h>

#include "compare.hpp"
#include "forms.hpp"
#include "problems.hpp"

namespace svrmu {
namespace {

class Seeds : public OverSolvers {};

TEST_P(Seeds, SameSeedGivesTheSameBits) {
  const SolverOptions solver = configured(GetParam(), {{"batch_size", "6"}});
  in_every_form(mostly_zero(14, 33),
                [&]<class Scalar>(const MatrixSource<Scalar>& source, const Matrix<Scalar>&) {
                  const auto once = fit(source, solver, epochs<Scalar>(5, 3, 7));
                  const auto again = fit(source, solver, epochs<Scalar>(5, 3, 7));
                  expect_same_bits(once, again);
                  expect_same_history(once, again);
                });
}

TEST_P(Seeds, OtherSeedsGiveOtherAnswers) {
  const SolverOptions solver = configured(GetParam(), {{"batch_size", "6"}});
  in_every_form(mostly_zero(14, 33),
                [&]<class Scalar>(const MatrixSource<Scalar>& source, const Matrix<Scalar>&) {
                  const auto one = fit(source, solver, epochs<Scalar>(5, 3, 7));
                  const auto other = fit(source, solver, epochs<Scalar>(5, 3, 8));
                  EXPECT_GT(distance(one.W, other.W), 1e-3);
                  EXPECT_GT(distance(one.H, other.H), 1e-3);
                });
}

TEST_P(Seeds, BestOfSeveralRestartsIsTheRunOfItsSeed) {
  const SolverOptions solver = configured(GetParam(), {{"batch_size", "6"}});
  in_every_form(mostly_zero(14, 33),
                [&]<class Scalar>(const MatrixSource<Scalar>& source, const Matrix<Scalar>&) {
                  FitOptions<Scalar> options = epochs<Scalar>(4, 3, 20);
                  options.restarts = 3;
                  const auto best = fit(source, solver, options);
                  for (const std::uint64_t seed : {20, 21, 22}) {
                    const auto one = fit(source, solver, epochs<Scalar>(4, 3, seed));
                    EXPECT_LE(best.record().objective, one.record().objective);
                    if (seed == best.seed) expect_same_bits(best, one);
                  }
                });
}

INSTANTIATE_TEST_SUITE_P(Every, Seeds, testing::ValuesIn(all_solvers()), test_name);

// With the start given, the order of columns is all that is left to the seed.
TEST(SeedOfTheOrder, DecidesOnlyWhereTheOrderIsRandom) {
  const Matrix<double> V = noisy(14, 33, 3);
  for (const std::string order : {"cyclic", "permute_once", "reshuffle", "with_replacement"}) {
    SCOPED_TRACE(order);
    const SolverOptions solver = configured("smu", {{"batch_size", "6"}, {"order", order}});
    const auto run = [&](std::uint64_t seed) {
      FitOptions<double> options = epochs<double>(3, 2, seed);
      options.given.W = random_matrix(14, 2, 5);
      options.given.H = random_matrix(2, 33, 6);
      return fit(*view(V), solver, options);
    };
    const double apart = distance(run(1).W, run(2).W);
    if (order == "cyclic")
      EXPECT_EQ(apart, 0);
    else
      EXPECT_GT(apart, 1e-6);
  }
}

}  // namespace
}  // namespace svrmu
