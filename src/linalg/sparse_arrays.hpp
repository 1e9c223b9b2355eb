// Compressed sparse arrays, looked over, sorted and turned by several threads. They are compressed along
// their majors (columns, or rows), and each entry has the place of its minor. Tiles follow from the entries,
// so that what is found or made has the same bits for any number of threads.
#pragma once

#include <cstdint>
#include <memory>
#include <span>

#include "svrmu/export.hpp"
#include "svrmu/matrix.hpp"
#include "svrmu/source.hpp"

namespace svrmu {

// The first thing that is wrong with compressed arrays. Minors are only read where the offsets are right.
struct SparseFault {
  enum class Kind { none, offsets, outside, order };
  Kind kind = Kind::none;
  Index major = 0;   // where it is
  Index value = 0;   // the offset after that major, or the minor
  Index before = 0;  // what comes before it there; -1: nothing
};

// `ordered`: minors must increase within each major.
template <class Minor>
SparseFault find_fault(Index majors, Index minors, Offsets offsets, const Minor* places, bool ordered);

// Makes the minors of each major increase, where they lie; entries at the same place are added up, in the
// order in which they come. Returns how many entries are left.
template <class Scalar, class Minor>
SVRMU_API Index sort_and_add_up(std::span<Index> offsets, Minor* places, Scalar* values);

// Arrays of their own.
template <class Scalar, class Minor>
struct OwnedArrays {
  std::unique_ptr<Index[]> offsets;
  std::unique_ptr<Minor[]> places;
  std::unique_ptr<Scalar[]> values;
};

// The same entries compressed along the minors, which must be in range. Those of one minor come in the order
// of the majors. InvalidInput where there are more majors than 32 bits can number.
template <class To, class Scalar, class Minor>
SVRMU_API OwnedArrays<To, std::int32_t> turned(Index majors, Index minors, Offsets offsets,
                                               const Minor* places, const Scalar* values);

}  // namespace svrmu
