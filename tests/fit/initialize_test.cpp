#include "fit/initialize.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <Eigen/SVD>

#include "fit/svd.hpp"
#include "small_fits.hpp"

namespace svrmu {
namespace {

constexpr Index K = 5;

// 200 x 150, five singular values well above the noise.
const Matrix<double>& data() {
  static const Matrix<double> V = low_rank(200, 150, K, 0.01, 21);
  return V;
}

const Eigen::BDCSVD<Eigen::MatrixXd>& exact() {
  static const Eigen::BDCSVD<Eigen::MatrixXd> svd(data(), Eigen::ComputeThinU | Eigen::ComputeThinV);
  return svd;
}

struct Start2 {
  Matrix<double> W, H;
};

// Boutsidis & Gallopoulos, from the exact SVD.
Start2 literal_nndsvd() {
  Start2 s{Matrix<double>::Zero(200, K), Matrix<double>::Zero(K, 150)};
  for (Index k = 0; k < K; ++k) {
    const double sigma = exact().singularValues()(k);
    const Eigen::VectorXd u = exact().matrixU().col(k);
    const Eigen::VectorXd v = exact().matrixV().col(k);
    if (k == 0) {
      s.W.col(0) = std::sqrt(sigma) * u.cwiseAbs();
      s.H.row(0) = std::sqrt(sigma) * v.cwiseAbs().transpose();
      continue;
    }
    const Eigen::VectorXd up = u.cwiseMax(0), un = (-u).cwiseMax(0), vp = v.cwiseMax(0),
                          vn = (-v).cwiseMax(0);
    const bool positive = up.norm() * vp.norm() >= un.norm() * vn.norm();
    const Eigen::VectorXd& a = positive ? up : un;
    const Eigen::VectorXd& b = positive ? vp : vn;
    const double m = std::sqrt(sigma * a.norm() * b.norm());
    s.W.col(k) = m * a / a.norm();
    s.H.row(k) = m * b.transpose() / b.norm();
  }
  return s;
}

template <class A, class B>
double distance(const A& a, const B& b) {
  return (a - b).norm() / b.norm();
}

FitOptions<double> starting(Start start) {
  FitOptions<double> options = rank<double>(K);
  options.start = start;
  return options;
}

TEST(TruncatedSvd, AgreesWithEigen) {
  const auto source = view(data());
  const Team alone{};
  ColumnFeed<double> feed(*source, alone, 0, 1.0, {});
  const auto svd = truncated_svd(feed, K, 7);
  EXPECT_LE(distance(svd.values, exact().singularValues().head(K)), 1e-9);
  const Matrix<double> low = exact().matrixU().leftCols(K) * exact().singularValues().head(K).asDiagonal() *
                             exact().matrixV().leftCols(K).transpose();
  EXPECT_LE(distance(svd.U * svd.SVt, low), 1e-6);
  EXPECT_LE((svd.U.transpose() * svd.U - Matrix<double>::Identity(K, K)).norm(), 1e-12);
}

TEST(TruncatedSvd, IsExactWhenTheSmallerSideIsSmall) {
  const Matrix<double> V = random_matrix<Matrix<double>>(40, 100, 3);
  const Eigen::BDCSVD<Eigen::MatrixXd> reference(V, Eigen::ComputeThinU | Eigen::ComputeThinV);
  const auto source = view(V);
  const Team alone{};
  ColumnFeed<double> feed(*source, alone, 0, 1.0, {});
  const auto svd = truncated_svd(feed, 40, 7);
  EXPECT_LE(distance(svd.values, reference.singularValues()), 1e-10);
}

TEST(TruncatedSvd, OfALowerRankStaysFinite) {
  const Matrix<double> V = Matrix<double>::Ones(30, 20);
  const auto source = view(V);
  const Team alone{};
  ColumnFeed<double> feed(*source, alone, 0, 1.0, {});
  const auto svd = truncated_svd(feed, 4, 7);
  EXPECT_NEAR(svd.values(0), std::sqrt(600.0), 1e-10);
  EXPECT_LE(svd.values(1), 1e-5);
  EXPECT_TRUE(svd.U.allFinite());
  EXPECT_TRUE(svd.SVt.allFinite());
}

TEST(Starts, SvdAbsIsTheModulusOfTheSvd) {
  const auto r = start_of(*view(data()), starting(Start::svd_abs));
  EXPECT_LE(distance(r.W, exact().matrixU().leftCols(K).cwiseAbs()), 1e-6);
  const Matrix<double> SVt =
      exact().singularValues().head(K).asDiagonal() * exact().matrixV().leftCols(K).transpose();
  EXPECT_LE(distance(r.H, SVt.cwiseAbs()), 1e-6);
}

TEST(Starts, NndsvdIsTheLargerPairOfParts) {
  const auto r = start_of(*view(data()), starting(Start::nndsvd));
  const Start2 expected = literal_nndsvd();
  EXPECT_LE(distance(r.W, expected.W), 1e-6);
  EXPECT_LE(distance(r.H, expected.H), 1e-6);
  EXPECT_GT((r.W.array() == 0).count(), 10);
}

TEST(Starts, NndsvdaFillsZerosWithTheMean) {
  const auto plain = start_of(*view(data()), starting(Start::nndsvd));
  const auto filled = start_of(*view(data()), starting(Start::nndsvda), MuOptions{});
  const double mean = data().mean();
  EXPECT_LE(distance(filled.W, Matrix<double>((plain.W.array() == 0).select(mean, plain.W))), 1e-12);
  EXPECT_LE(distance(filled.H, Matrix<double>((plain.H.array() == 0).select(mean, plain.H))), 1e-12);
}

TEST(Starts, NndsvdarFillsZerosWithSmallRandomValues) {
  const auto plain = start_of(*view(data()), starting(Start::nndsvd));
  const auto filled = start_of(*view(data()), starting(Start::nndsvdar), MuOptions{});
  const double most = data().mean() / 100;
  std::set<double> values;
  Index zeros = 0;
  for (Index i = 0; i < plain.W.size(); ++i) {
    const double before = plain.W.data()[i];
    const double after = filled.W.data()[i];
    if (before > 0) {
      EXPECT_NEAR(after, before, 1e-12);
      continue;
    }
    ++zeros;
    values.insert(after);
    EXPECT_GT(after, 0);
    EXPECT_LT(after, most);
  }
  EXPECT_EQ(static_cast<Index>(values.size()), zeros);
  EXPECT_GT(filled.H.minCoeff(), 0);
}

TEST(Starts, OfSparseVAreThoseOfDenseV) {
  const Matrix<double> V = sparse_product(120, 90, K, 0.05, 5);
  const SparseMatrix<double> sparse = V.sparseView();
  for (const Start start : {Start::random, Start::svd_abs, Start::nndsvd, Start::nndsvda, Start::nndsvdar}) {
    const auto a = start_of(*view(V), starting(start));
    const auto b = start_of(*view(sparse), starting(start));
    EXPECT_LE(distance(a.W, b.W), 1e-8);
    EXPECT_LE(distance(a.H, b.H), 1e-8);
  }
}

TEST(Starts, InFloatAreThoseInDouble) {
  const Matrix<float> V = data().cast<float>();
  for (const Start start : {Start::random, Start::svd_abs, Start::nndsvda}) {
    FitOptions<float> options = rank<float>(K);
    options.start = start;
    const auto a = start_of(*view(V), options);
    const auto b = start_of(*view(data()), starting(start));
    EXPECT_LE(distance(a.W.cast<double>(), b.W), 1e-3);
  }
}

TEST(Starts, TheRandomOneHasTheMeanOfV) {
  const auto r = start_of(*view(data()), starting(Start::random));
  EXPECT_NEAR((r.W * r.H).mean() / data().mean(), 1, 0.1);
  EXPECT_GT(r.W.minCoeff(), 0);
  EXPECT_GT(r.H.minCoeff(), 0);
}

TEST(Starts, TheFrobeniusOneFitsVAndHasNoZeros) {
  const Matrix<double> dense = sparse_product(120, 90, K, 0.05, 5);
  const SparseMatrix<double> sparse = dense.sparseView();
  const auto close = [&](const FitResult<double>& r) {
    EXPECT_LT((dense - r.W * r.H).norm() / dense.norm(), 0.2);
    EXPECT_GT(r.W.minCoeff(), 1e-4 * r.W.mean());
    EXPECT_GT(r.H.minCoeff(), 1e-4 * r.H.mean());
  };
  close(start_of(*view(dense), starting(Start::frobenius), MuOptions{}));
  close(start_of(*view(sparse), starting(Start::frobenius), MuOptions{}));
}

TEST(Starts, TheFrobeniusOneLetsNoComponentDie) {
  FitOptions<double> options = rank<double>(6);  // V has rank 1
  options.start = Start::frobenius;
  const Matrix<double> V = Matrix<double>::Ones(8, 9);
  const auto r = start_of(*view(V), options, MuOptions{});
  EXPECT_GT(r.W.minCoeff(), 0);
  EXPECT_GT(r.H.minCoeff(), 0);
}

TEST(Starts, TheFrobeniusOneMakesBothFactors) {
  FitOptions<double> options = starting(Start::frobenius);
  options.given.W = RowMatrix<double>::Ones(200, K);
  EXPECT_THROW(start_of(*view(data()), options), InvalidInput);
}

TEST(Starts, AutomaticIsRandom) {
  EXPECT_EQ(start_of(*view(data()), starting(Start::automatic)).W,
            start_of(*view(data()), starting(Start::random)).W);
}

TEST(Starts, DependOnTheSeed) {
  FitOptions<double> options = starting(Start::random);
  const auto a = start_of(*view(data()), options);
  options.seed = 1;
  const auto b = start_of(*view(data()), options);
  EXPECT_NE(a.W, b.W);
  EXPECT_NE(a.H, b.H);
}

// One of several members that hold the same numbers of columns.
class Member : public Team {
 public:
  Member(int member, int size) : member_(member), size_(size) {}
  int member() const override { return member_; }
  int size() const override { return size_; }
  using Team::sum;
  void sum(std::span<double> values) const override {
    for (double& x : values) x *= size_;
  }

