#include "objective/column_fit.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <type_traits>
#include <vector>

#include "linalg/parallel.hpp"
#include "linalg/powers.hpp"
#include "objective/entrywise.hpp"

namespace svrmu {
namespace {

// One column of V: all its features, or those on `rows`.
template <class Scalar, class Offset>
struct Column {
  const Offset* rows;  // null: all
  Scalar* values;
  Index count;
};

// Multiplicative steps creep. From two of them, h0 -> h1 -> h2, it guesses where they lead:
// h0 + 2 a r + a^2 d with r = h1 - h0, d = (h2 - h1) - r and a = |r| / |d| (Varadhan & Roland, "Simple and
// globally convergent methods for accelerating the convergence of any EM algorithm", 2008). A guess with a
// larger gradient is taken back, which is safe where the loss is convex.
template <class Scalar>
class Extrapolation {
 public:
  Extrapolation(Index K, Workspace& work)
      : K_(K), h0_(work.take<Scalar>(K)), h1_(work.take<Scalar>(K)), h2_(work.take<Scalar>(K)) {}

  // Before a step from h, whose squared gradient is known. False: h was a guess, and is h2 again.
  bool accepts(double squared, Scalar* h) {
    if (next_ == Next::judgment) {
      next_ = Next::first_step;
      if (!(squared <= squared_)) {
        std::copy_n(h2_, K_, h);
        return false;
      }
    }
    std::copy_n(h, K_, next_ == Next::first_step ? h0_ : h1_);
    squared_ = squared;
    return true;
  }

  // After the step.
  void moved(Scalar* h) {
    if (next_ == Next::first_step) {
      next_ = Next::second_step;
      return;
    }
    next_ = Next::first_step;
    std::copy_n(h, K_, h2_);
    double rr = 0;
    double dd = 0;
    for (Index k = 0; k < K_; ++k) {
      const double r = change(h0_, h1_, k);
      const double d = change(h1_, h2_, k) - r;
      rr += r * r;
      dd += d * d;
    }
    if (!(rr > dd && dd > 0)) return;
    const double a = std::sqrt(rr / dd);
    for (Index k = 0; k < K_; ++k) {
      const double r = change(h0_, h1_, k);
      const double d = change(h1_, h2_, k) - r;
      const double guess = static_cast<double>(h0_[k]) + 2 * a * r + a * a * d;
      h[k] = std::max({static_cast<Scalar>(guess), h2_[k] / 64, floor_value<Scalar>});
    }
    next_ = Next::judgment;
  }

 private:
  enum class Next { first_step, second_step, judgment };

  static double change(const Scalar* from, const Scalar* to, Index k) {
    return static_cast<double>(to[k]) - static_cast<double>(from[k]);
  }

  Index K_;
  Scalar* h0_;
  Scalar* h1_;
  Scalar* h2_;
  double squared_ = 0;
  Next next_ = Next::first_step;
};

// One column of V with all that its h needs. Products here go feature by feature, so that a column's bits do
// not depend on its neighbors.
template <class Scalar>
class ColumnFit {
 public:
  ColumnFit(const DataTerm<Scalar>& term, const Basis<Scalar>& basis, const ColumnStop& stop)
      : term_(term), basis_(basis), stop_(stop), K_(basis.W.cols()) {}

  // v is scaled in place, by a power of two; h: the answer. False: the limit of sweeps ended it.
  template <class Offset>
  bool solve(const Column<Scalar, Offset>& v, Scalar* h) const {
    // The start is the best multiple of the sum of all components, and the column is brought to a size at
    // which that multiple is near 1: neither the floor nor the tolerance then depend on how bright the column
    // is.
    Workspace work;
    auto* Wtv = work.take<Scalar>(K_);
    const double start = best_multiple(v, Wtv);
    if (!(start > 0)) {
      std::fill_n(h, K_, Scalar(0));
      return true;
    }
    const double s = inverse_power<Scalar>(start);
    for (Index p = 0; p < v.count; ++p) v.values[p] *= static_cast<Scalar>(s);
    std::fill_n(h, K_, static_cast<Scalar>(start * s));
    DataTerm<Scalar> term = term_;
    term.on_h = {in_units(term_.on_h.l1, s, term_.beta - 1), in_units(term_.on_h.l2, s, term_.beta - 2)};
    term.lambda = static_cast<Scalar>(static_cast<double>(term_.lambda) * s);
    const bool arrived = iterate(term, v, Wtv, s, h);
    const bool keep_floor = term_.infinite_at_zero();
    for (Index k = 0; k < K_; ++k)
      h[k] = keep_floor || h[k] > floor_value<Scalar> ? h[k] * static_cast<Scalar>(1 / s) : Scalar(0);
    return arrived;
  }

 private:
  // No penalty stays none, also where the power overflows.
  static Scalar in_units(Scalar penalty, double s, double power) {
    return penalty == 0 ? penalty : static_cast<Scalar>(static_cast<double>(penalty) * std::pow(s, power));
  }

  // c that brings c W 1 closest to v, or to its sum for losses other than Frobenius. Wtv <- W'v, Frobenius.
  template <class Offset>
  double best_multiple(const Column<Scalar, Offset>& v, Scalar* Wtv) const {
    double up = 0;
    if (term_.frobenius()) {
      weigh(v, v.values, Wtv);
      for (Index k = 0; k < K_; ++k) up += static_cast<double>(Wtv[k]);
      return up / static_cast<double>(basis_.gram.sum());
    }
    for (Index p = 0; p < v.count; ++p) up += static_cast<double>(v.values[p]);
    return up / static_cast<double>(basis_.W.sum());
  }

