#include "solvers/fast/sparse_road.hpp"

#include <algorithm>

#include "data/memory_feed.hpp"
#include "linalg/gram_matrices.hpp"
#include "solvers/fast/constants.hpp"
#include "solvers/fast/heavy_rows.hpp"
#include "solvers/fast/settling.hpp"
#include "solvers/fast/subset.hpp"

namespace svrmu::fast {
namespace {

// V H' of a matrix in memory.
RowMatrix<float> VHt_of(const SparseMatrix<float>& V, const Matrix<float>& H) {
  RowMatrix<float> VHt;
  assign_zero(VHt, V.rows(), H.rows());
  MemoryFeed columns(V);
  for (const Batch<float>& v : columns().blocks()) add_VHt(v, columns_of(H, v), H.rows(), VHt);
  return VHt;
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
  single_.give_back();
  single_factors_.give_back();
}

// 7. to 9. In the start's stead, unless that is lower.
template <class Scalar>
void SparseRoad<Scalar>::begin(ColumnFeed<Scalar>& feed, Factors<Scalar>& f, const Factors<Scalar>& start,
                               const Sizes& sizes) {
  SwappingHals<Scalar>& exact = progress_.exact;
  {
    const RowMatrix<float> W = learn_W(feed, start, sizes);
    if (!feed.interrupted()) exact.iterate_from_W(feed, f, W, sweeps_);
  }
  if (feed.interrupted()) return assign(f, start);
  if (exact.value() > progress_.objective) {
    assign(f, start);
    exact.plain_step(feed, f, sweeps_);
  }
  if (feed.interrupted()) return;
  progress_.objective = exact.value();
  progress_.sums.traces = exact.sums().traces;
  exact.give_back();
  single_.begin_from(progress_.objective, progress_.sums.traces);
  progress_.phase = Phase::in_single;
}

// 7. v, and the penalties that belong to its heaviest rows: one on H weighs there as much as they do in v.
// Then 8.
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
  learn_on_block(feed, heavy.of(v), term, part);
  if (feed.interrupted()) return {};

  // 8. W <- max(0, v h' (h h')^-1) but for the heaviest rows, then sweeps
  const RowMatrix<float> vht = VHt_of(v, part.H);
  const Matrix<float> hht = HHt(part.H);
  RowMatrix<float> W;
  solve_rows(ridge_inverse(hht, term.on_w, relative_ridge), vht, W);
  heavy.put(part.W, W);
  hals_sweep(W.data(), vht.data(), W.rows(), hht, term.on_w, std::max(1, sweeps_ / fewer_sparse_sweeps));
  return W;
}

// 7. W, h <- HALS on the heaviest rows of v, until it settles.
template <class Scalar>
void SparseRoad<Scalar>::learn_on_block(ColumnFeed<Scalar>& feed, const SparseMatrix<float>& block,
                                        const DataTerm<float>& term, Factors<float>& f) const {
  ExtrapolatedHals<float> hals(term, ExtrapolatedHals<float>::Copy::always);
  Settling settling(norms(block.valuePtr(), block.nonZeros()).squared, settled_on_sparse);
  Factors<float> start;
  MemoryFeed columns(block);
  for (int i = 1; i <= most_iterations_on_sparse_subset; ++i) {
    start = f;
    hals.iterate(columns(), f, start, sweeps_);
    if (settling(i, hals.value()) || feed.look_for_interruption()) break;
  }
}

// 10. and 11. in single precision, but for the objective that the epoch ends with.
template <class Scalar>
void SparseRoad<Scalar>::iterate_in_single(ColumnFeed<Scalar>& feed, Factors<Scalar>& f,
                                           const Factors<Scalar>& start) {
  single_.epoch(feed, single_factors_.of(f), sweeps_, true);
  single_factors_.write_back(f);
  if (feed.interrupted()) return;
  const Traces traces = is_single<Scalar> ? *single_.sums().traces : traces_by_columns(feed, f);
  if (feed.interrupted()) return;
  const double objective = relative_objective(term_, feed, f, traces);
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

// What it gains is no more than rounding.
template <class Scalar>
void SparseRoad<Scalar>::leave_single_precision() {
  progress_.phase = Phase::on_V;
  single_.give_back();
  single_factors_.give_back();
  progress_.exact.begin_from(progress_.objective, progress_.sums.traces);
}

// 10. and 11. in the precision of V.
template <class Scalar>
void SparseRoad<Scalar>::iterate_on_V(ColumnFeed<Scalar>& feed, Factors<Scalar>& f, bool swap) {
  progress_.phase = Phase::on_V;
  progress_.exact.epoch(feed, f, sweeps_, swap);
  if (!feed.interrupted()) progress_.objective = progress_.exact.value();
}

template class SparseRoad<float>;
template class SparseRoad<double>;

}  // namespace svrmu::fast
