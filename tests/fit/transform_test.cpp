#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "small_fits.hpp"
#include "verify_result.hpp"

namespace svrmu {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::ThrowsMessage;

// A model that was never fitted: W is all that matters.
template <class Scalar = double>
FitResult<Scalar> model_of(const RowMatrix<double>& W, const SolverOptions& solver = MuOptions{},
                           Loss loss = {}, Penalties penalties = {}) {
  FitResult<Scalar> model;
  model.W = W.cast<Scalar>();
  model.rank = W.cols();
  model.solver = solver;
  model.loss = loss;
  model.penalties = penalties;
  return model;
}

TransformOptions<double> exactly() {
  TransformOptions<double> options;
  options.tolerance = 1e-10;
  options.max_sweeps = 10000;
  return options;
}

const RNmfOptions robust{.outlier_penalty = 0.3, .outlier_update = OutlierUpdate::closed_form};

RowMatrix<double> dictionary() { return random_matrix<RowMatrix<double>>(30, 4, 41); }
Matrix<double> data() { return sparse_product(30, 25, 4, 0.2, 43); }

// Nonnegative least squares by coordinate descent until nothing moves.
Matrix<double> brute_force(const Matrix<double>& W, const Matrix<double>& V, double l1 = 0, double l2 = 0) {
  const Matrix<double> G = W.transpose() * W;
  const Matrix<double> A = W.transpose() * V;
  Matrix<double> H = Matrix<double>::Zero(W.cols(), V.cols());
  for (int sweep = 0; sweep < 20000; ++sweep)
    for (Index k = 0; k < W.cols(); ++k)
      H.row(k) =
          (H.row(k) - (G.row(k) * H - A.row(k) + Eigen::RowVectorXd::Constant(V.cols(), l1) + l2 * H.row(k)) /
                          (G(k, k) + l2))
              .cwiseMax(0);
  return H;
}

template <class Scalar>
void expect_each_column_alone(const FitResult<Scalar>& model, const Matrix<Scalar>& V) {
  TransformOptions<Scalar> options;
  options.threads = 2;
  const auto all = transform(*view(V), model, options);
  const SparseMatrix<Scalar> sparse = V.sparseView();
  const auto all_sparse = transform(*view(sparse), model, options);
  for (Index n = 0; n < V.cols(); ++n) {
    const Matrix<Scalar> column = V.col(n);
    const SparseMatrix<Scalar> sparse_column = column.sparseView();
    EXPECT_EQ(transform(*view(column), model).H, (all.H.col(n)));
    EXPECT_EQ(transform(*view(sparse_column), model).H, (all_sparse.H.col(n)));
  }
}

TEST(Transform, EachColumnDependsOnItselfAlone) {
  const Matrix<double> V = data();
  expect_each_column_alone(model_of(dictionary()), V);
  expect_each_column_alone(model_of(dictionary(), MuOptions{}, Loss::kullback_leibler()), V);
  expect_each_column_alone(model_of(dictionary(), MuOptions{}, Loss{1.5}), V);
  expect_each_column_alone(model_of(dictionary(), MuOptions{}, Loss{0}), Matrix<double>(V.array() + 0.1));
  expect_each_column_alone(model_of(dictionary(), robust), V);
}

TEST(Transform, EachColumnDependsOnItselfAloneInFloat) {
  const Matrix<float> V = data().cast<float>();
  expect_each_column_alone(model_of<float>(dictionary()), V);
  expect_each_column_alone(model_of<float>(dictionary(), MuOptions{}, Loss::kullback_leibler()), V);
}

TEST(Transform, DoesNotDependOnTheLayout) {
  const Matrix<double> V = data();
  const RowMatrix<double> rows = V;
  EXPECT_EQ(transform(*view(V), model_of(dictionary())).H, transform(*view(rows), model_of(dictionary())).H);
}

TEST(Transform, DoesNotDependOnTheThreads) {
  const Matrix<double> V = data();
  TransformOptions<double> one;
  one.threads = 1;
  TransformOptions<double> three;
  three.threads = 3;
  EXPECT_EQ(transform(*view(V), model_of(dictionary()), one).H,
            transform(*view(V), model_of(dictionary()), three).H);
}

TEST(Transform, SolvesNonnegativeLeastSquares) {
  const Matrix<double> V = data();
  const Matrix<double> expected = brute_force(dictionary(), V);
  const auto H = transform(*view(V), model_of(dictionary()), exactly()).H;
  EXPECT_LE((H - expected).cwiseAbs().maxCoeff(), 1e-7 * expected.maxCoeff());
  EXPECT_TRUE((H.array() == 0).any()) << "exact zeros";
}

TEST(Transform, TakesThePenaltiesOfTheModel) {
  const Matrix<double> V = data();
  const Matrix<double> expected = brute_force(dictionary(), V, 0.5, 0.25);
  const auto model = model_of(dictionary(), MuOptions{}, {}, {.l1_h = 0.5, .l2_h = 0.25});
  const auto H = transform(*view(V), model, exactly()).H;
  EXPECT_LE((H - expected).cwiseAbs().maxCoeff(), 1e-7 * expected.maxCoeff());
}

double kl(const Matrix<double>& V, const Matrix<double>& X) {
  double sum = 0;
  for (Index i = 0; i < V.size(); ++i) {
    const double v = V.data()[i];
    const double x = X.data()[i];
    sum += (v > 0 ? v * std::log(v / x) : 0) - v + x;
  }
  return sum;
}

TEST(Transform, MinimizesKl) {
  const Matrix<double> V = data();
  const Matrix<double> W = dictionary();
  Matrix<double> H = Matrix<double>::Ones(4, V.cols());
  const Eigen::VectorXd sums = W.colwise().sum();
  for (int l = 0; l < 20000; ++l) {
    const Matrix<double> ratio = (V.array() / (W * H).array()).matrix();
    H = (H.array() * (W.transpose() * ratio).array()).matrix();
    H.array().colwise() /= sums.array();
  }
  TransformOptions<double> options;
  options.max_sweeps = 5000;
  const auto found =
      transform(*view(V), model_of(dictionary(), MuOptions{}, Loss::kullback_leibler()), options).H;
  for (Index n = 0; n < V.cols(); ++n) {
    if (V.col(n).isZero(0)) continue;
    const double best = kl(V.col(n), W * H.col(n));
    EXPECT_NEAR(kl(V.col(n), W * found.col(n).cwiseMax(1e-300)), best, 1e-5 * best + 1e-9);
  }
}

TEST(Transform, OfSparseVIsThatOfDenseV) {
  const Matrix<double> V = data();
  const SparseMatrix<double> sparse = V.sparseView();
  for (const auto& model :
       {model_of(dictionary()), model_of(dictionary(), MuOptions{}, Loss::kullback_leibler()),
        model_of(dictionary(), MuOptions{}, Loss{1.5}), model_of(dictionary(), robust)}) {
    const auto a = transform(*view(V), model);
    const auto b = transform(*view(sparse), model);
    EXPECT_LE((a.H - b.H).norm(), 1e-6 * a.H.norm());
    EXPECT_LE((a.R_sparse.toDense() - b.R_sparse.toDense()).norm(), 1e-6 * V.norm());
  }
}

TEST(Transform, OfARobustModelGivesOutliers) {
  Matrix<double> V = dictionary() * random_matrix<Matrix<double>>(4, 10, 5);
  V(3, 2) += 10;
  V(7, 8) += 5;
  const auto r = transform(*view(V), model_of(dictionary(), robust));
  const Matrix<double> expected = ((V - dictionary() * r.H).array() - 0.3).max(0);
  EXPECT_LE((r.R_sparse.toDense() - expected).norm(), 1e-12 * V.norm());
  EXPECT_GT(r.R_sparse.coeff(3, 2), 9);
  EXPECT_GT(r.R_sparse.coeff(7, 8), 4);
}

TEST(Transform, OfARobustModelIsNotMovedByOutliers) {
  const Matrix<double> H = random_matrix<Matrix<double>>(4, 10, 5, 0.5);
  Matrix<double> V = dictionary() * H;
  V(3, 2) += 1000;
  const auto r = transform(*view(V), model_of(dictionary(), robust));
  EXPECT_LE((r.H - H).cwiseAbs().maxCoeff(), 0.3);
}

TEST(Transform, OfAPlainModelHasNoOutliers) {
  const Matrix<double> V = data();
  EXPECT_EQ(transform(*view(V), model_of(dictionary())).R_sparse.size(), 0);
}

TEST(Transform, OfColumnsOfZerosIsZero) {
  const Matrix<double> V = Matrix<double>::Zero(30, 2);
  EXPECT_TRUE(transform(*view(V), model_of(dictionary())).H.isZero(0));
  const auto H = transform(*view(V), model_of(dictionary(), MuOptions{}, Loss::kullback_leibler())).H;
  EXPECT_TRUE(H.isZero(0));
}

TEST(Transform, RecoversHOfTheFit) {
  const Matrix<double> V = low_rank(30, 40, 3, 0.1);
  FitOptions<double> options = rank<double>(3);
  options.stopping = {.max_epochs = 3000, .relative_change = 0, .kkt = 1e-7};
  const auto model = fit(*view(V), HalsAccOptions{}, options);
  EXPECT_LE((transform(*view(V), model).H - model.H).norm(), 1e-4 * model.H.norm());
}

TEST(Transform, IsInTheUnitsOfV) {
  const Matrix<double> V = low_rank(30, 40, 3, 0.1) * 1e-25;
  FitOptions<double> options = rank<double>(3);
  options.stopping = {.max_epochs = 3000, .relative_change = 0, .kkt = 1e-7};
  options.penalties = {.l2_w = 1e-51, .l1_h = 1e-26};
  const auto model = fit(*view(V), HalsAccOptions{}, options);
  EXPECT_LE((transform(*view(V), model).H - model.H).norm(), 1e-4 * model.H.norm());
}

TEST(Transform, OfANormalizedModelMatchesItsW) {
  const Matrix<double> V = low_rank(30, 40, 3, 0.1);
  FitOptions<double> options = rank<double>(3);
  options.normalize = true;
  options.stopping = {.max_epochs = 3000, .relative_change = 0, .kkt = 1e-7};
  const auto model = fit(*view(V), HalsAccOptions{}, options);
  EXPECT_LE((transform(*view(V), model).H - model.H).norm(), 1e-4 * model.H.norm());
}

TEST(Transform, OfANormalizedModelTakesThePenaltiesOfTheFit) {
  const Matrix<double> V = low_rank(30, 40, 3, 0.1);
  FitOptions<double> options = rank<double>(3);
  options.penalties = {.l2_w = 3, .l1_h = 0.4, .l2_h = 0.2};
  options.stopping = {.max_epochs = 3000, .relative_change = 0, .kkt = 1e-7};
  for (const double unit : {1.0, 1e-20}) {
    const Matrix<double> scaled = V * unit;
    options.penalties = {.l2_w = 3 * unit * unit, .l1_h = 0.4 * unit, .l2_h = 0.2};
    options.normalize = false;
    const auto plain = fit(*view(scaled), HalsAccOptions{}, options);
    options.normalize = true;
    const auto model = fit(*view(scaled), HalsAccOptions{}, options);
    const auto H = transform(*view(scaled), model, exactly()).H;
    EXPECT_LE((H - model.H).norm(), 1e-4 * model.H.norm());
    const Matrix<double> plain_H = transform(*view(scaled), plain, exactly()).H;
    EXPECT_LE((model.W * H - plain.W * plain_H).norm(), 1e-9 * scaled.norm());
  }
}

TEST(Transform, TellsHowManyColumnsTheLimitOfSweepsEnded) {
  const Matrix<double> V = data();
  TransformOptions<double> options;
  for (const double beta : {2.0, 1.0}) {
    const auto model = model_of(dictionary(), MuOptions{}, Loss{beta});
    EXPECT_EQ(transform(*view(V), model, {.max_sweeps = 100000}).unfinished, 0);
    EXPECT_GT(transform(*view(V), model, {.max_sweeps = 1}).unfinished, 10);
  }
  EXPECT_EQ(options.max_sweeps, 5000);
}

// A W as fits leave it, with entries at the floor and columns that are alike.
FitResult<double> fitted(const Matrix<double>& V, double beta, Penalties penalties = {}) {
  FitOptions<double> options = rank<double>(10);
  options.loss = Loss{beta};
  options.penalties = penalties;
  options.stopping = {.max_epochs = 300, .relative_change = 0};
  return fit(*view(V), MuOptions{}, options);
}

const double betas[] = {1, 0, 0.5, 1.5, 3, -0.5};

// The projected gradient in h of the summed loss, entry by entry.
double projected_gradient(const FitResult<double>& model, const Eigen::VectorXd& v,
                          const Eigen::VectorXd& h) {
  const Eigen::ArrayXd x = model.W * h;
  const double beta = model.loss.beta;
  const Eigen::VectorXd derivative = x.pow(beta - 1) - v.array() * x.pow(beta - 2);
  const Eigen::VectorXd gradient = model.W.transpose() * derivative + model.penalties.l2_h * h +
                                   Eigen::VectorXd::Constant(h.size(), model.penalties.l1_h);
  // What is at the floor need not be there to the bit: columns are brought to a size of their own.
  return (h.array() > 1e-12).select(gradient, gradient.cwiseMin(0)).norm();
}

TEST(Transform, EveryColumnReachesItsToleranceFarBelowTheLimit) {
  const Matrix<double> V = low_rank(60, 40, 10, 0.3);
  for (const double beta : betas)
    for (const Penalties penalties : {Penalties{}, Penalties{.l1_h = 0.3, .l2_h = 0.1}}) {
      const auto model = fitted(V, beta, penalties);
      const auto found = transform(*view(V), model, {.max_sweeps = 60});
      EXPECT_EQ(found.unfinished, 0) << "beta " << beta;
      for (Index n = 0; n < V.cols(); ++n) {
        const Eigen::VectorXd start = Eigen::VectorXd::Constant(10, V.col(n).sum() / model.W.sum());
        EXPECT_LE(projected_gradient(model, V.col(n), found.H.col(n)),
                  2e-6 * projected_gradient(model, V.col(n), start))
            << "beta " << beta << ", column " << n;
      }
    }
}

TEST(Transform, EveryColumnReachesItsToleranceInFloat) {
  const Matrix<double> V = low_rank(60, 40, 10, 0.3);
  const Matrix<float> single = V.cast<float>();
  for (const double beta : betas) {
    const RowMatrix<double> W = fitted(V, beta).W;
    const auto model = model_of<float>(W, MuOptions{}, Loss{beta});
    EXPECT_EQ(transform(*view(single), model, {.max_sweeps = 100}).unfinished, 0) << "beta " << beta;
  }
}

TEST(Transform, FewSweepsAreEnoughWhereComponentsAreAlike) {
  RowMatrix<double> W = random_matrix<RowMatrix<double>>(40, 8, 1) * 1e-3;
  W.colwise() += Eigen::VectorXd(random_matrix<Matrix<double>>(40, 1, 2));
  const Matrix<double> V = low_rank(40, 20, 8, 0.3);
  EXPECT_EQ(transform(*view(V), model_of(W), {.max_sweeps = 300}).unfinished, 0);
}

TEST(Transform, OfCountsThatAreMostlyZero) {
  const Matrix<double> W = dictionary();
  Matrix<double> V = Matrix<double>::Zero(30, 2);
  V(4, 0) = 3;
  V(4, 1) = 1e-9;
  V(20, 1) = 5;
  for (const double beta : {1.0, 1.5}) {
    const auto model = model_of(W, MuOptions{}, Loss{beta});
    const SparseMatrix<double> sparse = V.sparseView();
    const auto found = transform(*view(V), model);
    EXPECT_EQ(found.unfinished, 0);
    EXPECT_LE((transform(*view(sparse), model).H - found.H).norm(), 1e-6 * found.H.norm());
  }
}

TEST(Transform, ReachesTheObjectiveOfTheFit) {
  const Matrix<double> V = low_rank(40, 60, 10, 0.3);
  for (const double beta : betas) {
    const auto model = fitted(V, beta);
    const Matrix<double> H = transform(*view(V), model).H;
    const auto cost = [&](const Matrix<double>& X, Index n) {
      double sum = 0;
      for (Index f = 0; f < V.rows(); ++f) sum += plain_divergence(beta, V(f, n), X(f, n), 0);
      return sum;
    };
    for (Index n = 0; n < V.cols(); ++n)
      EXPECT_LE(cost(model.W * H, n), (1 + 1e-9) * cost(model.W * model.H, n)) << "beta " << beta;
  }
}

TEST(Transform, NormsThatDoNotFitTheModelAreRefused) {
  const Matrix<double> V = data();
  auto model = model_of(dictionary());
  model.column_norms = {1, 2};
  EXPECT_THAT([&] { transform(*view(V), model); },
              ThrowsMessage<InvalidInput>(HasSubstr("4 components, but 2 norms")));
}

TEST(Transform, ANumberOfFeaturesThatDisagreesIsRefused) {
  const Matrix<double> V = Matrix<double>::Ones(29, 3);
  EXPECT_THAT([&] { transform(*view(V), model_of(dictionary())); },
              ThrowsMessage<InvalidInput>(AllOf(HasSubstr("29 features"), HasSubstr("30"))));
}

TEST(Transform, BadValuesAreRefusedWithTheirPlace) {
  Matrix<double> V = data();
  V(4, 6) = -1;
  EXPECT_THAT([&] { transform(*view(V), model_of(dictionary())); },
              ThrowsMessage<InvalidInput>(HasSubstr("row 5, column 7")));
}

TEST(Transform, ItakuraSaitoRefusesZeros) {
  Matrix<double> V = Matrix<double>::Ones(30, 3);
  V(4, 1) = 0;
  EXPECT_THAT([&] { transform(*view(V), model_of(dictionary(), MuOptions{}, Loss::itakura_saito())); },
              ThrowsMessage<InvalidInput>(HasSubstr("row 5, column 2")));
}

TEST(Transform, NoSweepsAreRefused) {
  const Matrix<double> V = data();
  TransformOptions<double> options;
  options.max_sweeps = 0;
  EXPECT_THAT([&] { transform(*view(V), model_of(dictionary()), options); },
              ThrowsMessage<InvalidInput>(HasSubstr("max_sweeps is 0")));
}

TEST(Transform, OfNoColumnsIsEmpty) {
  const Matrix<double> V(30, 0);
  EXPECT_EQ(transform(*view(V), model_of(dictionary())).H.cols(), 0);
}

TEST(Transform, DoesNotDependOnHowBrightAColumnIs) {
  const Matrix<double> V = data();
  for (const double beta : {1.0, 2.0}) {
    const auto model = model_of(dictionary(), MuOptions{}, Loss{beta});
    const Matrix<double> H = transform(*view(V), model).H;
    for (const double s : {1e-16, 1e-8, 1e-4, 1e8}) {
      const Matrix<double> dim = V * s;
      EXPECT_LE((transform(*view(dim), model).H / s - H).norm(), 1e-4 * H.norm())
          << "beta " << beta << ", V times " << s;
    }
  }
}

TEST(Transform, OfAZeroColumnIsZero) {
  Matrix<double> V = data();
  V.col(3).setZero();
  EXPECT_TRUE(transform(*view(V), model_of(dictionary())).H.col(3).isZero(0));
}

TEST(Transform, WorksAfterNormalizingInUnitsFarFromOne) {
  const Matrix<double> V = data() * 1e-30;
  FitOptions<double> options{.rank = 4, .normalize = true};
  options.given.W = RowMatrix<double>(dictionary() * 1e-30);
  const auto model = fit(*view(V), HalsAccOptions{}, options);
  const Matrix<double> H = transform(*view(V), model).H;
  EXPECT_LE((V - model.W * H).norm(), 1.01 * (V - model.W * model.H).norm());
}

TEST(Transform, RefusesAToleranceThatIsNotANumber) {
  TransformOptions<double> options;
  options.tolerance = std::nan("");
  const Matrix<double> V = data();
  EXPECT_THROW(transform(*view(V), model_of(dictionary()), options), InvalidInput);
}

}  // namespace
}  // namespace svrmu
