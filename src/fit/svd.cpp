#include "fit/svd.hpp"

#include <Eigen/Eigenvalues>
#include <Eigen/QR>
#include <algorithm>
#include <utility>

#include "data/random.hpp"
#include "linalg/batch_products.hpp"
#include "linalg/products.hpp"
#include "linalg/range_finder.hpp"
#include "svrmu/error.hpp"

namespace svrmu {
namespace {

constexpr int power_steps = 2;

// In double, so that small singular vectors are kept: half the digits of V would be lost in the squares of
// linalg's orthonormalize().
template <class Scalar>
void orthonormalize_by_reflections(RowMatrix<Scalar>& Y) {
  const Eigen::MatrixXd copy = Y.template cast<double>();
  const Eigen::HouseholderQR<Eigen::MatrixXd> qr(copy);
  const Eigen::MatrixXd Q = qr.householderQ() * Eigen::MatrixXd::Identity(Y.rows(), Y.cols());
  Y = Q.cast<Scalar>();
}

template <class Scalar>
void leave_if_interrupted(const ColumnFeed<Scalar>& feed) {
  if (feed.interrupted()) throw Cancelled("asked to stop while the start was made");
}

// Y <- V X' for X given column by column of V.
template <class Scalar, class Columns>
RowMatrix<Scalar> times_columns(ColumnFeed<Scalar>& feed, Index l, const Columns& columns) {
  RowMatrix<Scalar> Y = RowMatrix<Scalar>::Zero(feed.features(), l);
  Matrix<Scalar> x;
  for (const Batch<Scalar>& v : feed.blocks(Counted::columns)) {
    x.resize(l, v.count);
    columns(v, x);
    add_VHt(v, x.data(), l, Y);
  }
  leave_if_interrupted(feed);
  feed.total(Y);
  return Y;
}

}  // namespace

template <class Scalar>
TruncatedSvd<Scalar> truncated_svd(ColumnFeed<Scalar>& feed, Index K, std::uint64_t seed) {
  const Index smaller = std::min(feed.features(), feed.total_samples());
  const Index l = smaller <= 64 ? smaller : std::min(smaller, K + std::max<Index>(10, K / 2));
  const Random random(seed, Purpose::sketch);
  RowMatrix<Scalar> VX = times_columns(feed, l, [&](const Batch<Scalar>& v, Matrix<Scalar>& x) {
    for (Index j = 0; j < v.count; ++j)
      for (Index i = 0; i < l; ++i)
        x(i, j) = static_cast<Scalar>(random.normal(i, feed.global_sample(v.sample(j))));
  });
  const auto times_VVt = [&](const RowMatrix<Scalar>& S) {
    return times_columns(feed, l,
                         [&](const Batch<Scalar>& v, Matrix<Scalar>& x) { multiply_WtV(S, v, x.data()); });
  };
  const RowMatrix<Scalar> S =
      range_finder(std::move(VX), power_steps, times_VVt, orthonormalize_by_reflections<Scalar>);

  // B = S'V, and its left singular vectors from B B'.
  Matrix<Scalar> B(l, feed.samples());
  for (const Batch<Scalar>& v : feed.blocks(Counted::columns)) multiply_WtV(S, v, B.data() + v.sample(0) * l);
  leave_if_interrupted(feed);
  Matrix<Scalar> BBt = HHt(B);
  feed.total(BBt);
  const Eigen::MatrixXd BBt_double = BBt.template cast<double>();
  const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> eigen(BBt_double);
  const Eigen::MatrixXd vectors = eigen.eigenvectors().rowwise().reverse().leftCols(K);

  TruncatedSvd<Scalar> svd;
  svd.values = eigen.eigenvalues().reverse().head(K).cwiseMax(0).cwiseSqrt();
  svd.U = (S.template cast<double>() * vectors).template cast<Scalar>();
  svd.SVt = (vectors.transpose() * B.template cast<double>()).template cast<Scalar>();
  return svd;
}

template TruncatedSvd<float> truncated_svd<float>(ColumnFeed<float>&, Index, std::uint64_t);
template TruncatedSvd<double> truncated_svd<double>(ColumnFeed<double>&, Index, std::uint64_t);

}  // namespace svrmu
