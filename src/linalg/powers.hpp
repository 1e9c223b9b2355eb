// Scaling by powers of two, which changes no digits.
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>

namespace svrmu {

// The power of two that brings x > 0 into [1, 2), or as near as Scalar can hold it and its inverse without
// becoming denormal.
template <class Scalar>
double inverse_power(double x) {
  constexpr int most = std::numeric_limits<Scalar>::max_exponent - 2;
  return std::ldexp(1.0, std::clamp(-std::ilogb(x), -most, most));
}

}  // namespace svrmu
