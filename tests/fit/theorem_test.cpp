// Theorem 4.2 of Kasai (2018): with diminishing steps the iterates come to stationary points.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <random>

#include "small_fits.hpp"

namespace svrmu {
namespace {

constexpr Index K = 5;

Matrix<double> half_normal(std::mt19937_64& bits, Index rows, Index columns) {
  const auto uniform = [&] { return (double(bits() >> 11) + 0.5) * 0x1p-53; };
  return Matrix<double>::NullaryExpr(rows, columns, [&] {
    const double radius = std::sqrt(-2 * std::log(uniform()) / std::sqrt(double(K)));
    return radius * std::abs(std::cos(2 * std::numbers::pi * uniform()));
  });
}

// Of full rank, and of rank K.
std::vector<Matrix<double>> two_sets() {
  std::mt19937_64 bits(0);
  const Matrix<double> full = half_normal(bits, 40, 120).cwiseMin(1.0);
  bits.seed(0);
  const Matrix<double> W = half_normal(bits, 40, K);
  const Matrix<double> WH = W * half_normal(bits, K, 120);
  return {full, WH / WH.maxCoeff()};
}

struct Residuals {
  double at_200 = 0;
  double at_2000 = 0;
};

// Medians of the projected gradient over the last 100 epochs, relative to the start.
Residuals residuals(const Matrix<double>& V, const std::string& name) {
  SolverOptions solver = solver_named(name);
  for (const auto& [option, value] :
       {std::pair{"batch_size", "30"}, std::pair{"inner_passes", "5"}, std::pair{"safeguard", "off"},
        std::pair{"step_decay", "0.01"}, std::pair{"step_decay_power", "0.6"}})
    set_option(solver, option, value);
  FitOptions<double> options = rank<double>(K);
  options.seed = 0;
  options.start = Start::random;
  options.stopping = {.max_epochs = 2000, .relative_change = 0, .kkt = 1e-300};
  const auto history = fit(*view(V), solver, options).history;
  const auto median_before = [&](std::size_t epoch) {
    std::vector<double> last;
    for (std::size_t i = epoch - 99; i <= epoch; ++i) last.push_back(history.at(i).kkt);
    std::nth_element(last.begin(), last.begin() + 50, last.end());
    return last[50];
  };
  return {median_before(200), median_before(2000)};
}

// They fall by 3.4 to 10.6 here: a diminishing step slows down a method whose noise vanishes anyway.
TEST(Theorem, TheResidualFallsWithDiminishingSteps) {
  for (const Matrix<double>& V : two_sets())
    for (const char* name : {"svrmu", "svrmu-acc"}) {
      const Residuals found = residuals(V, name);
      EXPECT_GT(found.at_200, 3 * found.at_2000) << name;
    }
}

}  // namespace
}  // namespace svrmu
