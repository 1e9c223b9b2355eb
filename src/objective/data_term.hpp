// Loss, penalties and outlier model of a fit, in working units. What they ask of a batch of V is beside this
// file: the h step (h_step.hpp), the two parts of W's gradient (sums.hpp), the cost (cost.hpp). Solvers are
// written against these, once for every loss.
#pragma once

#include "linalg/shrink.hpp"

namespace svrmu {

enum class OutlierModel {
  none,
  multiplicative,  // R is kept and moves by r <- r v / (Wh + r + lambda)
  closed_form,  // r = max(v - Wh - lambda, 0) is never kept: v is replaced by y = v - r = min(v, Wh + lambda)
};

template <class Scalar>
struct DataTerm {
  double beta = 2;
  double exponent = 1;  // of every multiplicative ratio
  Shrink<Scalar> on_w;
  Shrink<Scalar> on_h;
  OutlierModel outliers = OutlierModel::none;
  Scalar lambda = 0;
  bool sequential = false;  // multiplicative r sees the new h

  bool frobenius() const { return beta == 2; }
  bool kl() const { return beta == 1; }
  // The loss of v > 0 from x = 0 is infinite.
  bool infinite_at_zero() const { return beta <= 1; }
};

}  // namespace svrmu
