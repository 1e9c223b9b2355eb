// Shapes at the edge of what there is.
#include <gtest/gtest.h>

#include "forms.hpp"
#include "problems.hpp"
#include "verify_result.hpp"

namespace svrmu {
namespace {

class Shapes : public OverSolvers {
 protected:
  void expect_good(const Matrix<double>& values, Index rank, const Settings& settings,
                   Index count = 6) const {
    const SolverOptions solver = configured(GetParam(), settings);
    in_every_form(values, [&]<class Scalar>(const MatrixSource<Scalar>& source, const Matrix<Scalar>& V) {
      FitOptions<Scalar> options = epochs<Scalar>(count, rank);
      options.force_rank = true;
      const auto result = fit(source, solver, options);
      verify_result(V, result);
      const double start = result.history.front().objective;
      EXPECT_LE(result.record().objective, start * (1 + 8 * Tolerance<Scalar>::epsilon));
    });
  }
};

TEST_P(Shapes, BatchesThatDoNotDivideTheColumns) { expect_good(noisy(11, 23, 3), 3, {{"batch_size", "5"}}); }

TEST_P(Shapes, BatchLargerThanAllColumns) { expect_good(noisy(11, 23, 3), 3, {{"batch_size", "100"}}); }

TEST_P(Shapes, BatchOfOneColumn) { expect_good(noisy(11, 23, 3), 3, {{"batch_size", "1"}}); }

TEST_P(Shapes, AutomaticBatch) { expect_good(noisy(11, 23, 3), 3, {}); }

TEST_P(Shapes, OneColumn) { expect_good(noisy(11, 1, 1), 2, {{"batch_size", "5"}}); }

TEST_P(Shapes, OneRow) { expect_good(noisy(1, 23, 1), 2, {{"batch_size", "5"}}); }

TEST_P(Shapes, OneEntry) { expect_good(noisy(1, 1, 1), 1, {{"batch_size", "5"}}); }

TEST_P(Shapes, OneComponent) { expect_good(noisy(11, 23, 3), 1, {{"batch_size", "5"}}); }

TEST_P(Shapes, MoreComponentsThanRowsOrColumns) {
  expect_good(noisy(5, 23, 3), 9, {{"batch_size", "5"}});
  expect_good(noisy(11, 4, 3), 9, {{"batch_size", "3"}});
}

TEST_P(Shapes, MoreComponentsThanRowsAreWarnedOf) {
  const Matrix<double> V = noisy(5, 23, 3);
  FitOptions<double> options = epochs<double>(1, 9);
  options.force_rank = true;
  EXPECT_FALSE(fit(*view(V), solver_named(GetParam()), options).warnings.empty());
}

TEST_P(Shapes, EmptyRowsAndColumns) {
  Matrix<double> V = mostly_zero(12, 23);
  V.row(0).setZero();
  V.row(11).setZero();
  V.col(0).setZero();
  V.col(22).setZero();
  expect_good(V, 3, {{"batch_size", "5"}});
}

// Columns 5 to 9 are the second batch.
TEST_P(Shapes, BatchThatIsEntirelyZero) {
  Matrix<double> V = noisy(11, 23, 3);
  V.middleCols(5, 5).setZero();
  expect_good(V, 3, {{"batch_size", "5"}, {"order", "cyclic"}});
}

TEST_P(Shapes, FirstBatchThatIsEntirelyZero) {
  Matrix<double> V = noisy(11, 23, 3);
  V.leftCols(5).setZero();
  expect_good(V, 3, {{"batch_size", "5"}, {"order", "cyclic"}});
}

TEST_P(Shapes, SingleEntryThatIsNotZero) {
  Matrix<double> V = Matrix<double>::Zero(6, 9);
  V(3, 4) = 2;
  expect_good(V, 2, {{"batch_size", "2"}});
}

TEST_P(Shapes, ConstantMatrix) { expect_good(Matrix<double>::Constant(7, 13, 3), 2, {{"batch_size", "4"}}); }

TEST_P(Shapes, EveryOrderOfColumns) {
  for (const std::string order : {"cyclic", "permute_once", "reshuffle", "with_replacement"}) {
    if (GetParam().starts_with("sag-mu") && order != "cyclic" && order != "permute_once") continue;
    SCOPED_TRACE(order);
    expect_good(mostly_zero(11, 23), 3, {{"batch_size", "5"}, {"order", order}});
  }
}

INSTANTIATE_TEST_SUITE_P(Every, Shapes, testing::ValuesIn(all_solvers()), test_name);

}  // namespace
}  // namespace svrmu
