// Losses other than Frobenius, for the solvers that take them.
#include <gtest/gtest.h>

#include <tuple>

#include "compare.hpp"
#include "forms.hpp"
#include "problems.hpp"
#include "verify_result.hpp"

namespace svrmu {
namespace {

class Losses : public testing::TestWithParam<std::tuple<std::string, std::string>> {
 protected:
  std::string name() const { return std::get<0>(GetParam()); }
  Loss loss() const { return parse_loss(std::get<1>(GetParam())); }

  // Without zeros where the loss is infinite there, or so steep that a product at the floor counts.
  Matrix<double> V() const { return loss().beta >= 1 ? mostly_zero(14, 33, 2, 0.6) : positive(14, 33, 3); }

  template <class Scalar>
  FitOptions<Scalar> options(Index count) const {
    FitOptions<Scalar> o = epochs<Scalar>(count, 3);
    o.loss = loss();
    return o;
  }
};

TEST_P(Losses, ResultsAreWhatTheirReportsSay) {
  for (const char* repeats : {"1", "3"}) {
    const SolverOptions solver = configured(name(), {{"batch_size", "6"}, {"h_repeats", repeats}});
    in_every_form(V(), [&]<class Scalar>(const MatrixSource<Scalar>& source, const Matrix<Scalar>& values) {
      verify_result(values, fit(source, solver, this->template options<Scalar>(10)));
    });
  }
}

TEST_P(Losses, ObjectiveFalls) {
  for (const char* exponent : {"mm", "heuristic"}) {
    SCOPED_TRACE(exponent);
    const SolverOptions solver = configured(name(), {{"batch_size", "11"}, {"exponent", exponent}});
    in_every_form(V(), [&]<class Scalar>(const MatrixSource<Scalar>& source, const Matrix<Scalar>&) {
      const auto result = fit(source, solver, this->template options<Scalar>(20));
      EXPECT_LT(result.record().objective, 0.95 * result.history.front().objective);
    });
  }
}

TEST_P(Losses, ObjectiveOfMuNeverRises) {
  if (name() != "mu" && name() != "mu-ext") return;
  in_every_form(V(), [&]<class Scalar>(const MatrixSource<Scalar>& source, const Matrix<Scalar>&) {
    const auto result = fit(source, solver_named(name()), this->template options<Scalar>(40));
    for (std::size_t i = 1; i < result.history.size(); ++i)
      EXPECT_LE(result.history[i].objective,
                result.history[i - 1].objective + Tolerance<Scalar>::rise * result.history.front().objective)
          << "epoch " << i;
  });
}

TEST_P(Losses, SparseAndDenseGiveTheSameFactors) {
  const SolverOptions solver = configured(name(), {{"batch_size", "6"}});
  const auto compare = [&]<class Scalar>(const Matrix<Scalar>& values) {
    SCOPED_TRACE(precision_name<Scalar>());
    const SparseMatrix<Scalar> sparse = values.sparseView();
    expect_close(fit(*view(sparse), solver, this->template options<Scalar>(6)),
                 fit(*view(values), solver, this->template options<Scalar>(6)), Tolerance<Scalar>::storage);
  };
  compare(V());
  compare(Matrix<float>(V().cast<float>()));
}

TEST_P(Losses, ExactFactorizationIsAFixedPoint) {
  const SolverOptions solver = configured(name(), {{"batch_size", "6"}});
  const Matrix<double> W = random_matrix(14, 3, 5);
  const Matrix<double> H = random_matrix(3, 27, 6);
  in_every_form(plain_product(W, H),
                [&]<class Scalar>(const MatrixSource<Scalar>& source, const Matrix<Scalar>& values) {
                  FitOptions<Scalar> o = this->template options<Scalar>(5);
                  o.given.W = W.cast<Scalar>();
                  o.given.H = H.cast<Scalar>();
                  const auto result = fit(source, solver, o);
                  verify_result(values, result);
                  for (const EpochRecord& entry : result.history)
                    EXPECT_LT(entry.relative_error, Tolerance<Scalar>::fixed_point);
                });
}

INSTANTIATE_TEST_SUITE_P(Every, Losses,
                         testing::Combine(testing::Values("mu", "mu-ext", "smu", "svrmu", "asag-mu"),
                                          testing::Values("kl", "is", "beta:0.5", "beta:1.5", "beta:3")),
                         [](const auto& test) {
                           std::string name = std::get<0>(test.param) + "_" + std::get<1>(test.param);
                           for (char& c : name)
                             if (c == '-' || c == ':' || c == '.') c = '_';
                           return name;
                         });

}  // namespace
}  // namespace svrmu
