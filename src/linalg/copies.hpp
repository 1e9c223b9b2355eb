// Copies of large matrices, made by all threads: new memory is slow to touch for the first time.
#pragma once

#include <algorithm>

#include "linalg/parallel.hpp"
#include "svrmu/matrix.hpp"

namespace svrmu {

constexpr Index copied_tile = 1 << 16;

template <class M>
void assign(M& to, const M& from) {
  to.resize(from.rows(), from.cols());
  parallel_tiles(from.size(), copied_tile, [&](Index begin, Index end) {
    std::copy(from.data() + begin, from.data() + end, to.data() + begin);
  });
}
// The same layout in another precision.
template <class To, class From>
void assign_cast(To& to, const From& from) {
  to.resize(from.rows(), from.cols());
  parallel_tiles(from.size(), copied_tile, [&](Index begin, Index end) {
    for (Index i = begin; i < end; ++i) to.data()[i] = static_cast<typename To::Scalar>(from.data()[i]);
  });
}
template <class Scalar>
void assign(Matrix<Scalar>& to, const RowMatrix<Scalar>& from) {
  to.resize(from.rows(), from.cols());
  parallel_tiles(from.rows(), 64, [&](Index begin, Index end) {
    to.middleRows(begin, end - begin) = from.middleRows(begin, end - begin);
  });
}
template <class M>
void assign_scaled(M& to, typename M::Scalar scale, const M& from) {
  to.resize(from.rows(), from.cols());
  parallel_tiles(from.size(), copied_tile, [&](Index begin, Index end) {
    for (Index i = begin; i < end; ++i) to.data()[i] = scale * from.data()[i];
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
