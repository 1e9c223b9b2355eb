// Small problems for fit().
#pragma once

#include "random_matrix.hpp"
#include "svrmu/svrmu.hpp"

namespace svrmu {

// A product of rank K plus uniform noise of that size.
template <class Scalar = double>
Matrix<Scalar> low_rank(Index F, Index N, Index K, double noise, std::uint64_t seed = 1) {
  const Matrix<double> V =
      random_matrix<Matrix<double>>(F, K, seed) * random_matrix<Matrix<double>>(K, N, seed + 1) +
      noise * random_matrix<Matrix<double>>(F, N, seed + 2);
  return V.cast<Scalar>();
}

// Products of sparse factors: zeros in V, and in its best factors.
template <class Scalar = double>
Matrix<Scalar> sparse_product(Index F, Index N, Index K, double noise, std::uint64_t seed = 1) {
  const auto cut = [](const Matrix<double>& X) { return Matrix<double>((X.array() > 0.5).select(X, 0.0)); };
  Matrix<double> V =
      cut(random_matrix<Matrix<double>>(F, K, seed)) * cut(random_matrix<Matrix<double>>(K, N, seed + 1));
  const Matrix<double> extra = noise * random_matrix<Matrix<double>>(F, N, seed + 2);
  V = (V.array() > 0).select(V + extra, V);
  return V.cast<Scalar>();
}

template <class Scalar = double>
FitOptions<Scalar> rank(Index K) {
  FitOptions<Scalar> options;
  options.rank = K;
  options.threads = 1;
  return options;
}

// The start itself.
template <class Scalar>
FitResult<Scalar> start_of(const MatrixSource<Scalar>& V, FitOptions<Scalar> options,
                           const SolverOptions& solver = HalsOptions{.initial_scaling = false}) {
  options.stopping.max_epochs = 0;
  return fit(V, solver, options);
}

}  // namespace svrmu
