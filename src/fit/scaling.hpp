// Working units: V, W, H and the penalties times powers of two, so that the floor and the guards are small
// against every data set. Results and reports are in the units of the caller.
#pragma once

#include "fit/scan.hpp"
#include "svrmu/loss.hpp"
#include "svrmu/penalties.hpp"

namespace svrmu {

struct Scaling {
  double v = 1;  // working V = v V (and R = v R)
  double w = 1;  // working W = w W
  double h = 1;  // working H = h H, h = v / w

  // What a loss in the caller's units is multiplied by.
  double loss(const Loss& loss) const;
  Penalties penalties(const Penalties& penalties, const Loss& loss) const;
};

// The power of two that brings the mean of V into [1, 2), when it is outside [1e-3, 1e6]; else 1.
double scale_of(const Scan& scan);

}  // namespace svrmu
