// How far extrapolation steps beyond a new iterate.
// Ang & Gillis, "Accelerating nonnegative matrix factorization algorithms using extrapolation", Neural
// Computation 2019.
#pragma once

#include <algorithm>

namespace svrmu {

struct Momentum {
  double beta = 0.5;
  double limit = 1;

  void accept() {
    beta = std::min(limit, 1.05 * beta);
    limit = std::min(1.0, 1.01 * limit);
  }
  void reject() {
    limit = beta;
    beta /= 1.5;
  }
};

}  // namespace svrmu
