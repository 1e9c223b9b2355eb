// H for new columns: each column on its own, from a fixed start, until its projected gradient is small.
#include <cmath>
#include <vector>

#include "data/feed.hpp"
#include "fit/check.hpp"
#include "fit/resolve.hpp"
#include "fit/scaling.hpp"
#include "fit/scan.hpp"
#include "linalg/parallel.hpp"
#include "linalg/powers.hpp"
#include "linalg/validity.hpp"
#include "objective/column_fit.hpp"
#include "objective/outliers.hpp"
#include "svrmu/error.hpp"
#include "svrmu/fit.hpp"
#include "text/text.hpp"

namespace svrmu {
namespace {

template <class Scalar>
RowMatrix<Scalar> unnormalized(const FitResult<Scalar>& model) {
  RowMatrix<Scalar> W = model.W;
  for (std::size_t k = 0; k < model.column_norms.size(); ++k)
    W.col(static_cast<Index>(k)) *= static_cast<Scalar>(model.column_norms[k]);
  return W;
}

// Components that can add to WH. Of the others any h gives the same loss: 0 is what penalties ask for.
template <class Scalar>
std::vector<Index> live_components(const RowMatrix<Scalar>& W) {
  std::vector<Index> live;
  for (Index k = 0; k < W.cols(); ++k)
    if ((W.col(k).array() > Scalar(0)).any()) live.push_back(k);
  return live;
}

// The columns of H in the units of the caller. `W` is in those units too, `term` in working units.
template <class Scalar>
TransformResult<Scalar> transform_by(const MatrixSource<Scalar>& V, const RowMatrix<Scalar>& W_given,
                                     const DataTerm<Scalar>& term, const Scaling& scaling,
                                     const TransformOptions<Scalar>& options) {
  const std::vector<Index> live = live_components(W_given);
  const bool all = static_cast<Index>(live.size()) == W_given.cols();
  // To a size far from the floor.
  const RowMatrix<Scalar> W =
      ((all ? W_given : RowMatrix<Scalar>(W_given(Eigen::all, live))) * static_cast<Scalar>(scaling.w))
          .cwiseMax(floor_value<Scalar>);
  const Team alone{};
  ColumnFeed<Scalar> feed(V, alone, 0, static_cast<Scalar>(scaling.v),
                          [&] { return options.stop.stop_requested(); });
  TransformResult<Scalar> result;
  Matrix<Scalar> H = Matrix<Scalar>::Zero(W.cols(), V.samples());
  const ColumnStop stop{.tolerance = options.tolerance, .max_sweeps = options.max_sweeps};
  if (!live.empty()) {
    const Basis<Scalar> basis(term, W);
    for (const Batch<Scalar>& v : feed.blocks(Counted::columns))
      result.unfinished += fit_columns(term, basis, v, stop, H);
  }
  if (term.outliers == OutlierModel::closed_form) {
    closed_form_outliers(feed, W, H, term.lambda, result.R_sparse);
    result.R_sparse *= static_cast<Scalar>(1 / scaling.v);
  }
  if (feed.interrupted()) throw Cancelled("transform was cancelled");
  H *= static_cast<Scalar>(1 / scaling.h);
  if (all) {
    result.H = std::move(H);
  } else {
    result.H = Matrix<Scalar>::Zero(W_given.cols(), V.samples());
    result.H(live, Eigen::all) = H;
  }
  return result;
}

template <class Scalar>
void check_components(const RowMatrix<Scalar>& W, Index features) {
  if (W.rows() != features || W.cols() < 1)
    throw InvalidInput("W is " + shape_text(W.rows(), W.cols()) + ", but V has " + std::to_string(features) +
                       " features: it must be features x components");
  const Index at = first_invalid(W.data(), W.size());
  if (at < W.size())
    throw InvalidInput("W holds " + number_text(static_cast<double>(W.data()[at])) + " at row " +
                       std::to_string(at / W.cols() + 1) + ", column " + std::to_string(at % W.cols() + 1) +
                       " (counted from 1); it must be finite and nonnegative");
}

// Powers of two that bring numbers of this size near 1 where sums of their products could leave the range of
// Scalar. Others are left alone, so that a column's answer does not depend on what else is in V.
template <class Scalar>
double scale_from_the_edge(double size) {
  constexpr double far = sizeof(Scalar) == 8 ? 0x1p300 : 0x1p40;
  const bool near = !(size > 0) || (size < far && size > 1 / far);
  return near ? 1 : inverse_power<Scalar>(size);
}

// W as it is, but for one whose entries are small against the floor, or large.
template <class Scalar>
double scale_of_components(const RowMatrix<Scalar>& W) {
  const auto mean = static_cast<double>(W.template cast<double>().mean());
  return !(mean > 0) || (mean >= 1e-3 && mean <= 1e6) ? 1 : inverse_power<Scalar>(mean);
}

}  // namespace

template <class Scalar>
TransformResult<Scalar> transform(const MatrixSource<Scalar>& V, const RowMatrix<Scalar>& W, const Loss& loss,
                                  const Penalties& penalties, const TransformOptions<Scalar>& options) {
  check_components(W, V.features());
  if (!std::isfinite(loss.beta))
    throw InvalidInput("beta of the loss is " + number_text(loss.beta) + "; it must be finite");
  check_ranges(penalties);
  check_ranges(options);
  const ThreadScope threads(options.threads);
  const Scan found = scan(V, Team{}, options.stop);
  check_values(found);
  check_zeros(loss, found);
  Scaling scaling{.v = scale_from_the_edge<Scalar>(found.max), .w = scale_of_components(W)};
  scaling.h = scaling.v / scaling.w;
  const Penalties working = scaling.penalties(penalties, loss);
  DataTerm<Scalar> term;
  term.beta = loss.beta;
  term.exponent = descent_exponent(loss);
  term.on_h = {static_cast<Scalar>(working.l1_h), static_cast<Scalar>(working.l2_h)};
  return transform_by(V, W, term, scaling, options);
}

template <class Scalar>
TransformResult<Scalar> transform(const MatrixSource<Scalar>& V, const FitResult<Scalar>& model,
                                  const TransformOptions<Scalar>& options) {
  const Index K = model.W.cols();
  if (V.features() != model.W.rows())
    throw InvalidInput("V has " + std::to_string(V.features()) + " features, but the model has " +
                       std::to_string(model.W.rows()));
  if (!model.column_norms.empty() && static_cast<Index>(model.column_norms.size()) != K)
    throw InvalidInput("the model has " + std::to_string(K) + " components, but " +
                       std::to_string(model.column_norms.size()) + " norms of them");
  check_ranges(options);
  const ThreadScope threads(options.threads);
  const Scan found = scan(V, Team{}, options.stop);
  check_values(found);
  if (model.loss.beta <= 0 && found.zero.count > 0) check_data(model.solver, model.loss, found);

  // V in the working units of the fit; W as it was before it was normalized, since penalties refer to that.
  Scaling scaling{.v = model.checkpoint.w_scale * model.checkpoint.h_scale};
  const RowMatrix<Scalar> W_fitted = unnormalized(model);
  const double w_mean = static_cast<double>(W_fitted.mean());
  if (scaling.v != 1 && w_mean > 0) scaling.w = inverse_power<Scalar>(w_mean);
  scaling.h = scaling.v / scaling.w;
  DataTerm<Scalar> term =
      make_term<Scalar>(model.solver, model.loss, scaling.penalties(model.penalties, model.loss), scaling.v);
  if (term.outliers != OutlierModel::none) term.outliers = OutlierModel::closed_form;
  TransformResult<Scalar> result = transform_by(V, W_fitted, term, scaling, options);
  for (std::size_t k = 0; k < model.column_norms.size(); ++k)
    result.H.row(static_cast<Index>(k)) *= static_cast<Scalar>(model.column_norms[k]);
  return result;
}

#define SVRMU_INSTANTIATE(S)                                                                         \
  template TransformResult<S> transform<S>(const MatrixSource<S>&, const RowMatrix<S>&, const Loss&, \
                                           const Penalties&, const TransformOptions<S>&);            \
  template TransformResult<S> transform<S>(const MatrixSource<S>&, const FitResult<S>&,              \
                                           const TransformOptions<S>&);
SVRMU_INSTANTIATE(float)
SVRMU_INSTANTIATE(double)
#undef SVRMU_INSTANTIATE

}  // namespace svrmu
