// How far apart two answers may be, per scalar type. Every tolerance of the shared checks is here.
#pragma once

#include <limits>

namespace svrmu {

template <class Scalar>
struct Tolerance {
  static constexpr bool is_double = sizeof(Scalar) == 8;
  static constexpr double epsilon = std::numeric_limits<Scalar>::epsilon();
  // A reported number against its recomputation: what the trace form loses at its limit.
  static constexpr double claim = is_double ? 1e-9 : 1e-3;
  // The same run over another storage, a few epochs long: rounding, carried along.
  static constexpr double storage = is_double ? 1e-10 : 2e-3;
  // Relative error that an exact factorization may drift to.
  static constexpr double fixed_point = is_double ? 1e-7 : 2e-5;
  // Relative error of a run in other units of V.
  static constexpr double units = is_double ? 1e-6 : 5e-3;
  // What one epoch may rise by, relative to 1/2||V||^2, where theory says it cannot.
  static constexpr double rise = 16 * epsilon;
};

}  // namespace svrmu
