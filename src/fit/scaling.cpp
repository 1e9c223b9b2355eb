#include "fit/scaling.hpp"

#include <cmath>

#include "linalg/powers.hpp"

namespace svrmu {

double Scaling::loss(const Loss& loss) const { return std::pow(v, loss.beta); }

Penalties Scaling::penalties(const Penalties& p, const Loss& l) const {
  const double c = loss(l);
  return {.l1_w = p.l1_w * c / w,
          .l2_w = p.l2_w * c / (w * w),
          .l1_h = p.l1_h * c / h,
          .l2_h = p.l2_h * c / (h * h)};
}

double scale_of(const Scan& scan) {
  const double mean = scan.mean();
  if (!(mean > 0) || (mean >= 1e-3 && mean <= 1e6)) return 1;
  return scan.single ? inverse_power<float>(mean) : inverse_power<double>(mean);
}

}  // namespace svrmu
