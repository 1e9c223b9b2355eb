// Tiny problems, the same on every machine: they come from the library's counter-based numbers.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "data/random.hpp"
#include "svrmu/matrix.hpp"

namespace svrmu {

// Numbers in (0, 1), or zero with the given probability.
inline Matrix<double> random_matrix(Index rows, Index cols, std::uint64_t seed, double zeros = 0) {
  const Random random(seed, Purpose::sketch);
  Matrix<double> M(rows, cols);
  for (Index j = 0; j < cols; ++j)
    for (Index i = 0; i < rows; ++i) {
      const double u = random.uniform(i, j);
      M(i, j) = u < zeros ? 0 : (u - zeros) / (1 - zeros);
    }
  return M;
}

// By plain loops, so that nothing of the library makes what the library is tested on.
inline Matrix<double> plain_product(const Matrix<double>& W, const Matrix<double>& H) {
  Matrix<double> V(W.rows(), H.cols());
  for (Index j = 0; j < V.cols(); ++j)
    for (Index i = 0; i < V.rows(); ++i) {
      double sum = 0;
      for (Index k = 0; k < W.cols(); ++k) sum += W(i, k) * H(k, j);
      V(i, j) = sum;
    }
  return V;
}

// V = WH exactly; two in five entries of W and H are zero.
struct Planted {
  Matrix<double> W;
  Matrix<double> H;
  Matrix<double> V;
};

inline Planted planted(Index features, Index samples, Index rank, std::uint64_t seed = 1) {
  Planted p{random_matrix(features, rank, seed, 0.4), random_matrix(rank, samples, seed + 1000, 0.4), {}};
  p.V = plain_product(p.W, p.H);
  return p;
}

// A planted V plus the absolute value of normal noise.
inline Matrix<double> noisy(Index features, Index samples, Index rank, std::uint64_t seed = 1,
                            double level = 0.1) {
  Matrix<double> V = planted(features, samples, rank, seed).V;
  const Random random(seed + 2000, Purpose::sketch);
  for (Index j = 0; j < samples; ++j)
    for (Index i = 0; i < features; ++i) V(i, j) += level * std::abs(random.normal(i, j));
  return V;
}

// Every entry above 0.05: also for Itakura-Saito.
inline Matrix<double> positive(Index features, Index samples, Index rank, std::uint64_t seed = 1) {
  return noisy(features, samples, rank, seed).array() + 0.05;
}

// About this share of the entries is not zero; the second row and the third column are empty where they
// exist.
inline Matrix<double> mostly_zero(Index features, Index samples, std::uint64_t seed = 1, double share = 0.3) {
  Matrix<double> V = 4 * random_matrix(features, samples, seed, 1 - share);
  if (features > 1) V.row(1).setZero();
  if (samples > 2) V.col(2).setZero();
  return V;
}

// A planted V of which one entry in twenty has a large value added to it.
inline Matrix<double> with_outliers(Index features, Index samples, Index rank, std::uint64_t seed = 1) {
  Matrix<double> V = planted(features, samples, rank, seed).V;
  const Random random(seed + 3000, Purpose::sketch);
  for (Index j = 0; j < samples; ++j)
    for (Index i = 0; i < features; ++i)
      if (random.uniform(i, j) < 0.05) V(i, j) += 5;
  return V;
}

struct NamedProblem {
  std::string name;
  Matrix<double> V;
  Index rank;
};

// One of each kind, small enough for every solver.
inline std::vector<NamedProblem> tiny_problems() {
  return {{"planted", planted(12, 25, 3).V, 3},
          {"noisy", noisy(15, 30, 4), 4},
          {"mostly zero", mostly_zero(14, 33), 3},
          {"with outliers", with_outliers(13, 28, 3), 3}};
}

}  // namespace svrmu