  template <class Offset>
  bool iterate(const DataTerm<Scalar>& term, const Column<Scalar, Offset>& v, const Scalar* Wtv, double s,
               Scalar* h) const {
    Workspace work;
    auto* up = work.take<Scalar>(K_);
    if (term.frobenius())
      for (Index k = 0; k < K_; ++k) up[k] = static_cast<Scalar>(s) * Wtv[k];
    auto* down = work.take<Scalar>(K_);
    auto* y = work.take<Scalar>(v.count);
    auto* x = work.take<Scalar>(v.count);
    Extrapolation<Scalar> extrapolation(K_, work);
    const bool convex = !term.frobenius() && term.beta >= 1 && term.beta <= 2;
    double first = -1;
    for (int sweep = 0; sweep < stop_.max_sweeps; ++sweep) {
      parts(term, v, h, y, x, up, down);
      const double squared = squared_gradient(term, up, down, h);
      if (first < 0) first = squared;
      if (squared <= stop_.tolerance * stop_.tolerance * first) return true;
      if (convex && !extrapolation.accepts(squared, h)) continue;
      if (term.frobenius())
        hals_item(h, up, basis_.gram, term.on_h);
      else
        ratio_step(h, up, down, K_, term.on_h, term.exponent);
      if (convex) extrapolation.moved(h);
    }
    return false;
  }

  // Of the projected gradient. What rounding leaves of two equal parts is none.
  double squared_gradient(const DataTerm<Scalar>& term, const Scalar* up, const Scalar* down,
                          const Scalar* h) const {
    constexpr double rounding = 16 * static_cast<double>(std::numeric_limits<Scalar>::epsilon());
    double squared = 0;
    for (Index k = 0; k < K_; ++k) {
      const auto plus = static_cast<double>(down[k] + term.on_h.l1 + term.on_h.l2 * h[k]);
      const auto minus = static_cast<double>(up[k]);
      const double gradient = plus - minus;
      if (std::abs(gradient) <= rounding * (plus + minus)) continue;
      const double projected = h[k] > floor_value<Scalar> ? gradient : std::min(gradient, 0.0);
      squared += projected * projected;
    }
    return squared;
  }

  // Numerator and denominator of the multiplicative step, which are the two parts of the gradient. x and y
  // have room for the column. Where the numerator is W'v for every h, `up` holds it already.
  template <class Offset>
  void parts(const DataTerm<Scalar>& term, const Column<Scalar, Offset>& v, const Scalar* h, Scalar* y,
             Scalar* x, Scalar* up, Scalar* down) const {
    const bool needs_entries = !term.frobenius() || term.outliers != OutlierModel::none;
    if (needs_entries && v.rows != nullptr) {
      pattern_parts(term, basis_.W, v.rows, v.values, v.count, h, y);
    } else if (needs_entries) {
      for (Index f = 0; f < v.count; ++f) x[f] = dot(basis_.W.data() + f * K_, h, K_);
      entry_parts(term, v.values, x, v.count, y, x);
    }
    if (needs_entries) weigh(v, y, up);
    if (term.frobenius())
      for (Index k = 0; k < K_; ++k) down[k] = dot(basis_.gram.col(k).data(), h, K_);
    else if (term.kl())
      std::copy_n(basis_.column_sums.data(), K_, down);
    else
      weigh(v, x, down);
  }

  // out <- W' values, with `values` in the places of v.
  template <class Offset>
  void weigh(const Column<Scalar, Offset>& v, const Scalar* values, Scalar* out) const {
    if (v.rows != nullptr)
      gather(v.rows, values, v.count, basis_.W.data(), K_, Scalar(1), out);
    else
      weigh_rows(basis_.W, values, out);
  }

  const DataTerm<Scalar>& term_;
  const Basis<Scalar>& basis_;
  const ColumnStop& stop_;
  Index K_;
};

}  // namespace

template <class Scalar>
Index fit_columns(const DataTerm<Scalar>& term, const Basis<Scalar>& basis, const Batch<Scalar>& v,
                  const ColumnStop& stop, Matrix<Scalar>& H) {
  const ColumnFit<Scalar> column(term, basis, stop);
  std::vector<char> arrived(static_cast<std::size_t>(v.count));
  parallel_for(v.count, [&](Index j) {
    char& done = arrived[static_cast<std::size_t>(j)];
    Scalar* h = H.col(v.sample(j)).data();
    Workspace work;
    auto* values = work.take<Scalar>(v.features);
    if (!on_pattern(term, v)) {
      copy_block(v, 0, v.features, j, j + 1, values);
      done = column.solve(Column<Scalar, std::int64_t>{nullptr, values, v.features}, h);
      return;
    }
    std::visit(
        [&](const auto& data) {
          if constexpr (!is_dense<std::decay_t<decltype(data)>>) {
            const auto e = entries(v, data, j);
            for (Index p = 0; p < e.count; ++p) values[p] = v.scale * e.values[p];
            done = column.solve(Column<Scalar, std::decay_t<decltype(*e.rows)>>{e.rows, values, e.count}, h);
          }
        },
        v.data);
  });
  return std::count(arrived.begin(), arrived.end(), false);
}

#define SVRMU_INSTANTIATE(S)                                                                             \
  template Index fit_columns<S>(const DataTerm<S>&, const Basis<S>&, const Batch<S>&, const ColumnStop&, \
                                Matrix<S>&);
SVRMU_INSTANTIATE(float)
SVRMU_INSTANTIATE(double)
#undef SVRMU_INSTANTIATE

}  // namespace svrmu
