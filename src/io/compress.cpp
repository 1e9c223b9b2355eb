#include "io/compress.hpp"

#include <algorithm>
#include <span>
#include <utility>

#include "linalg/parallel.hpp"
#include "linalg/sparse_arrays.hpp"

namespace svrmu::io {
namespace {

std::size_t at(Index i) { return static_cast<std::size_t>(i); }

// Offsets from counts that stand one place to the right.
void add_up(std::vector<Index>& offsets) {
  for (std::size_t i = 1; i < offsets.size(); ++i) offsets[i] += offsets[i - 1];
}

// After a scatter offsets[i] is where i ends, that is where i + 1 begins.
void shift_back(std::vector<Index>& offsets) {
  for (std::size_t i = offsets.size() - 1; i > 0; --i) offsets[i] = offsets[i - 1];
  offsets[0] = 0;
}

template <class Scalar, class Use>
void for_each_place(const Entry<Scalar>& e, bool by_columns, bool mirrored, const Use& use) {
  const std::int32_t major = by_columns ? e.column : e.row;
  const std::int32_t minor = by_columns ? e.row : e.column;
  use(at(major), minor);
  if (mirrored && major != minor) use(at(minor), major);
}

}  // namespace

template <class Scalar>
OwnedSparse<Scalar> compress(EntryParts<Scalar>& parts, Index rows, Index columns, Layout layout,
                             bool mirrored) {
  const bool by_columns = layout == Layout::columns_contiguous;
  OwnedSparse<Scalar> out;
  out.offsets.assign(at(by_columns ? columns : rows) + 1, 0);
  for (const auto& part : parts)
    for (const auto& e : part)
      for_each_place(e, by_columns, mirrored,
                     [&](std::size_t major, std::int32_t) { ++out.offsets[major + 1]; });
  add_up(out.offsets);
  out.indices.resize(at(out.offsets.back()));
  out.values.resize(at(out.offsets.back()));
  for (auto& part : parts) {
    for (const auto& e : part)
      for_each_place(e, by_columns, mirrored, [&](std::size_t major, std::int32_t minor) {
        const std::size_t place = at(out.offsets[major]++);
        out.indices[place] = minor;
        out.values[place] = e.value;
      });
    std::vector<Entry<Scalar>>().swap(part);
  }
  shift_back(out.offsets);
  return out;
}

template <class Scalar>
void sort_and_add_up(OwnedSparse<Scalar>& matrix) {
  const ThreadsFor threads(static_cast<Index>(matrix.indices.size()), 0);
  const Index left =
      svrmu::sort_and_add_up(std::span<Index>(matrix.offsets), matrix.indices.data(), matrix.values.data());
  matrix.indices.resize(at(left));
  matrix.values.resize(at(left));
}

template <class Scalar>
std::string defect(const OwnedSparse<Scalar>& matrix, Index majors, Index minors) {
  const auto& offsets = matrix.offsets;
  if (offsets.size() != at(majors) + 1)
    return "there are " + std::to_string(offsets.size()) + " offsets, but " + std::to_string(majors + 1) +
           " are needed";
  const auto held = static_cast<Index>(std::min(matrix.indices.size(), matrix.values.size()));
  if (offsets.front() != 0) return "the first offset is " + std::to_string(offsets.front()) + ", not 0";
  for (std::size_t i = 1; i < offsets.size(); ++i)
    if (offsets[i] < offsets[i - 1] || offsets[i] > held)
      return "offset " + std::to_string(i + 1) + " (counted from 1) is " + std::to_string(offsets[i]) +
             ", which is not between " + std::to_string(offsets[i - 1]) + " and the " + std::to_string(held) +
             " entries";
  for (Index p = 0; p < offsets.back(); ++p)
    if (matrix.indices[at(p)] < 0 || matrix.indices[at(p)] >= minors)
      return "index " + std::to_string(p + 1) + " (counted from 1) is " +
             std::to_string(matrix.indices[at(p)]) + ", but must be from 0 to " + std::to_string(minors - 1);
  return {};
}

#define SVRMU_INSTANTIATE(S)                                                       \
  template OwnedSparse<S> compress<S>(EntryParts<S>&, Index, Index, Layout, bool); \
  template void sort_and_add_up<S>(OwnedSparse<S>&);                               \
  template std::string defect<S>(const OwnedSparse<S>&, Index, Index);
SVRMU_INSTANTIATE(float)
SVRMU_INSTANTIATE(double)
#undef SVRMU_INSTANTIATE

}  // namespace svrmu::io
