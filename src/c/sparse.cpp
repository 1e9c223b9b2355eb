#include "c/sparse.hpp"

#include <cstdint>
#include <string>

#include "c/dense.hpp"
#include "svrmu/error.hpp"
#include "text/text.hpp"

namespace svrmu::c {
namespace {

void check_array(const void* array, Index count, Index size, const char* name) {
  if (count == 0) return;
  if (array == nullptr) throw InvalidInput("sparse V: " + std::string(name) + " is NULL");
  if (reinterpret_cast<std::uintptr_t>(array) % static_cast<std::uintptr_t>(size) != 0)
    throw InvalidInput("sparse V: " + std::string(name) + " is not at a multiple of " + std::to_string(size) +
                       " bytes, the size of its numbers; hand over an aligned copy");
}

void check_width(Index bytes, const char* name) {
  if (bytes != 4 && bytes != 8)
    throw InvalidInput("sparse V: " + std::string(name) + " is " + std::to_string(bytes) +
                       "; it must be 4 or 8");
}

// Calls use(offsets, indices) with the caller's arrays in their own types.
template <class Use>
auto with_arrays(const svrmu_sparse& V, const Use& use) {
  const auto with_offsets = [&](auto* offsets) {
    if (V.index_bytes == 4) return use(offsets, static_cast<const std::int32_t*>(V.indices));
    return use(offsets, static_cast<const std::int64_t*>(V.indices));
  };
  if (V.offset_bytes == 4) return with_offsets(static_cast<const std::int32_t*>(V.offsets));
  return with_offsets(static_cast<const std::int64_t*>(V.offsets));
}

Index majors_of(const svrmu_sparse& V) { return V.layout == SVRMU_BY_COLUMNS ? V.columns : V.rows; }

// What a copy by columns takes, at most: repeated entries share a place.
template <class Scalar, class Place>
Index bytes_of_copy(const svrmu_sparse& V, Index entries) {
  return (V.columns + 1) * Index{sizeof(Index)} + entries * Index{sizeof(Place) + sizeof(Scalar)};
}

}  // namespace

void check_sparse(const svrmu_sparse& V) {
  const Index size = size_of(V.type, "sparse V");
  const int layout = number_of(V.layout);
  if (layout != SVRMU_BY_COLUMNS && layout != SVRMU_BY_ROWS)
    throw InvalidInput("sparse V: layout is " + std::to_string(layout) +
                       "; it must be SVRMU_BY_COLUMNS or SVRMU_BY_ROWS");
  constexpr Index most = Index{1} << 58;  // so that bytes can be counted
  if (V.rows < 1 || V.columns < 1 || V.rows > most || V.columns > most)
    throw InvalidInput("sparse V is " + shape_text(V.rows, V.columns) +
                       "; it must have at least one row and one column, and at most 2^58");
  if (V.stored < 0 || V.stored > most)
    throw InvalidInput("sparse V: stored is " + std::to_string(V.stored) +
                       "; it must lie between 0 and 2^58");
  check_width(V.offset_bytes, "offset_bytes");
  check_width(V.index_bytes, "index_bytes");
  check_array(V.offsets, majors_of(V) + 1, V.offset_bytes, "offsets");
  check_array(V.indices, V.stored, V.index_bytes, "indices");
  check_array(V.values, V.stored, size, "values");
  with_arrays(V, [&](auto* offsets, auto*) {
    const char* kind = V.layout == SVRMU_BY_COLUMNS ? "column " : "row ";
    if (offsets[0] < 0)
      throw InvalidData("sparse V: the first offset is " + std::to_string(offsets[0]) +
                        "; it must not be negative");
    for (Index major = 0; major < majors_of(V); ++major)
      if (offsets[major + 1] < offsets[major] || offsets[major + 1] > V.stored)
        throw InvalidData("sparse V: offsets lead from " + std::to_string(offsets[major]) + " to " +
                          std::to_string(offsets[major + 1]) + " at " + kind + std::to_string(major + 1) +
                          " (counted from 1); they must not decrease, and end at most at stored, " +
                          std::to_string(V.stored));
  });
}

template <class Scalar>
SparseView<Scalar> view_of(const svrmu_sparse& V) {
  return with_arrays(V, [&]<class Offset, class Place>(const Offset* offsets, const Place* indices) {
    const auto* values = static_cast<const Scalar*>(V.values);
    const Index entries = offsets[majors_of(V)] - offsets[0];
    if (V.layout == SVRMU_BY_ROWS)
      return SparseView<Scalar>{view_sparse_rows(V.rows, V.columns, offsets, indices, values),
                                bytes_of_copy<Scalar, std::int32_t>(V, entries)};
    if (columns_are_sorted(V.rows, V.columns, offsets, indices))
      return SparseView<Scalar>{view_sparse(V.rows, V.columns, offsets, indices, values)};
    return SparseView<Scalar>{sorted_columns(V.rows, V.columns, offsets, indices, values),
                              bytes_of_copy<Scalar, Place>(V, entries)};
  });
}

template SparseView<float> view_of<float>(const svrmu_sparse&);
template SparseView<double> view_of<double>(const svrmu_sparse&);

}  // namespace svrmu::c
