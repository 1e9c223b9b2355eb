// fast, the default for the Frobenius loss: a good factorization from a handful of passes over V.
//
// Most iterations run on something smaller than V that agrees with V where it matters. There are two roads,
// and this file only chooses between them. Below, "HALS" is HALS with extrapolation (hals-ext), a "plain"
// iteration is one without, and "sweeps" are those of HALS over one factor while its products, which are
// named, stay fixed. sizes.hpp chooses n and l, constants.hpp says how long iterations go on.
//
// The dense road, for a dense V that is large beside its factors (dense_road.cpp)
//
//   the first epoch begins with
//    1. v <- n columns of V, drawn at random (subset.cpp)
//    2. S <- orthonormal basis, F x l, whose span holds most of v: the sketch
//    3. W <- HALS on S (S'v) instead of v, from the start, until it settles (low_rank_hals.cpp)
//   every other one with
//    4. (W, H) <- HALS on the surrogate V^ that step 6 has left, instead of V (low_rank_hals.cpp)
//   and all of them go on with
//    5. one pass over V, a HALS iteration on V itself:
//         T <- orthonormal, F x K, such that W = S S'W + T T'W
//         Y <- [S T]'V                     (l + K) x N, so that W'V = W'[S T] Y
//         H <- sweeps with W'V and W'W; in the first epoch from max(0, (W'W)^-1 W'V)
//         W <- sweeps with V H' and H H'
//    6. f(W, H), from V H' and H H'. If it is not above that of the last epoch (surrogate.cpp):
//         D <- (V H' - [S T] Y H') (H H')^-1           F x K
//         V^ = S S'V + T T'V + D H                     with W'V^ = W'V at step 5's first W, and V^ H' = V H'
//       Else (W, H) <- one plain iteration on V from the epoch's start. After the first epoch step 4 is then
//       left out once; after any other, all further epochs are HALS on V.
//
// The sparse road, for a V whose products are cheap already, being sparse or small (sparse_road.cpp)
//
//   the first epoch, if V is sparse and has columns enough
//    7. v <- n columns of V, drawn at random (subset.cpp)
//       W, h <- HALS on the rows of v with the largest sums of squares, from the start, until it settles
//    8. the other rows of W <- max(0, v h' (h h')^-1);   W <- sweeps with v h' and h h'
//    9. one pass over V:
//         H <- max(0, (W'W)^-1 W'V), then sweeps with W'V and W'W
//         W <- sweeps with V H' and H H'
//       If f(W, H) is above that of the start: (W, H) <- one plain iteration on V from the start.
//   every other one
//   10. (W, H) <- some iterations of HALS on V. After steps 7 to 9 they are in single precision, until an
//       epoch gains next to nothing; one that ends above the last is made again from its start.
//   11. After steps 7 to 9, if the iterations have come to rest: components are swapped for others that
//       V - WH holds, where that lowers f(W, H) (swapping_hals.cpp, swap.cpp).
//
// Steps 1 to 4, 7, 8 and the H of steps 5 and 9 are in single precision; f(W, H), V H' and the W of steps 5
// and 9 in that of V. No epoch ends above the last one, and no run above its start.
#include <algorithm>

#include "linalg/batch_products.hpp"
#include "solvers/algorithm.hpp"
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

class FastAlgorithm final : public AlgorithmOf<FastOptions, Construct<Fast>> {
 public:
  std::vector<SolverInfo> entries() const override {
    return {{"fast", "subset, sketch and surrogate: a good factorization in a handful of passes over V",
             FastOptions{}}};
  }
  Traits traits() const override { return {.multiplicative = false}; }

 protected:
  // The iterate, its epoch's start (which becomes the result) and, with a sketch, first that of the subset
  // and then a surrogate of V, both in single precision; without one the two iterates before, the checkpoint
  // and, for sparse V, a copy by rows. On a sparse V with a subset all iterates are in single precision.
  double numbers(const FastOptions& options, const Shape& shape, std::size_t size) const override {
    const auto F = static_cast<double>(shape.features);
    const auto N = static_cast<double>(shape.local_samples);
    const auto K = static_cast<double>(shape.rank);
    const Sizes sizes = choose_sizes(options, shape.features, shape.samples, shape.sparse, shape.rank);
    const double single = static_cast<double>(sizeof(float)) / static_cast<double>(size);
    const double sums = 4 * F * K;
    const double grams = 16 * K * K;
    if (sizes.sketch == 0) {
      const double factors = K * (F + N);
      const bool in_single = sizes.subset > 0 && size != sizeof(float);
      const std::size_t value = in_single ? sizeof(float) : size;
      const bool copied = shape.sparse && sparse_rows_are_small(shape.stored, value, shape.features,
                                                                shape.samples, shape.rank, size);
      const double rows = copied ? sparse_rows_bytes(shape.stored, value) / static_cast<double>(size) : 0;
      return (in_single ? 3 + 3 * single : 5) * factors + (in_single ? sums * single : sums) +
             rows * N / static_cast<double>(shape.samples) + grams;
    }
    const auto l = static_cast<double>(sizes.sketch);
    const auto n = static_cast<double>(sizes.subset);
    const double subset = 2 * K * (F + N) + (F + n) * (2 * l + 2 * K) * single;
    return std::max(subset, (l + 4 * K) * (F + N)) + sums + grams;
  }

  std::vector<StatePart> state(const FastOptions&, const StateFacts& at) const override {
    const bool no_surrogate = at.number("visited") == 0;
    constexpr double any = fields::largest;
    std::vector<StatePart> parts{state_matrix("VHt", at.F, at.K, no_surrogate),
                                 state_matrix("HHt", at.K, at.K, at.is_empty("VHt")),
                                 state_matrix("R", at.F, at.K, no_surrogate),
                                 state_choice("mode", Phase::in_single),
                                 state_flag("visited"),
                                 state_number("objective", -any, any),
                                 state_number("model_beta", 0, 1)};
    for (const char* prefix : {"", "single_"})
      for (StatePart& part : extrapolated_state(at, prefix)) parts.push_back(std::move(part));
    return parts;
  }
};

}  // namespace
}  // namespace fast

const Algorithm& fast_algorithm() {
  static const fast::FastAlgorithm algorithm;
  return algorithm;
}

}  // namespace svrmu
