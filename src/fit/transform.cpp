// H for new columns: each column on its own, from a fixed start, until its projected gradient is small.
#include <algorithm>
#include <cmath>
#include <type_traits>

#include "data/feed.hpp"
#include "fit/result.hpp"
#include "fit/scaling.hpp"
#include "fit/scan.hpp"
#include "fit/validate.hpp"
#include "linalg/batch_products.hpp"
#include "linalg/parallel.hpp"
#include "linalg/workspace.hpp"
#include "svrmu/error.hpp"
#include "svrmu/fit.hpp"
#include "text/text.hpp"

namespace svrmu {
namespace {

// One column of V with all that its h needs. Kernels here go feature by feature, so that a column's bits do
// not depend on its neighbours.
template <class Scalar>
class ColumnFit {
 public:
  ColumnFit(const DataTerm<Scalar>& term, const Basis<Scalar>& basis, const TransformOptions<Scalar>& options)
      : term_(term), basis_(basis), options_(options), K_(basis.W.cols()) {}

  // v: the column's values (dense, or on `rows`), scaled in place; h: the answer.
  template <class Offset>
  void solve(const Offset* rows, Scalar* v, Index count, Scalar* h) const {
    // The start is the best multiple of the sum of all components, and the column is brought to a size at
    // which that multiple is near 1: neither the floor nor the tolerance then depend on how bright the column
    // is.
    const double start = best_multiple(rows, v, count);
    if (!(start > 0)) {
      std::fill_n(h, K_, Scalar(0));
      return;
    }
    const double s = inverse_power(start);
    for (Index p = 0; p < count; ++p) v[p] *= static_cast<Scalar>(s);
    std::fill_n(h, K_, static_cast<Scalar>(start * s));
    DataTerm<Scalar> term = term_;
    const double unit = std::pow(s, term_.beta);
    term.on_h = {static_cast<Scalar>(static_cast<double>(term_.on_h.l1) * unit / s),
                 static_cast<Scalar>(static_cast<double>(term_.on_h.l2) * unit / (s * s))};
    term.lambda = static_cast<Scalar>(static_cast<double>(term_.lambda) * s);
    iterate(term, rows, v, count, h);
    for (Index k = 0; k < K_; ++k)
      h[k] = h[k] > floor_value<Scalar> ? h[k] * static_cast<Scalar>(1 / s) : Scalar(0);
  }

 private:
  // c that brings c W 1 closest to v, or to its sum for losses other than Frobenius.
  template <class Offset>
  double best_multiple(const Offset* rows, const Scalar* v, Index count) const {
    double up = 0;
    if (term_.frobenius()) {
      Workspace work;
      auto* Wtv = work.take<Scalar>(K_);
      weigh(rows, v, count, Wtv);
      for (Index k = 0; k < K_; ++k) up += static_cast<double>(Wtv[k]);
      return up / static_cast<double>(basis_.gram.sum());
    }
    for (Index p = 0; p < count; ++p) up += static_cast<double>(v[p]);
    return up / static_cast<double>(basis_.W.sum());
  }

  template <class Offset>
  void iterate(const DataTerm<Scalar>& term, const Offset* rows, const Scalar* v, Index count,
               Scalar* h) const {
    Workspace work;
    auto* up = work.take<Scalar>(K_);
    auto* down = work.take<Scalar>(K_);
    auto* y = work.take<Scalar>(count);
    auto* z = work.take<Scalar>(count);
    double first = -1;
    for (int sweep = 0; sweep < options_.max_sweeps; ++sweep) {
      parts(term, rows, v, count, h, y, z, up, down);
      double squared = 0;
      for (Index k = 0; k < K_; ++k) {
        const double gradient = static_cast<double>(down[k] - up[k] + term.on_h.l1 + term.on_h.l2 * h[k]);
        const double projected = h[k] > floor_value<Scalar> ? gradient : std::min(gradient, 0.0);
        squared += projected * projected;
      }
      if (first < 0) first = squared;
      if (squared <= options_.tolerance * options_.tolerance * first) return;
      if (term.frobenius())
        kernels<Scalar>().hals_sweep(h, up, 1, basis_.gram.data(), K_, term.on_h);
      else
        kernels<Scalar>().ratio(h, up, down, K_, term.on_h, Scalar(1), static_cast<Scalar>(term.exponent));
    }
  }

  // up and down of the gradient in h at the present h.
  template <class Offset>
  void parts(const DataTerm<Scalar>& term, const Offset* rows, const Scalar* v, Index count, const Scalar* h,
             Scalar* y, Scalar* z, Scalar* up, Scalar* down) const {
    const Scalar* target = v;
    if (!term.frobenius() || term.outliers != OutlierModel::none) {
      approximate(rows, count, h, y);
      for (Index p = 0; p < count; ++p) {
        if (term.frobenius()) {
          y[p] = std::min(v[p], y[p] + term.lambda);
          continue;
        }
        const Scalar x = std::max(y[p], floor_value<Scalar>);
        const Scalar power = term.kl() ? 1 / x : std::pow(x, static_cast<Scalar>(term.beta - 2));
        y[p] = v[p] * power;
        z[p] = power * x;
      }
      target = y;
    }
    weigh(rows, target, count, up);
    if (term.frobenius())
      for (Index k = 0; k < K_; ++k) down[k] = kernels<Scalar>().dot(basis_.gram.col(k).data(), h, K_);
    else if (term.kl())
      std::copy_n(basis_.column_sums.data(), K_, down);
    else
      weigh(rows, z, count, down);
  }

