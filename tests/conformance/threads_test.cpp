// The number of threads does not change a bit. The shapes have several tiles in every direction.
#include <gtest/gtest.h>

#include "compare.hpp"
#include "forms.hpp"
#include "problems.hpp"

namespace svrmu {
namespace {

template <class Scalar>
void expect_same_bits_for_all_threads(const MatrixSource<Scalar>& source, const SolverOptions& solver,
                                      FitOptions<Scalar> options) {
  const auto one = fit(source, solver, options);
  for (const int threads : {2, 3, 5}) {
    SCOPED_TRACE(std::to_string(threads) + " threads");
    options.threads = threads;
    const auto more = fit(source, solver, options);
    expect_same_bits(more, one);
    expect_same_history(more, one);
  }
}

template <class Scalar>
void expect_same_bits_in_both_storages(const SolverOptions& solver, const FitOptions<Scalar>& options,
                                       const Matrix<double>& dense, const Matrix<double>& mostly_empty) {
  SCOPED_TRACE(precision_name<Scalar>());
  const Matrix<Scalar> V = dense.cast<Scalar>();
  const SparseMatrix<Scalar> S = mostly_empty.cast<Scalar>().sparseView();
  expect_same_bits_for_all_threads(*view(V), solver, options);
  expect_same_bits_for_all_threads(*view(S), solver, options);
}

const Matrix<double>& wide() {
  static const Matrix<double> V = positive(300, 700, 5);
  return V;
}
const Matrix<double>& tall() {
  static const Matrix<double> V = mostly_zero(1500, 400, 3, 0.03);
  return V;
}

class Threads : public OverSolvers {};

TEST_P(Threads, DoNotChangeABit) {
  const SolverOptions solver = configured(GetParam(), {{"batch_size", "150"}});
  expect_same_bits_in_both_storages(solver, epochs<double>(2, 7), wide(), tall());
  expect_same_bits_in_both_storages(solver, epochs<float>(2, 7), wide(), tall());
}

TEST_P(Threads, DoNotChangeABitOfKeptOutliers) {
  if (!is_robust_name(GetParam())) return;
  for (const std::string step : {"simultaneous", "sequential"}) {
    const SolverOptions solver = configured(
        GetParam(), {{"batch_size", "150"}, {"outlier_update", "multiplicative"}, {"outlier_step", step}});
    expect_same_bits_in_both_storages(solver, epochs<double>(2, 7), wide(), tall());
    expect_same_bits_in_both_storages(solver, epochs<float>(2, 7), wide(), tall());
  }
}

INSTANTIATE_TEST_SUITE_P(Every, Threads, testing::ValuesIn(all_solvers()), test_name);

class ThreadsWithLoss : public OverSolvers {};

TEST_P(ThreadsWithLoss, DoNotChangeABit) {
  const Loss loss = parse_loss(GetParam());
  const Matrix<double>& second = loss.beta > 0 ? tall() : wide();
  for (const char* name : {"mu", "smu", "svrmu", "asag-mu"}) {
    SCOPED_TRACE(name);
    const SolverOptions solver = configured(name, {{"batch_size", "150"}});
    FitOptions<double> in_double = epochs<double>(1, 5);
    FitOptions<float> in_float = epochs<float>(1, 5);
    in_double.loss = in_float.loss = loss;
    expect_same_bits_in_both_storages(solver, in_double, wide(), second);
    expect_same_bits_in_both_storages(solver, in_float, wide(), second);
  }
}

INSTANTIATE_TEST_SUITE_P(Every, ThreadsWithLoss, testing::Values("kl", "is", "beta:1.5"), test_name);

TEST(ThreadsWithRule, DoNotChangeABit) {
  for (const std::string rule : {"paper", "gillis"}) {
    const SolverOptions solver = configured("svrmu", {{"batch_size", "150"}, {"h_rule", rule}});
    expect_same_bits_in_both_storages(solver, epochs<double>(2, 7), wide(), tall());
  }
}

TEST(ThreadsWithStart, DoNotChangeABit) {
  for (const Start start : {Start::svd_abs, Start::nndsvda, Start::nndsvdar}) {
    FitOptions<double> options = epochs<double>(1, 7);
    options.start = start;
    expect_same_bits_in_both_storages<double>(MuOptions{}, options, wide(), tall());
  }
}

}  // namespace
}  // namespace svrmu
