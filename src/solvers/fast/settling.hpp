// When learning W on a subset has come to rest.
#pragma once

#include <algorithm>

#include "solvers/fast/constants.hpp"

namespace svrmu::fast {

// Told the objective of each iteration, without half the squared norm of the data, says whether it has
// settled: it lately fell by less than `limit` per iteration, relatively, or is next to nothing.
class Settling {
 public:
  Settling(double squared_norm, double limit) : half_(squared_norm / 2), limit_(limit) {}

  bool operator()(int iteration, double value) {
    const double objective = std::max(half_ + value, 1e-30 * half_);
    // Lately: a fall counts for half of itself in the next iteration. The first two are never the last.
    fall_ = iteration < 3 ? 1 : std::max((last_ - value) / objective, fall_ / 2);
    last_ = value;
    return fall_ < limit_ || half_ + value < noise_free * half_;
  }

 private:
  double half_;
  double limit_;
  double last_ = 0;
  double fall_ = 1;
};

}  // namespace svrmu::fast
