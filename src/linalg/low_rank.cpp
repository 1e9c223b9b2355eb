#include "linalg/low_rank.hpp"

#include <Eigen/Cholesky>
#include <Eigen/Eigenvalues>
#include <algorithm>
#include <cmath>
#include <vector>

#include "linalg/gemm.hpp"
#include "linalg/parallel.hpp"
#include "linalg/workspace.hpp"

namespace svrmu {
namespace {

// The items' new coordinates in orthonormal directions: X <- X M' with M (X'X) M' = 1.
Matrix<double> whitening(const Matrix<double>& G) {
  const Eigen::LLT<Matrix<double>> cholesky(G);
  if (cholesky.info() == Eigen::Success) {
    const Eigen::VectorXd diagonal = Matrix<double>(cholesky.matrixL()).diagonal();
    if (diagonal.minCoeff() > 1e-3 * diagonal.maxCoeff()) {
      Matrix<double> inverse = Matrix<double>::Identity(G.rows(), G.cols());
      cholesky.matrixL().solveInPlace(inverse);
      return inverse;
    }
  }
  const Eigen::SelfAdjointEigenSolver<Matrix<double>> eigen(G);
  const double most = eigen.eigenvalues().maxCoeff();
  Matrix<double> M = Matrix<double>::Zero(G.rows(), G.cols());
  for (Index i = 0; i < G.rows(); ++i) {
    const double value = eigen.eigenvalues()(i);
    if (value > 1e-7 * most && value > 0)
      M.row(i) = eigen.eigenvectors().col(i).transpose() / std::sqrt(value);
  }
  return M;
}

// W - S S'W
RowMatrix<float> outside(const RowMatrix<float>& S, const RowMatrix<float>& W) {
  RowMatrix<float> rest = W;
  const Matrix<double> WtS = cross_sum(W.data(), W.cols(), S.data(), S.cols(), W.rows());
  add_transformed(-WtS.cast<float>(), S, rest);
  return rest;
}

}  // namespace

Index items_per_sum(Index count) {
  const Index tiles = (count + basis_tile - 1) / basis_tile;
  return std::max<Index>(1, (tiles + 31) / 32) * basis_tile;
}

Matrix<double> cross_sum(const float* X, Index a, const float* Z, Index b, Index count) {
  const Index chunk = items_per_sum(count);
  std::vector<Matrix<float>> partial(static_cast<std::size_t>((count + chunk - 1) / chunk));
  parallel_tiles(count, chunk, [&](Index begin, Index end) {
    Matrix<float>& sum = partial[static_cast<std::size_t>(begin / chunk)];
    sum.resize(a, b);
    gemm(Op::plain, Op::transposed, a, b, end - begin, 1.0F, X + begin * a, a, Z + begin * b, b, 0.0F,
         sum.data(), a);
  });
  Matrix<double> total = Matrix<double>::Zero(a, b);
  for (const Matrix<float>& p : partial) total += p.cast<double>();
  return total;
}

void add_transformed(const Matrix<float>& M, const RowMatrix<float>& X, RowMatrix<float>& Z) {
  parallel_tiles(X.rows(), basis_tile, [&](Index begin, Index end) {
    gemm(Op::plain, Op::plain, M.rows(), end - begin, M.cols(), 1.0F, M.data(), M.rows(),
         X.data() + begin * X.cols(), X.cols(), 1.0F, Z.data() + begin * Z.cols(), Z.cols());
  });
}

void transform(const Matrix<float>& M, RowMatrix<float>& X) {
  const Index l = X.cols();
  parallel_tiles(X.rows(), basis_tile, [&](Index begin, Index end) {
    Workspace work;
    auto* copy = work.take<float>(l * (end - begin));
    std::copy_n(X.data() + begin * l, l * (end - begin), copy);
    gemm(Op::plain, Op::plain, l, end - begin, l, 1.0F, M.data(), l, copy, l, 0.0F, X.data() + begin * l, l);
  });
}

void orthonormalize(RowMatrix<float>& X, const SumOverTeam& total) {
  // Once more, since the first time squares the condition of X.
  for (int pass = 0; pass < 2; ++pass) {
    Matrix<double> G = cross_sum(X.data(), X.cols(), X.data(), X.cols(), X.rows());
    total(G);
    transform(whitening(G).cast<float>(), X);
  }
}

RowMatrix<float> completion(const RowMatrix<float>& S, const RowMatrix<float>& W) {
  // Then nothing is outside the span of S but rounding, which must not become a direction.
  if (S.cols() == S.rows()) return RowMatrix<float>::Zero(W.rows(), W.cols());
  RowMatrix<float> T = outside(S, W);
  orthonormalize(T);
  // What little of S is left in T has grown with the columns that were short.
  T = outside(S, T);
  orthonormalize(T);
  return T;
}

}  // namespace svrmu
