// Numbers that every step of a factor shares.
#pragma once

namespace svrmu {

// Penalties in a step: added to the denominator of a multiplicative one, subtracted in a HALS step.
template <class Scalar>
struct Shrink {
  Scalar l1 = 0;
  Scalar l2 = 0;
};

// floor 2^-52 in both precisions: 0 would absorb every later multiplicative step.
template <class Scalar>
inline constexpr Scalar floor_value = static_cast<Scalar>(0x1p-52);

// The least x = Wh that a divergence is taken at. A product of floors is 2^-104, which is what double has; in
// float the derivative v / x^2 would leave the range.
template <class Scalar>
inline constexpr Scalar least_product = sizeof(Scalar) == 8 ? Scalar(0x1p-104) : floor_value<Scalar>;

}  // namespace svrmu
