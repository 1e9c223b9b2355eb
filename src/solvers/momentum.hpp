// How far extrapolation steps beyond a new iterate: by `weight` times the step to it. The paper's constants:
// weight and limit are its beta and beta with a bar.
// Ang & Gillis, "Accelerating nonnegative matrix factorization algorithms using extrapolation", Neural
// Computation 2019.
#pragma once

#include <algorithm>

namespace svrmu {

struct Momentum {
  double weight = 0.5;
  double limit = 1;

  void accept() {
    weight = std::min(limit, 1.05 * weight);
    limit = std::min(1.0, 1.01 * limit);
  }
  void reject() {
    limit = weight;
    weight /= 1.5;
  }
};

}  // namespace svrmu
