// Compressed sparse storage from entries in any order.
#pragma once

#include <cstdint>
#include <vector>

#include "io/elements.hpp"

namespace svrmu::io {

// 32-bit positions halve what a file of entries needs while it is read.
template <class Scalar>
struct Entry {
  std::int32_t row;
  std::int32_t column;
  Scalar value;
};
constexpr Index most_positions = 2147483647;

template <class Scalar>
using EntryParts = std::vector<std::vector<Entry<Scalar>>>;

// Compresses and frees the parts one after the other. `mirrored`: entry (i, j) stands for (j, i) as well.
template <class Scalar>
OwnedSparse<Scalar> compress(EntryParts<Scalar>& parts, Index rows, Index columns, Layout layout,
                             bool mirrored);

// Makes indices increase within each row or column; entries at the same place are added up.
template <class Scalar>
void sort_and_add_up(OwnedSparse<Scalar>& matrix);

// Where a compressed matrix of its own making is wrong, or an empty text. Offsets come first: indices are
// only looked at between them.
template <class Scalar>
std::string defect(const OwnedSparse<Scalar>& matrix, Index majors, Index minors);

}  // namespace svrmu::io
