#include "objective/column_fit.hpp"

#include <algorithm>
#include <cmath>
#include <type_traits>

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

// One column of V with all that its h needs. Products here go feature by feature, so that a column's bits do
// not depend on its neighbors.
template <class Scalar>
class ColumnFit {
 public:
  ColumnFit(const DataTerm<Scalar>& term, const Basis<Scalar>& basis, const ColumnStop& stop)
      : term_(term), basis_(basis), stop_(stop), K_(basis.W.cols()) {}

  // v is scaled in place; h: the answer.
  template <class Offset>
  void solve(const Column<Scalar, Offset>& v, Scalar* h) const {
    // The start is the best multiple of the sum of all components, and the column is brought to a size at
    // which that multiple is near 1: neither the floor nor the tolerance then depend on how bright the column
    // is.
    const double start = best_multiple(v);
    if (!(start > 0)) {
      std::fill_n(h, K_, Scalar(0));
      return;
    }
    const double s = inverse_power(start);
    for (Index p = 0; p < v.count; ++p) v.values[p] *= static_cast<Scalar>(s);
    std::fill_n(h, K_, static_cast<Scalar>(start * s));
    DataTerm<Scalar> term = term_;
    const double unit = std::pow(s, term_.beta);
    term.on_h = {static_cast<Scalar>(static_cast<double>(term_.on_h.l1) * unit / s),
                 static_cast<Scalar>(static_cast<double>(term_.on_h.l2) * unit / (s * s))};
    term.lambda = static_cast<Scalar>(static_cast<double>(term_.lambda) * s);
    iterate(term, v, h);
    for (Index k = 0; k < K_; ++k)
      h[k] = h[k] > floor_value<Scalar> ? h[k] * static_cast<Scalar>(1 / s) : Scalar(0);
  }

 private:
  // c that brings c W 1 closest to v, or to its sum for losses other than Frobenius.
  template <class Offset>
  double best_multiple(const Column<Scalar, Offset>& v) const {
    double up = 0;
    if (term_.frobenius()) {
      Workspace work;
      auto* Wtv = work.take<Scalar>(K_);
      weigh(v, v.values, Wtv);
      for (Index k = 0; k < K_; ++k) up += static_cast<double>(Wtv[k]);
      return up / static_cast<double>(basis_.gram.sum());
    }
    for (Index p = 0; p < v.count; ++p) up += static_cast<double>(v.values[p]);
    return up / static_cast<double>(basis_.W.sum());
  }

  template <class Offset>
  void iterate(const DataTerm<Scalar>& term, const Column<Scalar, Offset>& v, Scalar* h) const {
    Workspace work;
    auto* up = work.take<Scalar>(K_);
    auto* down = work.take<Scalar>(K_);
    auto* y = work.take<Scalar>(v.count);
    auto* x = work.take<Scalar>(v.count);
    double first = -1;
    for (int sweep = 0; sweep < stop_.max_sweeps; ++sweep) {
      parts(term, v, h, y, x, up, down);
      double squared = 0;
      for (Index k = 0; k < K_; ++k) {
        const double gradient = static_cast<double>(down[k] - up[k] + term.on_h.l1 + term.on_h.l2 * h[k]);
        const double projected = h[k] > floor_value<Scalar> ? gradient : std::min(gradient, 0.0);
        squared += projected * projected;
      }
      if (first < 0) first = squared;
      if (squared <= stop_.tolerance * stop_.tolerance * first) return;
      if (term.frobenius())
        hals_item(h, up, basis_.gram, term.on_h);
      else
        ratio_step(h, up, down, K_, term.on_h, term.exponent);
    }
  }

  // Numerator and denominator of the multiplicative step, which are the two parts of the gradient. x and y
  // have room for the column.
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
    weigh(v, needs_entries ? y : v.values, up);
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
void fit_columns(const DataTerm<Scalar>& term, const Basis<Scalar>& basis, const Batch<Scalar>& v,
                 const ColumnStop& stop, Matrix<Scalar>& H) {
  const ColumnFit<Scalar> column(term, basis, stop);
  parallel_for(v.count, [&](Index j) {
    Scalar* h = H.col(v.sample(j)).data();
    Workspace work;
    auto* values = work.take<Scalar>(v.features);
    if (!on_pattern(term, v)) {
      copy_block(v, 0, v.features, j, j + 1, values);
      column.solve(Column<Scalar, std::int64_t>{nullptr, values, v.features}, h);
      return;
    }
    std::visit(
        [&](const auto& data) {
          if constexpr (!is_dense<std::decay_t<decltype(data)>>) {
            const auto e = entries(v, data, j);
            for (Index p = 0; p < e.count; ++p) values[p] = v.scale * e.values[p];
            column.solve(Column<Scalar, std::decay_t<decltype(*e.rows)>>{e.rows, values, e.count}, h);
          }
        },
        v.data);
  });
}

#define SVRMU_INSTANTIATE(S)                                                                            \
  template void fit_columns<S>(const DataTerm<S>&, const Basis<S>&, const Batch<S>&, const ColumnStop&, \
                               Matrix<S>&);
SVRMU_INSTANTIATE(float)
SVRMU_INSTANTIATE(double)
#undef SVRMU_INSTANTIATE

}  // namespace svrmu
