// The units of V do not matter.
#include <gtest/gtest.h>

#include "forms.hpp"
#include "problems.hpp"
#include "verify_result.hpp"

namespace svrmu {
namespace {

template <class Scalar>
std::vector<double> scales() {
  if (std::is_same_v<Scalar, float>) return {1e-30, 1e30};
  return {1e-30, 1e-12, 1e12, 1e30};
}

class Units : public OverSolvers {
 protected:
  // options(s) belong to V in units of which 1/s is one.
  template <class Scalar, class Options>
  void expect_same_relative_error(const SolverOptions& solver, const Matrix<double>& values,
                                  const Options& options) const {
    std::vector<double> plain;
    in_both_storages<Scalar>(values, [&](const auto& source, const auto&) {
      plain.push_back(fit(source, solver, options(1.0)).record().relative_error);
    });
    for (const double scale : scales<Scalar>()) {
      SCOPED_TRACE("V times " + std::to_string(std::log10(scale)) + " decades");
      std::size_t form = 0;
      in_both_storages<Scalar>(values * scale, [&](const auto& source, const auto& V) {
        const auto result = fit(source, solver, options(scale));
        verify_result(V, result);
        EXPECT_NEAR(result.record().relative_error, plain[form], Tolerance<Scalar>::units * plain[form]);
        ++form;
      });
    }
  }
};

TEST_P(Units, RelativeErrorDoesNotDependOnThem) {
  const SolverOptions solver = configured(GetParam(), {{"batch_size", "10"}});
  const Matrix<double> V = mostly_zero(14, 40);
  expect_same_relative_error<double>(solver, V, [](double) { return epochs<double>(8, 3); });
  expect_same_relative_error<float>(solver, V, [](double) { return epochs<float>(8, 3); });
}

TEST_P(Units, RelativeErrorFromAGivenStartDoesNotDependOnThem) {
  const SolverOptions solver = configured(GetParam(), {{"batch_size", "10"}});
  const Matrix<double> V = mostly_zero(14, 40);
  const auto options = []<class Scalar>(double scale, Scalar) {
    FitOptions<Scalar> o = epochs<Scalar>(8, 3);
    o.given.W = random_matrix(14, 3, 5).cast<Scalar>();
    o.given.H = (random_matrix(3, 40, 6) * scale).cast<Scalar>();
    return o;
  };
  expect_same_relative_error<double>(solver, V, [&](double scale) { return options(scale, 0.0); });
  expect_same_relative_error<float>(solver, V, [&](double scale) { return options(scale, 0.0f); });
}

TEST_P(Units, PenaltiesFollowThem) {
  if (GetParam() == "inmf") return;
  // Balancing the start would move weight between W and H, and so between their penalties.
  const SolverOptions solver = configured(GetParam(), {{"batch_size", "10"}, {"initial_scaling", "off"}});
  const auto options = [](double scale) {
    FitOptions<double> o = epochs<double>(8, 3);
    // All of the scale in H: the objective is scale^2 times as large.
    o.given.W = random_matrix(14, 3, 5);
    o.given.H = random_matrix(3, 40, 6) * scale;
    o.penalties = {
        .l1_w = 0.3 * scale * scale, .l2_w = 0.2 * scale * scale, .l1_h = 0.1 * scale, .l2_h = 0.2};
    return o;
  };
  expect_same_relative_error<double>(solver, noisy(14, 40, 3), options);
}

INSTANTIATE_TEST_SUITE_P(Every, Units, testing::ValuesIn(all_solvers()), test_name);

class UnitsOfLoss : public Units {};

TEST_P(UnitsOfLoss, RelativeErrorDoesNotDependOnThem) {
  for (const char* loss : {"kl", "is", "beta:0.5", "beta:1.5", "beta:3"}) {
    SCOPED_TRACE(loss);
    const auto options = [&](double) {
      FitOptions<double> o = epochs<double>(8, 3);
      o.loss = parse_loss(loss);
      return o;
    };
    expect_same_relative_error<double>(configured(GetParam(), {{"batch_size", "10"}}), positive(14, 40, 3),
                                       options);
  }
}

INSTANTIATE_TEST_SUITE_P(Every, UnitsOfLoss, testing::Values("mu", "smu", "svrmu", "asag-mu"), test_name);

}  // namespace
}  // namespace svrmu
