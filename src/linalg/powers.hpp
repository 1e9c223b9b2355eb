// Scaling by powers of two, which changes no digits.
#pragma once

#include <algorithm>
#include <cmath>

namespace svrmu {

// The power of two nearest to 1 / x, within what float can hold without becoming denormal.
inline double inverse_power(double x) {
  return std::exp2(std::clamp(-std::floor(std::log2(x)), -126.0, 126.0));
}

}  // namespace svrmu
