// How svrmu corrects the sums of its snapshot: what is chosen, what is refused, and when parts are kept.
#pragma once

#include <algorithm>
#include <string>

#include "solvers/algorithm.hpp"

namespace svrmu {

template <class Options>
Index batches_of(const Options& o, Index N) {
  return (N - 1) / std::max<Index>(o.batch_size, 1) + 1;
}

// A part per batch, F x K each, may take so many numbers together.
inline constexpr Index most_in_parts = 1 << 25;

// Whether the parts of all batches can be kept: batches stay the same, and there is room.
template <class Options>
bool parts_are_few(const Options& o, Index F, Index N, Index K) {
  return (o.order == Order::cyclic || o.order == Order::permute_once) &&
         batches_of(o, N) <= most_in_parts / (F * K);
}

// The batches whose sums at the snapshot serve more than one step: they are kept, if there is room for all.
template <class Options>
Index batches_kept(const Options& o, Index F, Index N, Index K) {
  const Index batches = batches_of(o, N);
  const bool again = o.correction == Correction::replace || o.inner_passes > 1 || o.inner_steps > batches;
  return again && parts_are_few(o, F, N, K) ? batches : 0;
}

// A part is known at the snapshot alone: no column may have moved since.
template <class Options>
bool takes_columns_once(const Options& o) {
  return o.inner_passes <= 1 && o.inner_steps == 0 && o.order != Order::with_replacement;
}

template <class Options>
void refuse_replaced_twice(const Options& o) {
  if (o.correction != Correction::replace || takes_columns_once(o)) return;
  const std::string why = o.inner_passes > 1  ? "inner_passes is " + std::to_string(o.inner_passes)
                          : o.inner_steps > 0 ? "inner_steps is " + std::to_string(o.inner_steps)
                                              : "order with_replacement may draw one again";
  throw InvalidInput("correction replace takes each column once per snapshot, but " + why +
                     "; leave it out, or choose correction unbiased");
}

template <class Options>
void fill_in_automatic(Options& o, const Shape& shape) {
  if (o.inner_steps == 0) o.inner_passes = std::max(o.inner_passes, 1);
  if (o.correction == Correction::automatic)
    o.correction = o.safeguard && takes_columns_once(o) ? Correction::replace : Correction::unbiased;
  if (o.correction == Correction::replace && o.batch_size == 0 && shape.stored > 0) {
    // A step of W costs F K whatever the batch holds: it should hold more than that.
    const double columns =
        8 * static_cast<double>(shape.features) * static_cast<double>(shape.samples) / shape.stored;
    o.batch_size = std::max<Index>({static_cast<Index>(columns), 5 * shape.rank, 256});
  }
}

}  // namespace svrmu
