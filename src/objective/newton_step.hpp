// A Newton step of one column of H, for beta-divergences.
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>

#include "linalg/bounded_quadratic.hpp"
#include "objective/entrywise.hpp"
#include "objective/h_step.hpp"

namespace svrmu {

// One column of V: all its features, or those on `rows`.
template <class Scalar, class Offset>
struct Column {
  const Offset* rows;  // null: all
  Scalar* values;
  Index count;

  Index row(Index p) const { return rows == nullptr ? p : static_cast<Index>(rows[p]); }
};

// Where a column stands: x = W h in the places of v, the parts of the loss's derivative there (`plus` not for
// KL), and the two parts of the gradient in h.
template <class Scalar>
struct ColumnParts {
  Scalar* x;
  Scalar* minus;
  Scalar* plus;
  Scalar* up;
  Scalar* down;
};

enum class Newton { moved, at_rounding, failed };

// The loss is replaced by its quadratic at h, whose minimum over entries at the floor or above gives the
// direction; entries at the floor that press against it stay there. The step is halved until the objective
// falls by a share of what the slope promises. Only where the loss is not convex (beta < 1 or beta > 2) can
// the quadratic have no minimum: then entries of V that bend the wrong way are left out of its curvature.
template <class Scalar>
class NewtonStep {
 public:
  NewtonStep(const DataTerm<Scalar>& term, const Basis<Scalar>& basis)
      : term_(term), basis_(basis), K_(basis.W.cols()) {}

  template <class Offset>
  Newton operator()(const Column<Scalar, Offset>& v, const ColumnParts<Scalar>& at, Scalar* h) const {
    Workspace work;
    auto* free = work.take<Index>(K_);
    const Index n = find_free(at, h, free);
    auto* y = work.take<Scalar>(n);
    auto* gradient = work.take<Scalar>(n);
    for (Index i = 0; i < n; ++i) {
      y[i] = h[free[i]];
      gradient[i] = gradient_of(at, h, free[i]);
    }
    minimize_model(v, at, free, n, gradient, y);

    auto* d = work.take<Scalar>(K_);
    std::fill_n(d, K_, Scalar(0));
    double slope = 0;
    double rounding = 0;
    for (Index i = 0; i < n; ++i) {
      const Index k = free[i];
      d[k] = y[i] - h[k];
      slope += static_cast<double>(gradient[i]) * static_cast<double>(d[k]);
      rounding += static_cast<double>(at.up[k] + at.down[k]) * std::abs(static_cast<double>(d[k]));
    }
    if (!std::isfinite(slope)) return Newton::failed;
    if (-slope <= least_share * rounding) return slope > 0 ? Newton::failed : Newton::at_rounding;

    auto* dx = work.take<Scalar>(v.count);
    times_W(v, d, dx);
    for (double t = 1; t > 1e-9; t /= 2) {
      if (!(change(v, at, h, d, dx, t) <= 1e-4 * t * slope)) continue;
      for (Index k = 0; k < K_; ++k)
        h[k] = std::max(h[k] + static_cast<Scalar>(t) * d[k], floor_value<Scalar>);
      return Newton::moved;
    }
    return Newton::failed;
  }

  // x <- W h in the places of v.
  template <class Offset>
  void times_W(const Column<Scalar, Offset>& v, const Scalar* h, Scalar* x) const {
    if (v.rows != nullptr)
      sample(v.rows, v.count, basis_.W.data(), h, K_, x);
    else
      for (Index f = 0; f < v.count; ++f) x[f] = dot(basis_.W.data() + f * K_, h, K_);
  }

  // What rounding leaves of two equal parts of a gradient.
  static constexpr double least_share = 16 * static_cast<double>(std::numeric_limits<Scalar>::epsilon());

 private:
  Scalar gradient_of(const ColumnParts<Scalar>& at, const Scalar* h, Index k) const {
    return at.down[k] - at.up[k] + term_.on_h.l1 + term_.on_h.l2 * h[k];
  }

  Index find_free(const ColumnParts<Scalar>& at, const Scalar* h, Index* free) const {
    Index n = 0;
    for (Index k = 0; k < K_; ++k)
      if (h[k] > floor_value<Scalar> || gradient_of(at, h, k) < 0) free[n++] = k;
    return n;
  }

