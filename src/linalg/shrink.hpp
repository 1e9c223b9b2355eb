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

}  // namespace svrmu
