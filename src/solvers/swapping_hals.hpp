// Extrapolated HALS on V that leaves poor local minima: where its iterations come to rest, components are
// swapped for others.
#pragma once

#include <algorithm>
#include <limits>
#include <vector>

#include "solvers/component_swap.hpp"
#include "solvers/extrapolated_hals.hpp"

namespace svrmu {

template <class Scalar, class Real = Scalar>
class SwappingHals : public ExtrapolatedHals<Scalar, Real> {
 public:
  explicit SwappingHals(const DataTerm<Real>& term) : ExtrapolatedHals<Scalar, Real>(term) {}

  // Several iterations: one gains so little that a tolerance would end too early. Then swaps.
  void epoch(ColumnFeed<Scalar>& feed, Factors<Real>& f, int sweeps, bool swap) {
    const double start = this->value();
    for (int i = 0; i < iterations && !feed.interrupted(); ++i) {
      assign(before_, f);
      this->iterate(feed, f, before_, sweeps);
    }
    if (swap && !feed.interrupted()) swap_components(feed, f, sweeps, start - this->value());
    before_ = {};  // makes room for a checkpoint
  }

  // One iteration of plain HALS, which cannot rise.
  void plain_step(ColumnFeed<Scalar>& feed, Factors<Real>& f, int sweeps) {
    this->forget();
    this->iterate(feed, f, f, sweeps);
  }

 private:
  static constexpr int iterations = 5;
  static constexpr Index most_swaps = 6;  // per epoch
  static constexpr Index most_failed = 2;
  // Of a component's worth: where iterations gain less, a swap is tried,
  static constexpr double little = 0.1;
  // and kept where it gains more than they, and than this.
  static constexpr double very_little = 0.01;

  // Where the epoch's iterations gained little beside what the least component is worth, another one in its
  // place may gain more. What does not is undone, and the next component tried.
  void swap_components(ColumnFeed<Scalar>& feed, Factors<Real>& f, int sweeps, double gained) {
    Index failed = 0;
    for (Index attempt = 0; failed < std::min(most_failed, f.W.cols()) && attempt < most_swaps; ++attempt) {
      const std::vector<ComponentWorth> components = by_worth(feed, f);
      const ComponentWorth& least = components[static_cast<std::size_t>(failed)];
      if (gained > little * least.worth) return;
      const double wanted = std::max(gained, very_little * least.worth);
      const double value = this->value();
      const Traces traces = *this->sums().traces;
      assign(before_, f);
      this->forget();  // makes room
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

  // Plain steps, while they can still get there if each gains as much as the last.
  bool gets_below(double goal, ColumnFeed<Scalar>& feed, Factors<Real>& f, int sweeps) {
    double gain = std::numeric_limits<double>::infinity();
    for (int left = iterations; left > 0; --left) {
      const double last = this->value();
      plain_step(feed, f, sweeps);
      if (feed.interrupted()) return false;
      if (left < iterations) gain = last - this->value();
      if (this->value() - (left - 1) * gain > goal) return false;
    }
    return this->value() < goal;
  }

  Factors<Real> before_;  // the iterate that the next one is made from, within an epoch
};

}  // namespace svrmu