  // y <- the minimum of the quadratic.
  template <class Offset>
  void minimize_model(const Column<Scalar, Offset>& v, const ColumnParts<Scalar>& at, const Index* free,
                      Index n, const Scalar* gradient, Scalar* y) const {
    Workspace work;
    auto* Q = work.take<Scalar>(n * n);
    auto* a = work.take<Scalar>(n);
    const Quadratic<Scalar> model{Q, a, n, {Scalar(0), term_.on_h.l2}};
    add_curvature(v, at, free, n, false, Q);
    const bool convex = term_.beta >= 1 && term_.beta <= 2;
    if (!convex && !positive_definite(model)) add_curvature(v, at, free, n, true, Q);
    for (Index i = 0; i < n; ++i) a[i] = dot(Q + i * n, y, n) + term_.on_h.l2 * y[i] - gradient[i];
    minimize(model, 1e-2, 200, y);
  }

  // Q <- W' diag(second derivatives) W, on the free entries.
  template <class Offset>
  void add_curvature(const Column<Scalar, Offset>& v, const ColumnParts<Scalar>& at, const Index* free,
                     Index n, bool convexified, Scalar* Q) const {
    constexpr Index rows = 128;
    Workspace work;
    auto* W = work.take<Scalar>(n * rows);
    auto* cW = work.take<Scalar>(n * rows);
    for (Index p0 = 0; p0 < v.count; p0 += rows) {
      const Index count = std::min(rows, v.count - p0);
      for (Index p = 0; p < count; ++p) {
        const Scalar* w = basis_.W.data() + v.row(p0 + p) * K_;
        const Scalar c = curvature(at, p0 + p, convexified);
        for (Index i = 0; i < n; ++i) {
          W[p * n + i] = w[free[i]];
          cW[p * n + i] = c * w[free[i]];
        }
      }
      gemm(Op::plain, Op::transposed, n, n, count, Scalar(1), W, n, cW, n, Scalar(p0 > 0 ? 1 : 0), Q, n);
    }
  }

  // x^(beta-3) ((2-beta) v + (beta-1) x). It must not leave the range where x is very small.
  Scalar curvature(const ColumnParts<Scalar>& at, Index p, bool convexified) const {
    constexpr double most = sizeof(Scalar) == 8 ? 0x1p900 : 0x1p90;
    const double x = std::max(static_cast<double>(at.x[p]), double{least_product<Scalar>});
    const double minus = static_cast<double>(at.minus[p]);
    if (term_.kl()) return static_cast<Scalar>(std::min(minus / x, most));
    const double plus = static_cast<double>(at.plus[p]);
    double c = (2 - term_.beta) * minus + (term_.beta - 1) * plus;
    if (convexified) c = std::max(c, term_.beta > 2 ? plus : 0.0);
    return static_cast<Scalar>(std::clamp(c / x, -most, most));
  }

  // Of the objective by the step t d. Term by term, so that it has its digits however small the step is.
  template <class Offset>
  double change(const Column<Scalar, Offset>& v, const ColumnParts<Scalar>& at, const Scalar* h,
                const Scalar* d, const Scalar* dx, double t) const {
    double sum = 0;
    for (Index p = 0; p < v.count; ++p) {
      const double x = std::max(static_cast<double>(at.x[p]), double{least_product<Scalar>});
      sum += change_of(static_cast<double>(at.minus[p]) * x, at, p, x, t * static_cast<double>(dx[p]));
    }
    const auto l1 = static_cast<double>(term_.on_h.l1);
    const auto l2 = static_cast<double>(term_.on_h.l2);
    for (Index k = 0; k < K_; ++k) {
      const double step = t * static_cast<double>(d[k]);
      sum += step * (l1 + l2 * (static_cast<double>(h[k]) + step / 2));
      if (term_.kl()) sum += step * static_cast<double>(basis_.column_sums(k, 0));
    }
    return sum;
  }

  // Of one entry of the loss, with minus_x = v x^(beta-1); for KL without the part x, which has no bend.
  double change_of(double minus_x, const ColumnParts<Scalar>& at, Index p, double x, double dx) const {
    const double relative = dx / x;
    if (term_.kl()) return minus_x > 0 ? -minus_x * std::log1p(relative) : 0.0;
    if (term_.beta == 0) return std::log1p(relative) - minus_x * relative / (1 + relative);
    const double log_ratio = std::log1p(relative);
    const double up = minus_x * std::expm1((term_.beta - 1) * log_ratio) / (term_.beta - 1);
    return static_cast<double>(at.plus[p]) * x * std::expm1(term_.beta * log_ratio) / term_.beta - up;
  }

  const DataTerm<Scalar>& term_;
  const Basis<Scalar>& basis_;
  Index K_;
};

}  // namespace svrmu
