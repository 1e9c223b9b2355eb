#include "objective/column_fit.hpp"

#include <algorithm>
#include <cmath>
#include <type_traits>
#include <vector>

#include "linalg/parallel.hpp"
#include "linalg/powers.hpp"
#include "objective/newton_step.hpp"

namespace svrmu {
namespace {

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
    const ColumnParts<Scalar> at{work.take<Scalar>(v.count), work.take<Scalar>(v.count),
                                 work.take<Scalar>(v.count), up, work.take<Scalar>(K_)};
    const NewtonStep<Scalar> newton(term, basis_);
    double first = -1;
    for (int sweep = 0; sweep < stop_.max_sweeps; ++sweep) {
      find_parts(term, newton, v, h, at);
      const double squared = squared_gradient(term, at, h);
      if (first < 0) first = squared;
      if (squared <= stop_.tolerance * stop_.tolerance * first) return true;
      if (term.frobenius()) {
        if ((sweep + 1) % sweeps_per_jump(K_) == 0)
          jump(Quadratic<Scalar>{basis_.gram.data(), up, K_, term.on_h}, h);
        else
          hals_item(h, up, basis_.gram, term.on_h);
        continue;
      }
      const Newton step = newton(v, at, h);
      if (step == Newton::at_rounding) return true;
      if (step == Newton::failed) ratio_step(h, at.up, at.down, K_, term.on_h, term.exponent);
    }
    return false;
  }

  // Of the projected gradient. What rounding leaves of two equal parts is none.
  double squared_gradient(const DataTerm<Scalar>& term, const ColumnParts<Scalar>& at,
                          const Scalar* h) const {
    double squared = 0;
    for (Index k = 0; k < K_; ++k) {
      const auto plus = static_cast<double>(at.down[k] + term.on_h.l1 + term.on_h.l2 * h[k]);
      const auto minus = static_cast<double>(at.up[k]);
      const double gradient = plus - minus;
      if (std::abs(gradient) <= NewtonStep<Scalar>::least_share * (plus + minus)) continue;
      const double projected = h[k] > floor_value<Scalar> ? gradient : std::min(gradient, 0.0);
      squared += projected * projected;
    }
    return squared;
  }

  // Numerator and denominator of the multiplicative step are the two parts of the gradient. Where the
  // numerator is W'v for every h, `up` holds it already.
  template <class Offset>
  void find_parts(const DataTerm<Scalar>& term, const NewtonStep<Scalar>& newton,
                  const Column<Scalar, Offset>& v, const Scalar* h, const ColumnParts<Scalar>& at) const {
    if (!term.frobenius() || term.outliers != OutlierModel::none) {
      newton.times_W(v, h, at.x);
      entry_parts(term, v.values, at.x, v.count, at.minus, at.plus);
      weigh(v, at.minus, at.up);
    }
    if (term.frobenius())
      for (Index k = 0; k < K_; ++k) at.down[k] = dot(basis_.gram.col(k).data(), h, K_);
    else if (term.kl())
      std::copy_n(basis_.column_sums.data(), K_, at.down);
    else
      weigh(v, at.plus, at.down);
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
