#include "linalg/sparse_arrays.hpp"

#include <algorithm>
#include <functional>
#include <limits>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "linalg/parallel.hpp"
#include "svrmu/error.hpp"

namespace svrmu {
namespace {

constexpr Index offset_tile = Index{1} << 15;
constexpr Index entry_run = Index{1} << 16;
constexpr Index major_tile = 64;

// The major that entry p belongs to: the last one that begins at p or before it.
Index major_of(Offsets offsets, Index majors, Index p) {
  Index low = 0;
  Index high = majors;
  while (high - low > 1) {
    const Index middle = low + (high - low) / 2;
    (offsets[middle] <= p ? low : high) = middle;
  }
  return low;
}

// The least of what body(begin, end) gives for tiles; `none` where they give nothing.
template <class Body>
Index first_over_tiles(Index items, Index tile, Index none, const Body& body) {
  std::vector<Index> first(static_cast<std::size_t>((items + tile - 1) / tile), none);
  parallel_tiles(items, tile, [&](Index begin, Index end) {
    first[static_cast<std::size_t>(begin / tile)] = body(begin, end);
  });
  return first.empty() ? none : *std::min_element(first.begin(), first.end());
}

template <class Minor>
bool outside(Minor place, Index minors) {
  return place < 0 || static_cast<Index>(place) >= minors;
}

// The first entry of p .. end, all of one major, that is wrong; `end` where none is. `before`: the place
// before them in that major.
template <class Minor>
Index first_wrong(const Minor* places, Index p, Index end, Index before, Index minors, bool ordered) {
  // Without a branch first: nearly always nothing is wrong.
  Index bad = 0;
  for (Index q = p; q < end; ++q) bad += outside(places[q], minors) ? 1 : 0;
  if (ordered) {
    bad += static_cast<Index>(places[p]) <= before ? 1 : 0;
    for (Index q = p + 1; q < end; ++q) bad += places[q] <= places[q - 1] ? 1 : 0;
  }
  if (bad == 0) return end;
  for (; p < end; before = static_cast<Index>(places[p]), ++p)
    if (outside(places[p], minors) || (ordered && static_cast<Index>(places[p]) <= before)) return p;
  return end;
}

// Sorts the entries of one major, stably, and adds up those at the same place. Returns how many are left.
template <class Scalar, class Minor>
Index sort_major(Minor* places, Scalar* values, Index count, std::vector<std::pair<Minor, Scalar>>& scratch) {
  if (std::adjacent_find(places, places + count, std::greater_equal<>()) == places + count) return count;
  if (!std::is_sorted(places, places + count)) {
    scratch.clear();
    for (Index p = 0; p < count; ++p) scratch.emplace_back(places[p], values[p]);
    std::stable_sort(scratch.begin(), scratch.end(),
                     [](const auto& a, const auto& b) { return a.first < b.first; });
    for (Index p = 0; p < count; ++p) std::tie(places[p], values[p]) = scratch[static_cast<std::size_t>(p)];
  }
  Index last = 0;
  for (Index p = 1; p < count; ++p) {
    if (places[p] == places[last]) {
      values[last] += values[p];
      continue;
    }
    ++last;
    places[last] = places[p];
    values[last] = values[p];
  }
  return last + 1;
}

}  // namespace

template <class Minor>
SparseFault find_fault(Index majors, Index minors, Offsets offsets, const Minor* places, bool ordered) {
  using Kind = SparseFault::Kind;
  const Index falls = first_over_tiles(majors, offset_tile, majors, [&](Index begin, Index end) {
    for (Index m = begin; m < end; ++m)
      if (offsets[m] < 0 || offsets[m + 1] < offsets[m]) return m;
    return majors;
  });
  if (falls < majors) return {Kind::offsets, falls, offsets[falls + 1], offsets[falls]};
  if (majors == 0) return {};

  const Index first = offsets[0];
  const Index entries = offsets[majors] - first;
  const Index none = first + entries;
  const Index wrong = first_over_tiles(entries, entry_run, none, [&](Index begin, Index end) {
    Index p = first + begin;
    for (Index m = major_of(offsets, majors, p); p < first + end; ++m) {
      const Index stop = std::min(first + end, offsets[m + 1]);
      if (p == stop) continue;
      const Index before = p > offsets[m] ? static_cast<Index>(places[p - 1]) : -1;
      p = first_wrong(places, p, stop, before, minors, ordered);
      if (p < stop) return p;
    }
    return none;
  });
  if (wrong == none) return {};
  const Index major = major_of(offsets, majors, wrong);
  const Kind kind = outside(places[wrong], minors) ? Kind::outside : Kind::order;
  return {kind, major, static_cast<Index>(places[wrong]),
          wrong > offsets[major] ? static_cast<Index>(places[wrong - 1]) : -1};
}

template <class Scalar, class Minor>
Index sort_and_add_up(std::span<Index> offsets, Minor* places, Scalar* values) {
  const Index majors = static_cast<Index>(offsets.size()) - 1;
  if (majors < 1) return 0;
  std::vector<Index> left(static_cast<std::size_t>(majors));
  parallel_tiles(majors, major_tile, [&](Index begin, Index end) {
    std::vector<std::pair<Minor, Scalar>> scratch;
    for (Index m = begin; m < end; ++m) {
      const Index at = offsets[static_cast<std::size_t>(m)];
      left[static_cast<std::size_t>(m)] =
          sort_major(places + at, values + at, offsets[static_cast<std::size_t>(m) + 1] - at, scratch);
    }
  });
  Index to = offsets[0];
  for (Index m = 0; m < majors; ++m) {
    const Index from = offsets[static_cast<std::size_t>(m)];
    const Index count = left[static_cast<std::size_t>(m)];
    if (to < from) {
      std::copy_n(places + from, count, places + to);
      std::copy_n(values + from, count, values + to);
    }
    offsets[static_cast<std::size_t>(m)] = to;
    to += count;
  }
  offsets[static_cast<std::size_t>(majors)] = to;
  return to;
}

template <class To, class Scalar, class Minor>
OwnedArrays<To, std::int32_t> turned(Index majors, Index minors, Offsets offsets, const Minor* places,
                                     const Scalar* values) {
  constexpr Index most = std::numeric_limits<std::int32_t>::max();
  if (majors > most)
    throw InvalidInput("V has " + std::to_string(majors) + " features; at most " + std::to_string(most) +
                       " are supported");
  const Index first = majors > 0 ? offsets[0] : 0;
  const Index entries = majors > 0 ? offsets[majors] - first : 0;
  // Each part of the majors counts for itself, so that all can write at once. Few parts: their counts take no
  // more memory than the entries.
  const Index parts = std::clamp<Index>(entries / std::max<Index>(minors, Index{1} << 16), 1, 8);
  const auto begin_of = [&](Index part) {
    if (part == 0) return Index{0};
    return part == parts ? majors : major_of(offsets, majors, first + entries / parts * part);
  };
  std::vector<Index> next(static_cast<std::size_t>(parts * minors));
  const auto for_part = [&](Index part, const auto& use) {
    Index* mine = next.data() + part * minors;
    for (Index m = begin_of(part); m < begin_of(part + 1); ++m)
      for (Index p = offsets[m]; p < offsets[m + 1]; ++p) use(mine[places[p]], m, p);
  };
  parallel_for(parts, [&](Index part) { for_part(part, [](Index& count, Index, Index) { ++count; }); });

  OwnedArrays<To, std::int32_t> out;
  out.offsets = std::make_unique_for_overwrite<Index[]>(static_cast<std::size_t>(minors) + 1);
  out.places = std::make_unique_for_overwrite<std::int32_t[]>(static_cast<std::size_t>(entries));
  out.values = std::make_unique_for_overwrite<To[]>(static_cast<std::size_t>(entries));
  Index at = 0;
  for (Index c = 0; c < minors; ++c) {
    out.offsets[static_cast<std::size_t>(c)] = at;
    for (Index part = 0; part < parts; ++part)
      at += std::exchange(next[static_cast<std::size_t>(part * minors + c)], at);
  }
  out.offsets[static_cast<std::size_t>(minors)] = at;
  parallel_for(parts, [&](Index part) {
    for_part(part, [&](Index& to, Index m, Index p) {
      out.places[static_cast<std::size_t>(to)] = static_cast<std::int32_t>(m);
      out.values[static_cast<std::size_t>(to++)] = static_cast<To>(values[p]);
    });
  });
  return out;
}

#define SVRMU_INSTANTIATE_PLACES(M) template SparseFault find_fault<M>(Index, Index, Offsets, const M*, bool);
#define SVRMU_INSTANTIATE(S, M)                                                                             \
  template Index sort_and_add_up<S, M>(std::span<Index>, M*, S*);                                           \
  template OwnedArrays<float, std::int32_t> turned<float, S, M>(Index, Index, Offsets, const M*, const S*); \
  template OwnedArrays<double, std::int32_t> turned<double, S, M>(Index, Index, Offsets, const M*, const S*);
SVRMU_INSTANTIATE_PLACES(std::int32_t)
SVRMU_INSTANTIATE_PLACES(std::int64_t)
SVRMU_INSTANTIATE(float, std::int32_t)
SVRMU_INSTANTIATE(float, std::int64_t)
SVRMU_INSTANTIATE(double, std::int32_t)
SVRMU_INSTANTIATE(double, std::int64_t)
#undef SVRMU_INSTANTIATE
#undef SVRMU_INSTANTIATE_PLACES

}  // namespace svrmu
