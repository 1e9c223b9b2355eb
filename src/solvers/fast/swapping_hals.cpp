#include "solvers/fast/swapping_hals.hpp"

#include <algorithm>
#include <limits>
#include <vector>

#include "linalg/gram_matrices.hpp"
#include "solvers/fast/constants.hpp"
#include "solvers/fast/swap.hpp"

namespace svrmu::fast {

// 9. H <- max(e, (W'W)^-1 W'V), then sweeps with W'V and W'W;   W <- sweeps with V H' and H H'.
template <class Scalar, class Real>
void SwappingHals<Scalar, Real>::iterate_from_W(ColumnFeed<Scalar>& feed, Factors<Real>& f,
                                                const RowMatrix<float>& W, int sweeps) {
  const Shrink<float> on_h = rounded(this->term().on_h);
  HalsStep<float> step{WtW(W), on_h, std::max(1, sweeps / fewer_sparse_sweeps)};
  step.inverse = ridge_inverse(step.G, on_h, relative_ridge);
  this->pass_over_V(feed, f, [&](const Batch<Scalar>& v) { solve_h(step, W, v, columns_of(f.H, v)); });
  if (feed.interrupted()) return;
  assign(f.W, W);
  this->sweep_W(feed, f.H, f.W, sweeps);
  const double value = this->evaluate(feed, f);
  this->begin_from(value, this->sums().traces);
}

// 10. and 11.
template <class Scalar, class Real>
void SwappingHals<Scalar, Real>::epoch(ColumnFeed<Scalar>& feed, Factors<Real>& f, int sweeps, bool swap) {
  const double start = this->value();
  for (int i = 0; i < iterations_per_epoch && !feed.interrupted(); ++i) {
    assign(before_, f);
    this->iterate(feed, f, before_, sweeps);
  }
  if (swap && !feed.interrupted()) swap_components(feed, f, sweeps, start - this->value());
  before_ = {};  // gives its memory to a checkpoint
}

// 11. Where the epoch's iterations gained little beside what the least component is worth, another one in its
// place may gain more. What does not is undone, and the next component tried.
template <class Scalar, class Real>
void SwappingHals<Scalar, Real>::swap_components(ColumnFeed<Scalar>& feed, Factors<Real>& f, int sweeps,
                                                 double gained) {
  Index failed = 0;
  for (Index attempt = 0; failed < std::min(most_failed_swaps, f.W.cols()) && attempt < most_swaps;
       ++attempt) {
    const std::vector<ComponentWorth> components = by_worth(feed, f);
    const ComponentWorth& least = components[static_cast<std::size_t>(failed)];
    if (gained > little_of_worth * least.worth) return;
    const double wanted = std::max(gained, least_of_worth * least.worth);
    const double value = this->value();
    const Traces traces = *this->sums().traces;
    assign(before_, f);
    this->forget();  // gives its memory to the swap
    ComponentSwap<Scalar, Real> swap(feed, f, this->rows());
    const bool better =
        swap(least.k, feed.epoch() * most_swaps + attempt) && gets_below(value - wanted, feed, f, sweeps);
    if (feed.interrupted()) return;
    if (better) continue;
    assign(f, before_);
    this->begin_from(value, traces);
    ++failed;
  }
}

// 11. Plain iterations, while they can still get there if each gains as much as the last. What the first one
// gains is unknown, since the objective after the swap itself is.
template <class Scalar, class Real>
bool SwappingHals<Scalar, Real>::gets_below(double goal, ColumnFeed<Scalar>& feed, Factors<Real>& f,
                                            int sweeps) {
  double gain = std::numeric_limits<double>::infinity();
  for (int left = iterations_per_swap; left > 0; --left) {
    const double last = this->value();
    this->plain_step(feed, f, sweeps);
    if (feed.interrupted()) return false;
    if (left < iterations_per_swap) gain = last - this->value();
    if (this->value() - (left - 1) * gain > goal) return false;
  }
  return this->value() < goal;
}

template class SwappingHals<float, float>;
template class SwappingHals<double, double>;
template class SwappingHals<double, float>;

}  // namespace svrmu::fast
