// fast, the default for the Frobenius loss: a good factorization from a handful of passes over V.
//
// Iterations run on something smaller than V that agrees with V where it matters. Two roads lead there; this
// file chooses between them. "HALS" below means extrapolated HALS (hals-ext), "sweeps" those of plain HALS
// over one factor with its products fixed. l, n and how long iterations go on are in sizes.hpp and
// constants.hpp.
//
// The dense road, for a dense V that is large beside its factors                              dense_road.cpp
//   first epoch
//    1. v <- n columns of V, drawn at random                                                     subset.cpp
//    2. S <- orthonormal basis, F x l, whose span holds most of v: the sketch
//    3. W <- HALS on S S'v instead of v, until it settles
//   every epoch
//    4. (W, H) <- HALS on the surrogate V^ of step 6 instead of V; not in the first epoch  low_rank_hals.cpp
//    5. one pass over V, which is an exact HALS iteration:
//         T <- orthonormal, F x K, such that W = S S'W + T T'W
//         Y <- [S T]'V, so that W'V = W'[S T] Y;  H <- sweeps with W'V and W'W
//         W <- sweeps with V H' and H H'
//    6. f(W, H), exact, from V H' and H H'. Not above that of the last epoch:                 surrogate.cpp
//         D <- (V H' - [S T] Y H') (H H')^-1,  V^ = S S'V + T T'V + D H
//       Above it: (W, H) <- one plain HALS iteration on V from the epoch's start, and from there on HALS on V
//       itself (after the first epoch: on the surrogate still).
//
// The sparse road, for a V whose products are cheap already: sparse or small                  sparse_road.cpp
//   first epoch, where V has enough columns for a subset
//    7. v <- n columns of V, drawn at random;  (W, h) <- HALS on the heaviest rows of v, until it settles
//    8. W <- sweeps with v h' and h h', all rows
//    9. one pass over V: H <- sweeps with W'V and W'W;  W <- sweeps with V H' and H H'. The start instead,
//    and
//       one plain HALS iteration, where that ends above it.
//   every other epoch
//   10. (W, H) <- five iterations of HALS on V, in single precision for as long as f(W, H), which is exact,
//   falls
//   11. where they came to rest: components are swapped for others that V - WH holds      swapping_hals.cpp
//
// No epoch ends above the last one, and no run above its start.
#include "solvers/fast/dense_road.hpp"
#include "solvers/fast/sparse_road.hpp"

namespace svrmu {
namespace fast {
namespace {

template <class Scalar>
class Fast final : public Solver<Scalar> {
 public:
  Fast(const FastOptions& options, const DataTerm<Scalar>& term)
      : options_(options),
        term_(term),
        progress_(term_),
        dense_(term_, progress_),
        sparse_(term_, progress_) {}

  Descent descent() const override { return Descent::monotone; }

  void forget(ColumnFeed<Scalar>& feed, const Factors<Scalar>& f) override {
    progress_.sums = {};
    progress_.sums.traces = traces_by_columns(feed, f);
    progress_.objective = relative_objective(term_, feed, f, *progress_.sums.traces);
    progress_.phase = Phase::first;
    progress_.exact.forget();
    dense_.forget();
    sparse_.forget();
  }

  void epoch(ColumnFeed<Scalar>& feed, Factors<Scalar>& f, const EpochContext<Scalar>& context) override {
    const Sizes sizes = sizes_for(feed, f.W.cols());
    const int sweeps = choose_sweeps(options_.sweeps, feed, f.W.cols());
    if (sizes.sketch > 0)
      dense_.epoch(feed, f, context.start, sizes, sweeps);
    else
      sparse_.epoch(feed, f, context.start, sizes, sweeps);
  }

  bool looks_at_start_only(const ColumnFeed<Scalar>& feed, const Factors<Scalar>& f) const override {
    return progress_.phase == Phase::first && feed.is_sparse() && sizes_for(feed, f.W.cols()).subset > 0;
  }

  // Those of the last pass over V, or of the last iteration of `exact` where that came later.
  const Sums<Scalar>* sums() const override {
    const bool exact_was_last = progress_.phase == Phase::on_V ||
                                (progress_.phase == Phase::on_surrogate && !dense_.surrogate_is_current());
    return exact_was_last ? &progress_.exact.sums() : &progress_.sums;
  }

  void visit_state(StateVisitor<Scalar>& visit) override {
    visit_as_number(visit, "mode", progress_.phase);
    visit("objective", progress_.objective);
    progress_.exact.visit_state(visit);
    dense_.visit_state(visit);
    sparse_.visit_state(visit);
  }

 private:
  Sizes sizes_for(const ColumnFeed<Scalar>& feed, Index K) const {
    return choose_sizes(options_, feed.features(), feed.total_samples(), feed.is_sparse(), K);
  }

  FastOptions options_;
  DataTerm<Scalar> term_;
  Progress<Scalar> progress_;
  DenseRoad<Scalar> dense_;
  SparseRoad<Scalar> sparse_;
};

}  // namespace
}  // namespace fast

template <class Scalar>
std::unique_ptr<Solver<Scalar>> make_solver(const FastOptions& options, const DataTerm<Scalar>& term) {
  return std::make_unique<fast::Fast<Scalar>>(options, term);
}

SVRMU_INSTANTIATE_SOLVER(FastOptions)

}  // namespace svrmu