  template <class Offset>
  void approximate(const Offset* rows, Index count, const Scalar* h, Scalar* x) const {
    if (rows != nullptr)
      sample(rows, count, basis_.W.data(), h, K_, x);
    else
      for (Index i = 0; i < count; ++i) x[i] = kernels<Scalar>().dot(basis_.W.data() + i * K_, h, K_);
  }
  template <class Offset>
  void weigh(const Offset* rows, const Scalar* values, Index count, Scalar* out) const {
    if (rows != nullptr)
      gather(rows, values, count, basis_.W.data(), K_, Scalar(1), out);
    else
      kernels<Scalar>().gather_dense(values, 1, count, basis_.W.data(), K_, Scalar(1), out);
  }

  const DataTerm<Scalar>& term_;
  const Basis<Scalar>& basis_;
  const TransformOptions<Scalar>& options_;
  Index K_;
};

}  // namespace

template <class Scalar>
TransformResult<Scalar> transform(const MatrixSource<Scalar>& V, const FitResult<Scalar>& model,
                                  const TransformOptions<Scalar>& options) {
  const Index K = model.W.cols();
  if (V.features() != model.W.rows())
    throw InvalidInput("V has " + std::to_string(V.features()) + " features, but the model has " +
                       std::to_string(model.W.rows()));
  if (options.max_sweeps < 1)
    throw InvalidInput("max_sweeps is " + std::to_string(options.max_sweeps) + "; it must be at least 1");
  if (!(options.tolerance >= 0))
    throw InvalidInput("tolerance is " + number_text(options.tolerance) + "; it must not be negative");
  const ThreadScope threads(options.threads);
  const Team alone{};
  const Scan found = scan(V, alone);
  check_values(found);
  if (model.loss.beta <= 0 && found.zero.count > 0) check_data(model.solver, model.loss, found);

  // V in the working units of the fit; W, which may have been normalized since, to a size far from the floor.
  Scaling scaling{.v = model.checkpoint.w_scale * model.checkpoint.h_scale};
  const double w_mean = static_cast<double>(model.W.mean());
  if (scaling.v != 1 && w_mean > 0) scaling.w = inverse_power(w_mean);
  scaling.h = scaling.v / scaling.w;
  DataTerm<Scalar> term =
      make_term<Scalar>(model.solver, model.loss, scaling.penalties(model.penalties, model.loss), scaling.v);
  if (term.outliers != OutlierModel::none) term.outliers = OutlierModel::closed_form;
  const RowMatrix<Scalar> W = (model.W * static_cast<Scalar>(scaling.w)).cwiseMax(floor_value<Scalar>);
  const Basis<Scalar> basis(term, W);

  TransformResult<Scalar> result;
  result.H = Matrix<Scalar>::Zero(K, V.samples());
  ColumnFeed<Scalar> feed(V, alone, 0, static_cast<Scalar>(scaling.v),
                          [&] { return options.stop.stop_requested(); });
  const ColumnFit<Scalar> column(term, basis, options);
  const bool on_pattern = V.is_sparse() && (term.frobenius() || term.kl());
  for (const Batch<Scalar>& v : feed.blocks(Counted::no))
    parallel_for(v.count, [&](Index j) {
      Scalar* h = result.H.col(v.sample(j)).data();
      Workspace work;
      auto* values = work.take<Scalar>(v.features);
      if (!on_pattern) {
        copy_block(v, 0, v.features, j, j + 1, values);
        column.solve(static_cast<const std::int64_t*>(nullptr), values, v.features, h);
        return;
      }
      std::visit(
          [&](const auto& data) {
            if constexpr (!std::is_same_v<std::decay_t<decltype(data)>, DenseColumns<Scalar>>) {
              const auto e = entries(v, data, j);
              for (Index p = 0; p < e.count; ++p) values[p] = v.scale * e.values[p];
              column.solve(e.rows, values, e.count, h);
            }
          },
          v.data);
    });
  if (term.outliers == OutlierModel::closed_form) {
    result.R_sparse = closed_form_outliers(feed, W, result.H, term.lambda);
    result.R_sparse *= static_cast<Scalar>(1 / scaling.v);
  }
  if (feed.interrupted()) throw Cancelled("transform was cancelled");
  result.H *= static_cast<Scalar>(1 / scaling.h);
  return result;
}

template TransformResult<float> transform<float>(const MatrixSource<float>&, const FitResult<float>&,
                                                 const TransformOptions<float>&);
template TransformResult<double> transform<double>(const MatrixSource<double>&, const FitResult<double>&,
                                                   const TransformOptions<double>&);

}  // namespace svrmu
