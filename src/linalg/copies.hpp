// Copies of large matrices, made by all threads: new memory is slow to touch for the first time.
#pragma once

#include <algorithm>

#include "data/factors.hpp"
#include "linalg/elements.hpp"
#include "linalg/parallel.hpp"
#include "svrmu/matrix.hpp"

namespace svrmu {

constexpr Index copied_tile = 1 << 16;

// In any precision and layout.
template <class To, class From>
void assign(To& to, const From& from) {
  to.resize(from.rows(), from.cols());
  if constexpr (bool(To::IsRowMajor) == bool(From::IsRowMajor))
    parallel_tiles(from.size(), copied_tile, [&](Index begin, Index end) {
      std::transform(from.data() + begin, from.data() + end, to.data() + begin,
                     [](auto x) { return static_cast<typename To::Scalar>(x); });
    });
  else
    parallel_tiles(from.rows(), 64, [&](Index begin, Index end) {
      to.middleRows(begin, end - begin) =
          from.middleRows(begin, end - begin).template cast<typename To::Scalar>();
    });
}
// W and H; R is left as it is.
template <class To, class From>
void assign(Factors<To>& to, const Factors<From>& from) {
  assign(to.W, from.W);
  assign(to.H, from.H);
}
template <class M>
void assign_scaled(M& to, typename M::Scalar scale, const M& from) {
  to.resize(from.rows(), from.cols());
  parallel_tiles(from.size(), copied_tile, [&](Index begin, Index end) {
    for (Index i = begin; i < end; ++i) to.data()[i] = scale * from.data()[i];
  });
}
// scale * from, with exact zeros where `from` is at the floor.
template <class M>
void assign_above_floor(M& to, typename M::Scalar scale, const M& from) {
  to.resize(from.rows(), from.cols());
  parallel_tiles(from.size(), copied_tile, [&](Index begin, Index end) {
    scale_above_floor(scale, from.data() + begin, end - begin, to.data() + begin);
  });
}
template <class M>
void assign_zero(M& to, Index rows, Index columns) {
  to.resize(rows, columns);
  parallel_tiles(to.size(), copied_tile, [&](Index begin, Index end) {
    std::fill(to.data() + begin, to.data() + end, typename M::Scalar(0));
  });
}

}  // namespace svrmu
