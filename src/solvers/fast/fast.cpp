// fast, the default for the Frobenius loss: a good factorization from a handful of passes over V.
//
// Most iterations run on something smaller than V that agrees with V where it matters. There are two roads,
// and this file only chooses between them. Below,
//
//   (W0, H0)   is the start of the run; "the epoch's start" is where an epoch begins
//   HALS       is HALS with extrapolation (hals-ext), and a "plain" iteration is one without
//   a sweep    is one HALS update of every entry of one factor; "sweeps with A and B" keep the products A and
//              B fixed. Their number is the option `sweeps`, where constants.hpp has no other
//   n, l       are chosen by sizes.hpp; settling.hpp and constants.hpp say how long iterations go on
//   (.)^-1     is regularized: ridge_inverse(), and pseudo_inverse() in D
//
// The dense road, for a dense V that is large beside its factors, or of any size with the option sketch_size
// (dense_road.cpp)
//
//   the first epoch begins with
//    1. v <- n columns of V, drawn at random (subset.cpp)
//    2. S <- orthonormal basis, F x l, whose span holds most of v: the sketch
//    3. W <- HALS on S (S'v) instead of v, from W0 and v's columns of H0, until it settles
//       (low_rank_hals.cpp)
//   each later epoch begins with
//    4. (W, H) <- HALS on the surrogate V^ that step 6 has left, instead of V (low_rank_hals.cpp)
//   and every epoch goes on with
//    5. one pass over V, a plain iteration on V itself:
//         T <- orthonormal, F x K, such that W = S S'W + T T'W
//         Y <- [S T]'V                            (l + K) x N, so that W'V = W'[S T] Y. S'V is computed by
//                                                 the first pass and kept: later ones compute T'V alone
//         H <- sweeps with W'V and W'W; in the first epoch from max(e, (W'W)^-1 W'V)
//         W <- sweeps with V H' and H H'
//    6. f(W, H), from V H' and H H'. If it is not above that of the epoch's start (surrogate.cpp):
//         Hs <- H
//         D  <- (V Hs' - [S T] Y Hs') (Hs Hs')^-1         F x K
//         V^  = S S'V + T T'V + D Hs              with V^ Hs' = V Hs', and Ws'V^ = Ws'V for Ws, the W that
//                                                 step 5 began with
//       Else (W, H) <- one plain iteration on V from the epoch's start. If this was the first epoch, the
//       second one skips step 4, as there is no V^. If it was a later one, each further epoch is one
//       iteration of HALS on V.
//
// The sparse road, for any other V, which is sparse or small: products with it are cheap (sparse_road.cpp)
//
//   the first epoch, if V is sparse and has columns enough; otherwise it is like each later one
//    7. v <- n columns of V, drawn at random (subset.cpp)
//       W, h <- HALS on the heavy rows of v, which have the largest sums of squares (heavy_rows.hpp), from
//       these rows of W0 and v's columns of H0, until it settles
//    8. the other rows of W <- max(e, v h' (h h')^-1);   W <- sweeps with v h' and h h'
//    9. one pass over V, a plain iteration on V itself:
//         H <- max(e, (W'W)^-1 W'V), then sweeps with W'V and W'W
//         W <- sweeps with V H' and H H'
//       If f(W, H) is above f(W0, H0): (W, H) <- one plain iteration on V from (W0, H0) instead.
//   each later epoch
//   10. (W, H) <- 5 iterations of HALS on V. If steps 7 to 9 were made, these are in single precision, until
//       an epoch gains no more than 1e-7 of ||WH||^2. If f(W, H), computed in V's precision, has even risen,
//       that epoch is made again from its start, in V's precision.
//   11. If steps 7 to 9 were made, and step 10 gained at most a tenth of what the least component is worth:
//       components are swapped for others that V - WH holds, where that lowers f(W, H) (swapping_hals.cpp;
//       swap.hpp says what a component is worth)
//
// In single precision are S, T, Y, D, all of steps 3, 4, 7 and 8, and the H of steps 5 and 9; in that of V
// are f(W, H), V H' and the W of steps 5 and 9. No epoch ends above its start, and so no run above (W0, H0).
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
    progress_.objective = objective_without_norm(term_, feed, f, *progress_.sums.traces);
    progress_.phase = Phase::first;
    progress_.hals.forget();
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

  // Where steps 7 to 9 come next: they read the epoch's start and write all of f.
  bool looks_at_start_only(const ColumnFeed<Scalar>& feed, const Factors<Scalar>& f) const override {
    return progress_.phase == Phase::first && feed.is_sparse() && sizes_for(feed, f.W.cols()).subset > 0;
  }

  // Those of the last pass over V of either road, or of progress_.hals where that made the last one.
  const Sums<Scalar>* sums() const override {
    const bool hals_was_last = progress_.phase == Phase::on_V ||
                               (progress_.phase == Phase::on_surrogate && !dense_.surrogate_is_current());
    return hals_was_last ? &progress_.hals.sums() : &progress_.sums;
  }

  void visit_state(StateVisitor<Scalar>& visit) override {
    visit_as_number(visit, "mode", progress_.phase);
    visit("objective", progress_.objective);
    progress_.hals.visit_state(visit);
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
  // In numbers of V's precision. On the sparse road a copy of V by rows, and pairs (W, H):
  //   f, the epoch's start (which becomes the result) and the checkpoint: 3
  //   of HALS, the iterate before and the pair that was extrapolated: 2
  //   after steps 7 to 9, f and the two of HALS in single precision: 3 floats instead of the 2
  // On the dense road the larger of two:
  //   the first epoch holds f and its start, 2 K (F + N), and in floats S and S'v with as much for the range
  //     finder, W and h with the iterate before, (F + n) (2 l + 2 K)
  //   a later one holds Y, H, the start's H and the H before, N (l + 4 K), and S, T, D, the next D, V H', W,
  //     the start's W, the W before and W in single precision, F (l + 8 K); for a V of doubles this is more
  //     than it takes, since most of them are floats
  double numbers(const FastOptions& options, const Shape& shape, std::size_t size) const override {
    const auto F = static_cast<double>(shape.features);
    const auto N = static_cast<double>(shape.local_samples);
    const auto K = static_cast<double>(shape.rank);
    const Sizes sizes = choose_sizes(options, shape.features, shape.samples, shape.sparse, shape.rank);
    const double per_float = static_cast<double>(sizeof(float)) / static_cast<double>(size);
    const double sums = 4 * F * K;    // of F (l + 8 K), what exceeds F (l + 4 K); V H' and room for swaps
    const double grams = 16 * K * K;  // with their partial sums
    if (sizes.sketch == 0) {
      const double factors = K * (F + N);
      const bool in_single = sizes.subset > 0 && size != sizeof(float);
      const std::size_t value = in_single ? sizeof(float) : size;
      const bool copied = shape.sparse && sparse_rows_are_small(shape.stored, value, shape.features,
                                                                shape.samples, shape.rank, size);
      const double rows = copied ? sparse_rows_bytes(shape.stored, value) / static_cast<double>(size) : 0;
      return (in_single ? 3 + 3 * per_float : 5) * factors + (in_single ? sums * per_float : sums) +
             rows * N / static_cast<double>(shape.samples) + grams;
    }
    const auto l = static_cast<double>(sizes.sketch);
    const auto n = static_cast<double>(sizes.subset);
    const double first = 2 * K * (F + N) + (F + n) * (2 * l + 2 * K) * per_float;
    const double later = (l + 4 * K) * (F + N);
    return std::max(first, later) + sums + grams;
  }

  // Model files keep names of earlier versions: "mode" is the phase, "R" is T, "visited" whether the
  // surrogate is current, "model_beta" the weight t of extrapolation on it. V H' and H H' are those of the
  // last pass of step 5. What extrapolated_state() lists belongs to progress_.hals and, with "single_" before
  // the names, to the sparse road's iterations in single precision.
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
