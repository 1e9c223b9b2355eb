// What C gets is what C++ gives: the same bits.
#include <gtest/gtest.h>

#include <cstring>
#include <string>
#include <utility>
#include <vector>

#include "random_matrix.hpp"
#include "svrmu/c.h"
#include "svrmu/svrmu.hpp"

namespace svrmu {
namespace {

using Pairs = std::vector<std::pair<std::string, std::string>>;

template <class Scalar>
svrmu_dense dense(const Matrix<Scalar>& V) {
  const auto size = static_cast<int64_t>(sizeof(Scalar));
  return {V.data(), size == 4 ? SVRMU_FLOAT32 : SVRMU_FLOAT64, V.rows(), V.cols(), size, size * V.rows()};
}

svrmu_options* options_of(const Pairs& pairs) {
  svrmu_options* options = nullptr;
  EXPECT_EQ(svrmu_options_new(&options), SVRMU_OK);
  for (const auto& [name, value] : pairs)
    EXPECT_EQ(svrmu_options_set(options, name.c_str(), value.c_str()), SVRMU_OK);
  return options;
}

// W and H of a model, and where they are.
struct Found {
  svrmu_model* model = nullptr;
  ~Found() { svrmu_model_free(model); }

  template <class M>
  void expect_same(const char* which, const M& expected) const {
    svrmu_dense got;
    ASSERT_EQ(svrmu_model_get_dense(model, which, &got), SVRMU_OK) << svrmu_message();
    ASSERT_EQ(got.rows, expected.rows());
    ASSERT_EQ(got.columns, expected.cols());
    const auto bytes = sizeof(typename M::Scalar) * static_cast<std::size_t>(expected.size());
    EXPECT_EQ(std::memcmp(got.data, expected.data(), bytes), 0) << which;
  }
};

void run(svrmu_job* job, Found& found) {
  ASSERT_EQ(svrmu_job_wait(job, -1), SVRMU_OK) << svrmu_message();
  ASSERT_EQ(svrmu_job_take_model(job, &found.model), SVRMU_OK) << svrmu_message();
  svrmu_job_free(job);
}

template <class Scalar>
void expect_same_fit(const Matrix<Scalar>& V, const SolverOptions& solver, const FitOptions<Scalar>& options,
                     const Pairs& pairs) {
  const FitResult<Scalar> expected = fit(*view(V), solver, options);
  const svrmu_dense data = dense(V);
  svrmu_matrix* matrix = nullptr;
  ASSERT_EQ(svrmu_matrix_dense(&data, &matrix), SVRMU_OK) << svrmu_message();
  svrmu_options* said = options_of(pairs);
  svrmu_job* job = nullptr;
  ASSERT_EQ(svrmu_start_fit(matrix, said, &job), SVRMU_OK) << svrmu_message();
  Found found;
  run(job, found);
  found.expect_same("W", expected.W);
  found.expect_same("H", expected.H);
  svrmu_options_free(said);
  svrmu_matrix_free(matrix);
}

TEST(C, FitsWithTheBitsOfTheLibrary) {
  const Matrix<double> V = random_matrix<Matrix<double>>(40, 90, 1);
  FitOptions<double> options;
  options.rank = 5;
  options.seed = 8;
  options.stopping.max_epochs = 12;
  expect_same_fit<double>(V, SolverOptions(), options, {{"rank", "5"}, {"seed", "8"}, {"max_epochs", "12"}});
  SolverOptions solver = solver_named("svrmu-acc");
  set_option(solver, "batch_size", "30");
  expect_same_fit<double>(
      V, solver, options,
      {{"rank", "5"}, {"seed", "8"}, {"epochs", "12"}, {"algorithm", "svrmu-acc"}, {"batch_size", "30"}});
  options.loss = Loss::kullback_leibler();
  options.penalties.l1_h = 0.25;
  options.restarts = 2;
  options.normalize = true;
  expect_same_fit<double>(V, solver_named("mu"), options,
                          {{"rank", "5"},
                           {"seed", "8"},
                           {"max_epochs", "12"},
                           {"algorithm", "mu"},
                           {"loss", "kl"},
                           {"l1_h", "0.25"},
                           {"restarts", "2"},
                           {"normalize", "true"}});
}

TEST(C, FitsWithTheBitsOfTheLibraryInSinglePrecision) {
  const Matrix<float> V = random_matrix<Matrix<float>>(40, 90, 2);
  FitOptions<float> options;
  options.rank = 3;
  options.stopping.max_epochs = 6;
  expect_same_fit<float>(V, solver_by_preset("svrmu", "paper"), options,
                         {{"rank", "3"}, {"epochs", "6"}, {"algorithm", "svrmu"}, {"preset", "paper"}});
}

TEST(C, LearnsFromAStreamWithTheBitsOfTheLibrary) {
  const Matrix<double> V = random_matrix<Matrix<double>>(20, 200, 3);
  StreamOptions<double> how;
  how.forget_factor = 0.75;
  const FitResult<double> expected = fit_stream(*view(V), solver_named("onmf"), {.rank = 3, .seed = 4}, how);
  const svrmu_dense data = dense(V);
  svrmu_matrix* matrix = nullptr;
  ASSERT_EQ(svrmu_matrix_dense(&data, &matrix), SVRMU_OK);
  svrmu_options* said =
      options_of({{"rank", "3"}, {"seed", "4"}, {"algorithm", "onmf"}, {"forget_factor", "0.75"}});
  svrmu_job* job = nullptr;
  ASSERT_EQ(svrmu_start_stream(matrix, said, &job), SVRMU_OK) << svrmu_message();
  Found found;
  run(job, found);
  found.expect_same("W", expected.W);
  svrmu_options_free(said);
  svrmu_matrix_free(matrix);
}

TEST(C, TransformsWithTheBitsOfTheLibrary) {
  const Matrix<double> V = random_matrix<Matrix<double>>(20, 50, 5);
  FitOptions<double> options;
  options.rank = 4;
  options.stopping.max_epochs = 5;
  const FitResult<double> model = fit(*view(V), solver_named("mu"), options);
  const Matrix<double> H = transform(*view(V), model).H;
  const svrmu_dense data = dense(V);
  svrmu_matrix* matrix = nullptr;
  ASSERT_EQ(svrmu_matrix_dense(&data, &matrix), SVRMU_OK);
  svrmu_options* said = options_of({{"rank", "4"}, {"epochs", "5"}, {"algorithm", "mu"}});
  svrmu_job* job = nullptr;
  ASSERT_EQ(svrmu_start_fit(matrix, said, &job), SVRMU_OK) << svrmu_message();
  Found found;
  run(job, found);
  ASSERT_EQ(svrmu_start_transform(matrix, found.model, nullptr, &job), SVRMU_OK) << svrmu_message();
  ASSERT_EQ(svrmu_job_wait(job, -1), SVRMU_OK) << svrmu_message();
  svrmu_transformed got;
  ASSERT_EQ(svrmu_job_get_transformed(job, &got, sizeof got), SVRMU_OK);
  ASSERT_EQ(got.H.rows, H.rows());
  ASSERT_EQ(got.H.columns, H.cols());
  EXPECT_EQ(std::memcmp(got.H.data, H.data(), sizeof(double) * static_cast<std::size_t>(H.size())), 0);
  svrmu_job_free(job);
  svrmu_options_free(said);
  svrmu_matrix_free(matrix);
}

}  // namespace
}  // namespace svrmu
