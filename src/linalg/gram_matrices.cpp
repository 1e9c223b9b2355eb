#include "linalg/gram_matrices.hpp"

#include <Eigen/Cholesky>
#include <Eigen/Eigenvalues>
#include <limits>

namespace svrmu {

template <class Real>
Matrix<Real> ridge_inverse(const Matrix<Real>& G, Shrink<Real> shrink, double relative) {
  const Index K = G.rows();
  Matrix<double> ridged = G.template cast<double>();
  const double ridge = relative * ridged.trace() / static_cast<double>(K) + static_cast<double>(shrink.l2);
  ridged.diagonal().array() += ridge > 0 ? ridge : 1.0;
  return ridged.llt().solve(Matrix<double>::Identity(K, K)).template cast<Real>();
}

Matrix<double> pseudo_inverse(const Matrix<double>& G, double drop) {
  const Eigen::SelfAdjointEigenSolver<Matrix<double>> eigen(G);
  const double least = drop * eigen.eigenvalues().maxCoeff();
  Matrix<double> inverse = Matrix<double>::Zero(G.rows(), G.cols());
  for (Index i = 0; i < G.rows(); ++i) {
    const double value = eigen.eigenvalues()(i);
    if (value > least && value > 0)
      inverse += eigen.eigenvectors().col(i) * eigen.eigenvectors().col(i).transpose() / value;
  }
  return inverse;
}

Matrix<double> squared_distances(const Matrix<double>& G) {
  Matrix<double> ridged = G;
  ridged.diagonal().array() += 1e-12 * G.trace() + std::numeric_limits<double>::min();
  const Matrix<double> inverse = ridged.llt().solve(Matrix<double>::Identity(G.rows(), G.cols()));
  return Matrix<double>(inverse.diagonal().cwiseInverse());
}

template Matrix<float> ridge_inverse<float>(const Matrix<float>&, Shrink<float>, double);
template Matrix<double> ridge_inverse<double>(const Matrix<double>&, Shrink<double>, double);

}  // namespace svrmu
