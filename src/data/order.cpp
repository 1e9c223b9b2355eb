#include "data/order.hpp"

#include <algorithm>
#include <numeric>
#include <set>

#include "data/random.hpp"

namespace svrmu {
namespace {

std::vector<Index> permutation(const Random& random, Index stream, Index n) {
  std::vector<Index> order(static_cast<std::size_t>(n));
  std::iota(order.begin(), order.end(), Index{0});
  for (Index i = n - 1; i > 0; --i)
    std::swap(order[static_cast<std::size_t>(i)],
              order[static_cast<std::size_t>(random.integer(i + 1, stream, i))]);
  return order;
}

}  // namespace

std::vector<Index> draw_columns(Index samples, Index count, std::uint64_t seed) {
  // Floyd's method: no list of all columns is made.
  const Random random(seed, Purpose::subset);
  std::set<Index> drawn;
  for (Index i = samples - count; i < samples; ++i)
    if (!drawn.insert(random.integer(i + 1, i, 0)).second) drawn.insert(i);
  return {drawn.begin(), drawn.end()};
}

Plan plan_columns(const std::vector<Index>& columns, int member, int size) {
  Plan plan;
  for (const Index n : columns)
    if (n % size == member) plan.visit.columns.push_back(n / size);
  plan.visit.ends.push_back(static_cast<Index>(plan.visit.columns.size()));
  plan.totals.push_back(static_cast<Index>(columns.size()));
  return plan;
}

Plan plan_batches(const Batching& b) {
  Plan plan;
  const Index batch = std::min(b.batch_size, b.samples);
  const Random random(b.seed, Purpose::order);
  const Index stream = b.order == Order::permute_once ? 0 : (b.epoch << 24) + b.pass + 1;
  const auto add_batch = [&](Index total) {
    plan.totals.push_back(total);
    plan.visit.ends.push_back(static_cast<Index>(plan.visit.columns.size()));
  };
  // Only this member's columns are kept, as local numbers: column n of all is column n / size of member n %
  // size.
  const auto add_column = [&](Index n) {
    if (n % b.size != b.member) return false;
    plan.visit.columns.push_back(n / b.size);
    return true;
  };

  if (b.order == Order::cyclic) {
    for (Index begin = 0; begin < b.samples; begin += batch) {
      const Index end = std::min(begin + batch, b.samples);
      plan.totals.push_back(end - begin);
      plan.visit.ends.push_back((end + b.size - 1 - b.member) / b.size);
    }
    return plan;
  }
  if (b.order == Order::with_replacement) {
    std::vector<Index> drawn;
    for (Index begin = 0; begin < b.samples; begin += batch) {
      drawn.clear();
      const Index total = std::min(batch, b.samples - begin);
      for (Index i = 0; i < total; ++i) drawn.push_back(random.integer(b.samples, stream, begin + i));
      std::sort(drawn.begin(), drawn.end());
      plan.different.push_back(0);
      for (std::size_t i = 0; i < drawn.size();) {
        const std::size_t first = i;
        while (i < drawn.size() && drawn[i] == drawn[first]) ++i;
        ++plan.different.back();
        if (add_column(drawn[first])) plan.multiplicity.push_back(static_cast<Index>(i - first));
      }
      add_batch(total);
    }
    return plan;
  }
  const std::vector<Index> order = permutation(random, stream, b.samples);
  plan.visit.columns.reserve(static_cast<std::size_t>(b.samples / b.size + 1));
  for (Index begin = 0; begin < b.samples; begin += batch) {
    const Index end = std::min(begin + batch, b.samples);
    for (Index i = begin; i < end; ++i) add_column(order[static_cast<std::size_t>(i)]);
    add_batch(end - begin);
  }
  return plan;
}

Plan part_of(const Plan& pass, Index begin, Index end) {
  const auto at = [](Index i) { return static_cast<std::ptrdiff_t>(i); };
  const auto ends = pass.visit.ends.begin();
  const Index first = begin == 0 ? 0 : ends[at(begin - 1)];
  const Index last = ends[at(end - 1)];
  Plan part;
  part.totals.assign(pass.totals.begin() + at(begin), pass.totals.begin() + at(end));
  for (Index i = begin; i < end; ++i) part.visit.ends.push_back(ends[at(i)] - first);
  if (pass.visit.columns.empty()) {
    part.visit.columns.resize(static_cast<std::size_t>(last - first));
    std::iota(part.visit.columns.begin(), part.visit.columns.end(), first);
  } else {
    part.visit.columns.assign(pass.visit.columns.begin() + at(first), pass.visit.columns.begin() + at(last));
  }
  if (!pass.different.empty())
    part.different.assign(pass.different.begin() + at(begin), pass.different.begin() + at(end));
  if (!pass.multiplicity.empty())
    part.multiplicity.assign(pass.multiplicity.begin() + at(first), pass.multiplicity.begin() + at(last));
  return part;
}

}  // namespace svrmu
