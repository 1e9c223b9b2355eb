// H for new columns: each column on its own, from a fixed start, until its projected gradient is small.
#include "data/feed.hpp"
#include "fit/check.hpp"
#include "fit/resolve.hpp"
#include "fit/scaling.hpp"
#include "fit/scan.hpp"
#include "linalg/parallel.hpp"
#include "linalg/powers.hpp"
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

}  // namespace

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
  const Team alone{};
  const Scan found = scan(V, alone);
  check_values(found);
  if (model.loss.beta <= 0 && found.zero.count > 0) check_data(model.solver, model.loss, found);

  // V in the working units of the fit; W as it was before it was normalized, since penalties refer to that,
  // and to a size far from the floor.
  Scaling scaling{.v = model.checkpoint.w_scale * model.checkpoint.h_scale};
  const RowMatrix<Scalar> W_fitted = unnormalized(model);
  const double w_mean = static_cast<double>(W_fitted.mean());
  if (scaling.v != 1 && w_mean > 0) scaling.w = inverse_power<Scalar>(w_mean);
  scaling.h = scaling.v / scaling.w;
  DataTerm<Scalar> term =
      make_term<Scalar>(model.solver, model.loss, scaling.penalties(model.penalties, model.loss), scaling.v);
  if (term.outliers != OutlierModel::none) term.outliers = OutlierModel::closed_form;
  const RowMatrix<Scalar> W = (W_fitted * static_cast<Scalar>(scaling.w)).cwiseMax(floor_value<Scalar>);
  const Basis<Scalar> basis(term, W);

  TransformResult<Scalar> result;
  result.H = Matrix<Scalar>::Zero(K, V.samples());
  ColumnFeed<Scalar> feed(V, alone, 0, static_cast<Scalar>(scaling.v),
                          [&] { return options.stop.stop_requested(); });
  const ColumnStop stop{.tolerance = options.tolerance, .max_sweeps = options.max_sweeps};
  for (const Batch<Scalar>& v : feed.blocks(Counted::columns))
    result.unfinished += fit_columns(term, basis, v, stop, result.H);
  if (term.outliers == OutlierModel::closed_form) {
    result.R_sparse = closed_form_outliers(feed, W, result.H, term.lambda);
    result.R_sparse *= static_cast<Scalar>(1 / scaling.v);
  }
  if (feed.interrupted()) throw Cancelled("transform was cancelled");
  result.H *= static_cast<Scalar>(1 / scaling.h);
  for (std::size_t k = 0; k < model.column_norms.size(); ++k)
    result.H.row(static_cast<Index>(k)) *= static_cast<Scalar>(model.column_norms[k]);
  return result;
}

template TransformResult<float> transform<float>(const MatrixSource<float>&, const FitResult<float>&,
                                                 const TransformOptions<float>&);
template TransformResult<double> transform<double>(const MatrixSource<double>&, const FitResult<double>&,
                                                   const TransformOptions<double>&);

}  // namespace svrmu
