// A V of low rank is found again.
#include <gtest/gtest.h>

#include <map>

#include "forms.hpp"
#include "problems.hpp"
#include "verify_result.hpp"

namespace svrmu {
namespace {

// Relative error after 300 epochs from a random start. Least squares arrives; multiplicative steps creep near
// zeros, of which W and H are full; with outliers the penalty of 0.001 holds WH a little below V.
double bound_of(const std::string& solver, double arrived) {
  if (solver.starts_with("hals") || solver == "fast" || solver == "inc-hals") return arrived;
  const std::map<std::string, double> bounds = {
      {"mu", 1e-2},       {"mu-acc", 5e-4},     {"r-nmf", 1e-2},       {"r-svrmu", 1e-2},
      {"r-onmf", 1e-2},   {"r-onmf-acc", 1e-2}, {"r-svrmu-acc", 1e-2}, {"smu-acc", 2e-3},
      {"onmf-acc", 2e-3}, {"inc-mu-acc", 2e-3}};
  const auto found = bounds.find(solver);
  return found != bounds.end() ? found->second : 5e-3;
}

class Recovery : public OverSolvers {};

TEST_P(Recovery, PlantedRankIsFound) {
  const SolverOptions solver = configured(GetParam(), {{"batch_size", "20"}, {"outlier_penalty", "0.001"}});
  in_every_form(
      planted(20, 60, 3).V, [&]<class Scalar>(const MatrixSource<Scalar>& source, const Matrix<Scalar>& V) {
        const auto result = fit(source, solver, epochs<Scalar>(300, 3));
        verify_result(V, result);
        EXPECT_LT(result.record().relative_error, bound_of(GetParam(), Tolerance<Scalar>::fixed_point));
      });
}

INSTANTIATE_TEST_SUITE_P(Every, Recovery, testing::ValuesIn(all_solvers()), test_name);

// One component too few cannot be enough.
TEST_P(Recovery, OneComponentFewerLeavesAnError) {
  const SolverOptions solver = configured(GetParam(), {{"batch_size", "20"}, {"outlier_penalty", "1000"}});
  const Matrix<double> V = planted(20, 60, 3).V;
  EXPECT_GT(fit(*view(V), solver, epochs<double>(50, 2)).record().relative_error, 0.1);
}

}  // namespace
}  // namespace svrmu