 private:
  int member_;
  int size_;
};

TEST(Starts, TheRandomOneDoesNotDependOnTheTeam) {
  const Matrix<double> V = low_rank(6, 12, 2, 0.1);
  const auto whole = view(V);
  const Team alone{};
  const Scan found = scan(*whole, alone);
  const FitOptions<double> options = rank<double>(2);
  const auto start = [&](const MatrixSource<double>& source, const Team& team) {
    ColumnFeed<double> feed(source, team, 0, 1.0, {});
    Scaling scaling;
    Factors<double> f = initialize(feed, options, 3, found, true, scaling);
    f.R = initialize_outliers(feed, {}, OutlierStart::scaled_uniform, 3, found, scaling, f);
    return f;
  };
  const Factors<double> one = start(*whole, alone);
  for (int member = 0; member < 3; ++member) {
    const Member team(member, 3);
    const auto share = share_of(*whole, team);
    const Factors<double> part = start(*share, team);
    EXPECT_EQ(part.W, one.W);
    for (Index n = 0; n < part.H.cols(); ++n) {
      EXPECT_EQ(part.H.col(n), one.H.col(3 * n + member));
      EXPECT_EQ(part.R.dense.col(n), one.R.dense.col(3 * n + member));
    }
  }
}

TEST(Starts, GivenFactorsAreTaken) {
  FitOptions<double> options = rank<double>(2);
  options.given.W = random_matrix<RowMatrix<double>>(8, 2, 1, 0.1);
  options.given.H = random_matrix<Matrix<double>>(2, 12, 2, 0.1);
  const Matrix<double> V = low_rank(8, 12, 2, 0.1);
  const auto r = start_of(*view(V), options, MuOptions{});
  EXPECT_EQ(r.W, *options.given.W);
  EXPECT_EQ(r.H, *options.given.H);
}

TEST(Starts, AGivenWComesWithAMadeH) {
  FitOptions<double> options = rank<double>(2);
  options.given.W = random_matrix<RowMatrix<double>>(8, 2, 1, 0.1);
  const Matrix<double> V = low_rank(8, 12, 2, 0.1);
  const auto r = start_of(*view(V), options, MuOptions{});
  EXPECT_EQ(r.W, *options.given.W);
  EXPECT_EQ(r.H, start_of(*view(V), rank<double>(2), MuOptions{}).H);
}

TEST(Starts, GivenFactorsOfScaledDataComeBackInTheirUnits) {
  FitOptions<double> options = rank<double>(2);
  options.given.W = random_matrix<RowMatrix<double>>(8, 2, 1, 0.1) * 1e-20;
  options.given.H = random_matrix<Matrix<double>>(2, 12, 2, 0.1) * 1e-10;
  const Matrix<double> V = low_rank(8, 12, 2, 0.1) * 1e-30;
  const auto r = start_of(*view(V), options, MuOptions{});
  EXPECT_EQ(r.W, *options.given.W);
  EXPECT_EQ(r.H, *options.given.H);
}

TEST(Starts, ZerosOfGivenFactorsAreLiftedToTheFloorForMultiplicativeSolvers) {
  FitOptions<double> options = rank<double>(2);
  options.given.W = RowMatrix<double>::Zero(8, 2);
  (*options.given.W)(3, 1) = 0.5;
  options.given.H = random_matrix<Matrix<double>>(2, 12, 2, 0.1);
  const Matrix<double> V = low_rank(8, 12, 2, 0.1);
  const auto r = start_of(*view(V), options, MuOptions{});
  EXPECT_EQ(r.checkpoint.current.W, RowMatrix<double>(options.given.W->cwiseMax(0x1p-52)));
}

TEST(Starts, OfZerosOnlyAreRefused) {
  FitOptions<double> options = rank<double>(2);
  options.given.W = RowMatrix<double>::Zero(8, 2);
  const Matrix<double> V = low_rank(8, 12, 2, 0.1);
  EXPECT_THROW(start_of(*view(V), options, HalsOptions{}), InvalidInput);
}

TEST(OutlierStarts, AreAsTheirNamesSay) {
  const Matrix<double> V = low_rank(20, 30, 2, 0.1);
  const auto source = view(V);
  const Team alone{};
  const Scan found = scan(*source, alone);
  ColumnFeed<double> feed(*source, alone, 0, 1.0, {});
  Factors<double> f;
  f.W = random_matrix<RowMatrix<double>>(20, 2, 4) * 0.1;
  f.H = random_matrix<Matrix<double>>(2, 30, 5);
  const auto R = [&](OutlierStart start) {
    return initialize_outliers(feed, {}, start, 3, found, Scaling{}, f).dense;
  };
  EXPECT_NEAR(R(OutlierStart::uniform).mean(), 0.5, 0.05);
  EXPECT_NEAR(R(OutlierStart::scaled_uniform).mean(), 0.5 * V.mean(), 0.05 * V.mean());
  const Matrix<double> residual = (V - f.W * f.H).cwiseMax(1e-3 * V.mean());
  EXPECT_LE(distance(R(OutlierStart::residual), residual), 1e-12);
}

TEST(OutlierStarts, OfSparseVLieOnItsPattern) {
  const Matrix<double> V = sparse_product(20, 30, 2, 0.1);
  const SparseMatrix<double> sparse = V.sparseView();
  const auto source = view(sparse);
  const auto dense_source = view(V);
  const Team alone{};
  const Scan found = scan(*source, alone);
  ColumnFeed<double> feed(*source, alone, 0, 1.0, {});
  ColumnFeed<double> dense_feed(*dense_source, alone, 0, 1.0, {});
  const Factors<double> f;
  const auto R = initialize_outliers(feed, {}, OutlierStart::uniform, 3, found, Scaling{}, f);
  const auto dense = initialize_outliers(dense_feed, {}, OutlierStart::uniform, 3, found, Scaling{}, f).dense;
  ASSERT_EQ(static_cast<Index>(R.values.size()), sparse.nonZeros());
  std::size_t p = 0;
  for (Index n = 0; n < 30; ++n)
    for (SparseMatrix<double>::InnerIterator it(sparse, n); it; ++it)
      EXPECT_EQ(R.values[p++], dense(it.row(), n));
}

}  // namespace
}  // namespace svrmu
