// Outliers: kept and moved by their multiplicative rule, or in closed form.
#include <gtest/gtest.h>

#include "compare.hpp"
#include "forms.hpp"
#include "problems.hpp"
#include "verify_result.hpp"

namespace svrmu {
namespace {

const std::vector<Settings>& models() {
  static const std::vector<Settings> all = {
      {{"outlier_update", "closed_form"}},
      {{"outlier_update", "multiplicative"}, {"outlier_step", "simultaneous"}},
      {{"outlier_update", "multiplicative"}, {"outlier_step", "sequential"}}};
  return all;
}

SolverOptions with_model(const std::string& name, const Settings& model, const std::string& penalty = "0.3") {
  return configured(configured(name, {{"batch_size", "7"}, {"outlier_penalty", penalty}}), model);
}

class Robust : public OverSolvers {};

TEST_P(Robust, ResultsAreWhatTheirReportsSay) {
  for (const Settings& model : models()) {
    SCOPED_TRACE(model.back().second);
    in_every_form(with_outliers(16, 33, 3),
                  [&]<class Scalar>(const MatrixSource<Scalar>& source, const Matrix<Scalar>& V) {
                    const auto result = fit(source, with_model(GetParam(), model), epochs<Scalar>(15, 3));
                    verify_result(V, result);
                    EXPECT_LT(result.record().objective, 0.9 * result.history.front().objective);
                    EXPECT_GT(outliers_of(result).sum(), 0);
                  });
  }
}

TEST_P(Robust, SparseAndDenseGiveTheSameFactorsAndOutliers) {
  for (const Settings& model : models()) {
    SCOPED_TRACE(model.back().second);
    const auto compare = [&]<class Scalar>(const Matrix<Scalar>& V) {
      SCOPED_TRACE(precision_name<Scalar>());
      const SparseMatrix<Scalar> sparse = V.sparseView();
      const SolverOptions solver = with_model(GetParam(), model);
      expect_close(fit(*view(sparse), solver, epochs<Scalar>(6, 3)),
                   fit(*view(V), solver, epochs<Scalar>(6, 3)), Tolerance<Scalar>::storage);
    };
    const Matrix<double> V = positive(16, 33, 3);
    compare(V);
    compare(Matrix<float>(V.cast<float>()));
  }
}

TEST_P(Robust, OutliersOfSparseDataStayOnItsPattern) {
  for (const Settings& model : models()) {
    SCOPED_TRACE(model.back().second);
    const Matrix<double> V = mostly_zero(16, 33);
    const SparseMatrix<double> sparse = V.sparseView();
    const auto result = fit(*view(sparse), with_model(GetParam(), model), epochs<double>(6, 3));
    for (Index j = 0; j < V.cols(); ++j)
      for (SparseMatrix<double>::InnerIterator it(result.R_sparse, j); it; ++it)
        EXPECT_GT(V(it.row(), j), 0) << it.row() << ", " << j;
  }
}

TEST_P(Robust, PlantedOutliersAreFound) {
  const Matrix<double> clean = planted(16, 60, 3).V;
  const Matrix<double> V = with_outliers(16, 60, 3);
  const SolverOptions solver = configured(with_model(GetParam(), models()[0], "0.1"), {{"batch_size", "20"}});
  const auto result = fit(*view(V), solver, epochs<double>(200, 3));
  const Matrix<double> R = outliers_of(result);
  const Matrix<double> planted_R = V - clean;
  EXPECT_LT((R - planted_R).norm(), 0.15 * planted_R.norm());
}

TEST_P(Robust, LargePenaltyIsTheMethodWithoutOutliers) {
  const Matrix<double> V = noisy(16, 33, 3);
  const std::string plain = GetParam() == "r-nmf" ? "mu" : GetParam().substr(2);
  const auto robust = fit(*view(V), with_model(GetParam(), models()[0], "1e6"), epochs<double>(10, 3));
  const auto without = fit(*view(V), configured(plain, {{"batch_size", "7"}}), epochs<double>(10, 3));
  EXPECT_EQ(outliers_of(robust).sum(), 0);
  EXPECT_LT(distance(robust.W, without.W), 1e-10);
  EXPECT_LT(distance(robust.H, without.H), 1e-10);
}

TEST_P(Robust, EveryStartOfOutliersIsWhatItsReportSays) {
  for (const char* start : {"scaled_uniform", "uniform", "residual"}) {
    SCOPED_TRACE(start);
    Settings settings = models()[1];
    settings.emplace_back("outlier_start", start);
    in_every_form(with_outliers(16, 33, 3),
                  [&]<class Scalar>(const MatrixSource<Scalar>& source, const Matrix<Scalar>& V) {
                    const SolverOptions solver = with_model(GetParam(), settings);
                    verify_result(V, fit(source, solver, epochs<Scalar>(0, 3)));
                    verify_result(V, fit(source, solver, epochs<Scalar>(5, 3)));
                  });
  }
}

TEST_P(Robust, MonotoneWhereTheoryPromisesIt) {
  if (GetParam() != "r-nmf") return;
  for (const Settings& model : {models()[0], models()[2]}) {
    in_every_form(with_outliers(16, 33, 3),
                  [&]<class Scalar>(const MatrixSource<Scalar>& source, const Matrix<Scalar>& V) {
                    const double size = V.template cast<double>().squaredNorm() / 2;
                    const auto result = fit(source, with_model(GetParam(), model), epochs<Scalar>(40, 3));
                    for (std::size_t i = 1; i < result.history.size(); ++i)
                      EXPECT_LE(result.history[i].objective,
                                result.history[i - 1].objective + Tolerance<Scalar>::rise * size)
                          << "epoch " << i;
                  });
  }
}

INSTANTIATE_TEST_SUITE_P(Every, Robust, testing::ValuesIn(solvers_with("outlier_penalty")), test_name);

}  // namespace
}  // namespace svrmu
