#include "fit/result.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "linalg/batch_scan.hpp"
#include "linalg/columns.hpp"
#include "linalg/copies.hpp"
#include "objective/outliers.hpp"
#include "text/text.hpp"

namespace svrmu {
namespace {

// Columns of W to norm 1, their weight moved to H, the heaviest component first. Returns the norms. A column
// of zeros stays: its norm counts as 1.
template <class Scalar>
std::vector<double> normalize_components(const ColumnFeed<Scalar>& feed, RowMatrix<Scalar>& W,
                                         Matrix<Scalar>& H) {
  const Index K = W.cols();
  std::vector<double> weight(static_cast<std::size_t>(K));
  std::vector<double> norm(static_cast<std::size_t>(K), 1);
  for (Index k = 0; k < K; ++k) {
    const double w = std::sqrt(W.col(k).template cast<double>().squaredNorm());
    // What it adds to the sum of the entries of WH: the weight that is shown everywhere.
    weight[static_cast<std::size_t>(k)] =
        W.col(k).template cast<double>().sum() * feed.total(double(H.row(k).template cast<double>().sum()));
    if (!(w > 0)) continue;
    norm[static_cast<std::size_t>(k)] = w;
    W.col(k) = (W.col(k).template cast<double>() / w).template cast<Scalar>();
    H.row(k) = (H.row(k).template cast<double>() * w).template cast<Scalar>();
  }
  std::vector<Index> order(static_cast<std::size_t>(K));
  std::iota(order.begin(), order.end(), Index{0});
  std::stable_sort(order.begin(), order.end(), [&](Index a, Index b) {
    return weight[static_cast<std::size_t>(a)] > weight[static_cast<std::size_t>(b)];
  });
  const RowMatrix<Scalar> W_before = W;
  const Matrix<Scalar> H_before = H;
  std::vector<double> ordered;
  for (Index k = 0; k < K; ++k) {
    W.col(k) = W_before.col(order[static_cast<std::size_t>(k)]);
    H.row(k) = H_before.row(order[static_cast<std::size_t>(k)]);
    ordered.push_back(norm[static_cast<std::size_t>(order[static_cast<std::size_t>(k)])]);
  }
  return ordered;
}

// Exact zeros for entries at the floor in the rows of W and columns of H for which V has no value.
template <class Scalar>
void clear_empty(ColumnFeed<Scalar>& feed, const Factors<Scalar>& f, FitResult<Scalar>& result) {
  const auto clear = [](const auto& from, auto to) {
    to = (from.array() > floor_value<Scalar>).select(to, Scalar(0));
  };
  RowMatrix<Scalar> seen = RowMatrix<Scalar>::Zero(feed.features(), 1);
  for (const Batch<Scalar>& v : feed.blocks(Counted::columns)) {
    mark_rows(v, seen);
    for (Index j = 0; j < v.count; ++j) {
      if (is_empty(v, j)) clear(f.H.col(v.sample(j)), result.H.col(v.sample(j)));
    }
  }
  feed.total(seen);
  for (Index i = 0; i < seen.rows(); ++i)
    if (seen(i) == Scalar(0)) clear(f.W.row(i), result.W.row(i));
}

}  // namespace

template <class Scalar>
typename Checkpoint<Scalar>::Iterate to_iterate(Factors<Scalar> f) {
  return {std::move(f.W), std::move(f.H), std::move(f.R.dense), std::move(f.R.values)};
}

template <class Scalar>
Factors<Scalar> to_factors(const typename Checkpoint<Scalar>::Iterate& iterate) {
  Factors<Scalar> f;
  f.W = iterate.W;
  f.H = iterate.H;
  f.R.dense = iterate.R;
  f.R.values = iterate.R_values;
  return f;
}

template <class Scalar>
void fill_outputs(ColumnFeed<Scalar>& feed, const Scan& scan, const DataTerm<Scalar>& term,
                  const Scaling& scaling, const Factors<Scalar>& f, bool normalize,
                  FitResult<Scalar>& result) {
  feed.begin_epoch(0);  // forget the interruption that ended the solver's last pass
  if (term.infinite_at_zero()) {
    assign_scaled(result.W, static_cast<Scalar>(1 / scaling.w), f.W);
    assign_scaled(result.H, static_cast<Scalar>(1 / scaling.h), f.H);
    if (scan.empty_rows > 0 || scan.empty_columns > 0) clear_empty(feed, f, result);
  } else {
    assign_above_floor(result.W, static_cast<Scalar>(1 / scaling.w), f.W);
    assign_above_floor(result.H, static_cast<Scalar>(1 / scaling.h), f.H);
  }
  const auto unit = static_cast<Scalar>(1 / scaling.v);
  if (term.outliers == OutlierModel::closed_form) {
    closed_form_outliers(feed, f.W, f.H, term.lambda, result.R_sparse);
    if (unit != Scalar(1)) result.R_sparse *= unit;
  } else if (f.R.dense.size() > 0) {
    result.R = f.R.dense * unit;
  } else if (!f.R.offsets.empty()) {
    kept_outliers(feed, f.R, unit, result.R_sparse);
  }
  if (normalize) result.column_norms = normalize_components(feed, result.W, result.H);
}

template <class Scalar>
std::string summary(const FitResult<Scalar>& result) {
  const EpochRecord& start = result.history.front();
  const EpochRecord& at = result.record();
  const EpochRecord& last = result.history.back();
  const Quality found = quality(result);
  const auto digits = [](double x) { return significant_text(x, 5); };
  std::string text = std::string(name_of(result.solver)) + ", rank " + std::to_string(result.rank) + ", " +
                     to_string(result.loss) + " loss: objective " +
                     (at.estimated ? "about " : digits(start.objective) + " -> ") + digits(at.objective) +
                     ", " + found.measure + " " + digits(found.value) + ": " + found.meaning + "\n";
  text += "stopped by " + std::string(to_string(result.reason)) + " after " +
          (at.estimated ? std::to_string(last.columns_read) + " columns, "
                        : "epoch " + std::to_string(last.epoch) + ", ") +
          digits(last.solver_seconds) + " s in the solver, " + digits(last.evaluate_seconds) +
          " s evaluating";
  if (last.rollbacks > 0) text += ", " + std::to_string(last.rollbacks) + " epochs undone by the safeguard";
  text += "\n";
  for (const std::string& warning : result.warnings) text += "note: " + warning + "\n";
  return text;
}

#define SVRMU_INSTANTIATE(S)                                                                     \
  template Checkpoint<S>::Iterate to_iterate<S>(Factors<S>);                                     \
  template Factors<S> to_factors<S>(const Checkpoint<S>::Iterate&);                              \
  template void fill_outputs<S>(ColumnFeed<S>&, const Scan&, const DataTerm<S>&, const Scaling&, \
                                const Factors<S>&, bool, FitResult<S>&);                         \
  template std::string summary<S>(const FitResult<S>&);
SVRMU_INSTANTIATE(float)
SVRMU_INSTANTIATE(double)
#undef SVRMU_INSTANTIATE

}  // namespace svrmu
