/// \file
/// What is added to the loss.
#pragma once

#include <tuple>

#include "svrmu/options.hpp"

namespace svrmu {

/// Added to the summed loss: l1_w |W| + l2_w/2 ||W||^2 + l1_h |H| + l2_h/2 ||H||^2.
struct Penalties {
  double l1_w = 0;  ///< weight of the sum of W
  double l2_w = 0;  ///< weight of half the sum of squares of W
  double l1_h = 0;  ///< weight of the sum of H
  double l2_h = 0;  ///< weight of half the sum of squares of H

  /// True if one of them is not 0.
  bool any() const { return l1_w != 0 || l2_w != 0 || l1_h != 0 || l2_h != 0; }

  /// The list of its options.
  static constexpr auto fields() {
    using P = Penalties;
    return std::tuple{
        Field<P, double>{"l1_w", &P::l1_w, 0, svrmu::fields::largest, "adds l1_w |W| to the objective"},
        Field<P, double>{"l2_w", &P::l2_w, 0, svrmu::fields::largest, "adds l2_w/2 ||W||^2"},
        Field<P, double>{"l1_h", &P::l1_h, 0, svrmu::fields::largest, "adds l1_h |H|"},
        Field<P, double>{"l2_h", &P::l2_h, 0, svrmu::fields::largest, "adds l2_h/2 ||H||^2"}};
  }
};

}  // namespace svrmu
