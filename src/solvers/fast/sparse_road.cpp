#include "solvers/fast/sparse_road.hpp"

#include <algorithm>

#include "data/memory_feed.hpp"
#include "linalg/gram_matrices.hpp"
#include "solvers/fast/constants.hpp"
#include "solvers/fast/settling.hpp"
#include "solvers/fast/subset.hpp"

namespace svrmu::fast {
namespace {

// v h' of a subset in memory.
RowMatrix<float> product_with_transpose(const SparseMatrix<float>& v, const Matrix<float>& h) {
  RowMatrix<float> vht;
  assign_zero(vht, v.rows(), h.rows());
  MemoryFeed columns(v);
  for (const Batch<float>& block : columns().blocks()) add_VHt(block, columns_of(h, block), h.rows(), vht);
  return vht;
}

}  // namespace

template <class Scalar>
void SparseRoad<Scalar>::epoch(ColumnFeed<Scalar>& feed, Factors<Scalar>& f, const Factors<Scalar>& start,
                               const Sizes& sizes, int sweeps) {
  sweeps_ = sweeps;
  const bool has_subset = sizes.subset > 0;
  if (progress_.phase == Phase::first && has_subset)
    begin(feed, f, start, sizes);
  else if (progress_.phase == Phase::in_single)
    iterate_in_single(feed, f, start);
  else
    iterate_on_V(feed, f, has_subset);
}

template <class Scalar>
void SparseRoad<Scalar>::forget() {
  single_hals_.give_back();
  single_factors_.give_back();
}

// 7. to 9. If the result is above the start, one plain iteration from the start instead.
template <class Scalar>
void SparseRoad<Scalar>::begin(ColumnFeed<Scalar>& feed, Factors<Scalar>& f, const Factors<Scalar>& start,
                               const Sizes& sizes) {
  SwappingHals<Scalar>& hals = progress_.hals;
  {
    const RowMatrix<float> W = learn_W(feed, start, sizes);
    if (!feed.interrupted()) hals.iterate_from_W(feed, f, W, sweeps_);
  }
  if (feed.interrupted()) return assign(f, start);
  if (hals.value() > progress_.objective) {
    assign(f, start);
    hals.plain_step(feed, f, sweeps_);
  }
  if (feed.interrupted()) return;
  progress_.objective = hals.value();
  progress_.sums.traces = hals.sums().traces;
  hals.give_back();
  single_hals_.begin_from(progress_.objective, progress_.sums.traces);
  progress_.phase = Phase::in_single;
}

// 7. and 8.: v, and W from it. A penalty on W refers to all of V, one on H to all rows: they are scaled by
// the share of V that is in v, and by the heavy rows' share of ||v||^2.
template <class Scalar>
RowMatrix<float> SparseRoad<Scalar>::learn_W(ColumnFeed<Scalar>& feed, const Factors<Scalar>& start,
                                             const Sizes& sizes) const {
  const ColumnSubset<Scalar> subset(feed, sizes.subset);
  const SparseMatrix<float> v = subset.of_sparse();
  if (feed.interrupted()) return {};
  const HeavyRows heavy(v, sizes.rows);
  Factors<float> part{heavy.of_W(start.W), subset.of_H(start.H), {}};
  DataTerm<float> term;
  term.on_w = scaled(single_term_.on_w, subset.share_of_V());
  term.on_h = scaled(single_term_.on_h, heavy.share());
  learn_on_rows(feed, heavy.of(v), term, part);
  if (feed.interrupted()) return {};
  return extend_to_all_rows(v, heavy, term, part);
}

// 7. W, h <- HALS on the heavy rows of v, until it settles. f holds these rows of W, and h.
template <class Scalar>
void SparseRoad<Scalar>::learn_on_rows(ColumnFeed<Scalar>& feed, const SparseMatrix<float>& rows,
                                       const DataTerm<float>& term, Factors<float>& f) const {
  ExtrapolatedHals<float> hals(term, ExtrapolatedHals<float>::Copy::always);
  Settling settling(norms(rows.valuePtr(), rows.nonZeros()).squared, settled_on_sparse);
  Factors<float> start;
  MemoryFeed columns(rows);
  for (int i = 1; i <= most_iterations_on_sparse_subset; ++i) {
    start = f;
    hals.iterate(columns(), f, start, sweeps_);
    if (settling(i, hals.value()) || feed.look_for_interruption()) break;
  }
}

// 8. The other rows of W <- max(e, v h' (h h')^-1), then all of W <- sweeps with v h' and h h'. `part` holds
// the heavy rows of W, and h.
template <class Scalar>
RowMatrix<float> SparseRoad<Scalar>::extend_to_all_rows(const SparseMatrix<float>& v, const HeavyRows& heavy,
                                                        const DataTerm<float>& term,
                                                        const Factors<float>& part) const {
  const RowMatrix<float> vht = product_with_transpose(v, part.H);
  const Matrix<float> hht = HHt(part.H);
  RowMatrix<float> W;
  solve_rows(ridge_inverse(hht, term.on_w, relative_ridge), vht, W);
  heavy.put(part.W, W);
  hals_sweep(W.data(), vht.data(), W.rows(), hht, term.on_w, std::max(1, sweeps_ / fewer_sparse_sweeps));
  return W;
}

// 10. and 11. in single precision, but for the objective that the epoch ends with.
template <class Scalar>
void SparseRoad<Scalar>::iterate_in_single(ColumnFeed<Scalar>& feed, Factors<Scalar>& f,
                                           const Factors<Scalar>& start) {
  single_hals_.epoch(feed, single_factors_.of(f), sweeps_, true);
  single_factors_.write_back(f);
  if (feed.interrupted()) return;
  const Traces traces = is_single<Scalar> ? *single_hals_.sums().traces : traces_by_columns(feed, f);
  if (feed.interrupted()) return;
  const double objective = objective_without_norm(term_, feed, f, traces);
  const double gain = progress_.objective - objective;
  if (gain >= 0) {
    progress_.objective = objective;
    progress_.sums.traces = traces;
  }
  if (gain > rounding_gain * traces.squared) return;
  leave_single_precision();
  if (gain >= 0) return;
  assign(f, start);
  iterate_on_V(feed, f, true);
}

// 10. What it gains is no more than rounding.
template <class Scalar>
void SparseRoad<Scalar>::leave_single_precision() {
  progress_.phase = Phase::on_V;
  single_hals_.give_back();
  single_factors_.give_back();
  progress_.hals.begin_from(progress_.objective, progress_.sums.traces);
}

// 10. and 11. in the precision of V.
template <class Scalar>
void SparseRoad<Scalar>::iterate_on_V(ColumnFeed<Scalar>& feed, Factors<Scalar>& f, bool swap) {
  progress_.phase = Phase::on_V;
  progress_.hals.epoch(feed, f, sweeps_, swap);
  if (!feed.interrupted()) progress_.objective = progress_.hals.value();
}

template class SparseRoad<float>;
template class SparseRoad<double>;

}  // namespace svrmu::fast
