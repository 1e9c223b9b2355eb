// How good a fit is, in terms of the loss that was fitted.
#include "fit/quality.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "fit/evaluate.hpp"
#include "fit/scaling.hpp"
#include "linalg/batch_products.hpp"
#include "linalg/products.hpp"
#include "svrmu/error.hpp"
#include "svrmu/fit.hpp"
#include "text/text.hpp"

namespace svrmu {
namespace {

// Relative error of the null model below which its loss is rounding.
template <class Scalar>
constexpr double rank_one = sizeof(Scalar) == 8 ? 1e-7 : 1e-5;

// The loss alone.
template <class Scalar>
DataTerm<Scalar> term_of(const Loss& loss) {
  DataTerm<Scalar> term;
  term.beta = loss.beta;
  return term;
}

// Row sums x column sums / total, as factors of rank one. It is the best model of rank one for kl, and every
// model of a higher rank can be at least as good for any loss.
template <class Scalar>
Factors<Scalar> independence(ColumnFeed<Scalar>& feed, Index features, Index samples) {
  const RowMatrix<Scalar> ones = RowMatrix<Scalar>::Ones(features, 1);
  Factors<Scalar> f;
  f.W = RowMatrix<Scalar>::Zero(features, 1);
  f.H = Matrix<Scalar>::Zero(1, samples);
  std::vector<Scalar> units;
  Matrix<Scalar> sums;
  for (const Batch<Scalar>& v : feed.blocks(Counted::columns)) {
    sums.resize(1, v.count);
    units.assign(static_cast<std::size_t>(v.count), Scalar(1));
    multiply_WtV(ones, v, sums.data());
    put_columns(sums, v, f.H);
    add_VHt(v, units.data(), 1, f.W);
  }
  feed.total(f.W);
  const auto root = static_cast<Scalar>(std::sqrt(f.W.template cast<double>().sum()));
  f.W /= root;
  f.H /= root;
  return f;
}

}  // namespace

template <class Scalar>
double null_cost(const MatrixSource<Scalar>& V, const Team& team, const Loss& loss, const Scan& scan,
                 const std::function<bool()>& interrupted) {
  if (loss.is_frobenius()) return scan.squared / 2;
  const Scaling scaling{.v = scale_of(scan)};
  ColumnFeed<Scalar> feed(V, team, 0, static_cast<Scalar>(scaling.v), interrupted);
  const Factors<Scalar> f = independence(feed, V.features(), V.samples());
  Evaluator<Scalar> evaluate(V, team, term_of<Scalar>(loss), loss, scan, scaling, interrupted);
  const Evaluation null = feed.interrupted() ? Evaluation{} : evaluate(f, nullptr);
  if (feed.interrupted() || evaluate.interrupted()) return std::numeric_limits<double>::quiet_NaN();
  return null.relative_error < rank_one<Scalar> ? 0 : null.cost;
}

template <class Scalar>
std::vector<double> sample_costs(const MatrixSource<Scalar>& V, const FitResult<Scalar>& result) {
  if (V.features() != result.W.rows() || V.samples() != result.H.cols())
    throw InvalidInput("the result was made from " + std::to_string(result.W.rows()) + " features x " +
                       std::to_string(result.H.cols()) + " samples, but V has " +
                       shape_text(V.features(), V.samples()));
  // In the working units of the fit, where no entry is near the floor by its unit alone.
  const Scaling scaling{.v = result.checkpoint.w_scale * result.checkpoint.h_scale};
  const DataTerm<Scalar> term = term_of<Scalar>(result.loss);
  const RowMatrix<Scalar> W = static_cast<Scalar>(scaling.v) * result.W;
  const bool from_stored = V.is_sparse() && (term.frobenius() || term.kl());
  const Matrix<Scalar> gram = from_stored ? WtW(W) : Matrix<Scalar>();
  const Matrix<Scalar> sums = from_stored ? item_sum(W.data(), W.rows(), W.cols()) : Matrix<Scalar>();
  PassOrder one_by_one;
  for (Index n = 1; n <= V.samples(); ++n) one_by_one.ends.push_back(n);
  const auto stream = V.open(std::move(one_by_one));
  std::vector<double> costs;
  Batch<Scalar> v;
  Matrix<Scalar> h;
  while (stream->next(v)) {
    v.features = V.features();
    v.scale = static_cast<Scalar>(scaling.v);
    h = result.H.col(static_cast<Index>(costs.size()));
    const Cost cost =
        from_stored ? pattern_cost(term, W, gram, sums, v, h, {}) : direct_cost(term, W, v, h, {});
    costs.push_back(std::max(cost.loss, 0.0) / scaling.loss(result.loss));
  }
  return costs;
}

template <class Scalar>
Quality quality(const FitResult<Scalar>& result) {
  const EpochRecord& at = result.record();
  const bool frobenius = result.loss.is_frobenius();
  Quality q;
  q.measure = frobenius ? "relative error" : to_string(result.loss) + " divergence";
  q.value = frobenius ? at.relative_error : at.cost;
  q.baseline = frobenius ? "V's sum of squares" : "the divergence of row sums x column sums / total";
  // A share of nothing, or of what is not known, is NaN.
  q.explained = result.null_cost > 0 ? 1 - at.cost / result.null_cost
                : frobenius          ? 1 - at.relative_error * at.relative_error
                                     : std::nan("");
  q.diverged = q.explained < 0 && at.objective > result.history.front().objective;
  if (result.null_cost == 0)
    q.meaning = "V is row sums x column sums / total up to rounding, which leaves nothing to explain";
  else if (std::isnan(q.explained) && at.estimated)
    q.meaning = "how much that explains is not known: it would take another pass over the stream";
  else if (std::isnan(q.explained))
    q.meaning = "how much that explains is not known: the model was made before svrmu kept it";
  else if (q.diverged)
    q.meaning =
        "the run diverged: WH is farther from V than its start was, and explains nothing of " + q.baseline;
  else if (q.explained < 0)
    q.meaning = "WH explains nothing of " + q.baseline;
  else
    q.meaning = std::string("WH") + (result.R.size() + result.R_sparse.size() > 0 ? " + R" : "") +
                " explains " + significant_text(100 * q.explained, 4) + " % of " + q.baseline +
                (at.estimated ? ", each column when it was seen" : "");
  return q;
}

#define SVRMU_INSTANTIATE(S)                                                                  \
  template double null_cost<S>(const MatrixSource<S>&, const Team&, const Loss&, const Scan&, \
                               const std::function<bool()>&);                                 \
  template std::vector<double> sample_costs<S>(const MatrixSource<S>&, const FitResult<S>&);  \
  template Quality quality<S>(const FitResult<S>&);
SVRMU_INSTANTIATE(float)
SVRMU_INSTANTIATE(double)
#undef SVRMU_INSTANTIATE

}  // namespace svrmu
