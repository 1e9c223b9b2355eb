#include "c/dense.hpp"

#include <cstdint>
#include <limits>

#include "svrmu/error.hpp"
#include "text/text.hpp"

namespace svrmu::c {
namespace {

struct Side {
  const char* name;    // of the stride
  const char* things;  // that it leads from one to the next of
  Index count;
  Index stride;  // bytes
};

// A single row or column has no next one, so its stride says nothing.
void check_stride(const Side& side, Index size, const std::string& what) {
  if (side.count == 1) return;
  const std::string said = what + ": " + side.name + " is " + std::to_string(side.stride);
  if (side.stride == 0)
    throw InvalidInput(said + ", so that all " + side.things +
                       " would be one (a broadcast array); hand over a copy in its true size");
  if (side.stride < 0)
    throw InvalidInput(said + "; strides below 0 are refused: hand over a copy in the usual order");
  if (side.stride % size != 0)
    throw InvalidInput(said + ", which is no multiple of the size of its numbers, " + std::to_string(size));
}

// The last byte must have an address.
void check_extent(const svrmu_dense& dense, const Side& outer, const Side& inner, Index size,
                  const std::string& what) {
  Index gaps = 0, bytes = 0, end = 0, entries = 0;
  const Index inner_step = inner.count == 1 ? size : inner.stride;
  bool fits = !__builtin_mul_overflow(dense.rows, dense.columns, &entries) &&
              !__builtin_mul_overflow(outer.count - 1, outer.count == 1 ? 0 : outer.stride, &gaps) &&
              !__builtin_mul_overflow(inner.count, inner_step, &bytes) &&
              !__builtin_add_overflow(gaps, bytes, &end);
  const auto begin = reinterpret_cast<std::uintptr_t>(dense.data);
  fits = fits && static_cast<std::uintptr_t>(end) <= std::numeric_limits<std::uintptr_t>::max() - begin;
  if (!fits)
    throw InvalidInput(what + " is " + shape_text(dense.rows, dense.columns) +
                       ", which is more than memory can hold; is a size or a stride wrong?");
}

}  // namespace

Index size_of(const svrmu_type& type, const std::string& what) {
  const int number = number_of(type);
  if (number == SVRMU_FLOAT32) return sizeof(float);
  if (number == SVRMU_FLOAT64) return sizeof(double);
  throw InvalidInput(what + ": type is " + std::to_string(number) +
                     "; it must be SVRMU_FLOAT32 or SVRMU_FLOAT64");
}

DensePlaces places_of(const svrmu_dense& dense, const std::string& what) {
  const Index size = size_of(dense.type, what);
  if (dense.rows < 1 || dense.columns < 1)
    throw InvalidInput(what + " is " + shape_text(dense.rows, dense.columns) +
                       "; it must have at least one row and one column");
  if (dense.data == nullptr) throw InvalidInput(what + ": data is NULL");
  const Side rows{"row_stride", "rows", dense.rows, dense.row_stride};
  const Side columns{"column_stride", "columns", dense.columns, dense.column_stride};
  check_stride(rows, size, what);
  check_stride(columns, size, what);
  if (reinterpret_cast<std::uintptr_t>(dense.data) % static_cast<std::uintptr_t>(size) != 0)
    throw InvalidInput(what + ": data is not at a multiple of " + std::to_string(size) +
                       " bytes, the size of its numbers; hand over an aligned copy");

  // Numbers of a column beside each other, or those of a row; a single one of either may lie apart.
  const bool single_row = rows.count == 1, single_column = columns.count == 1;
  const bool by_columns = single_row || (!single_column && rows.stride == size);
  const Side& outer = by_columns ? columns : rows;
  const Side& inner = by_columns ? rows : columns;
  check_extent(dense, outer, inner, size, what);
  if (inner.count > 1 && inner.stride != size)
    throw InvalidInput(what + ": neither row_stride (" + std::to_string(rows.stride) +
                       ") nor column_stride (" + std::to_string(columns.stride) +
                       ") is the size of its numbers, " + std::to_string(size) +
                       "; numbers that lie apart both ways are refused: hand over a copy");
  if (outer.count == 1)
    return {by_columns ? Layout::columns_contiguous : Layout::rows_contiguous, inner.count};
  if (outer.stride < inner.count * size)
    throw InvalidInput(what + ": " + outer.name + " is " + std::to_string(outer.stride) + ", so that its " +
                       outer.things + " overlap: each has " + std::to_string(inner.count * size) + " bytes");
  return {by_columns ? Layout::columns_contiguous : Layout::rows_contiguous, outer.stride / size};
}

namespace {

template <class Scalar>
Matrix<double> doubles(const svrmu_dense& dense, const DensePlaces& places) {
  const auto* data = static_cast<const Scalar*>(dense.data);
  const Eigen::OuterStride<> stride(places.stride);
  if (places.layout == Layout::columns_contiguous)
    return Eigen::Map<const Matrix<Scalar>, 0, Eigen::OuterStride<>>(data, dense.rows, dense.columns, stride)
        .template cast<double>();
  return Eigen::Map<const RowMatrix<Scalar>, 0, Eigen::OuterStride<>>(data, dense.rows, dense.columns, stride)
      .template cast<double>();
}

}  // namespace

Matrix<double> copy_of(const svrmu_dense& dense, const std::string& what) {
  const DensePlaces places = places_of(dense, what);
  return dense.type == SVRMU_FLOAT32 ? doubles<float>(dense, places) : doubles<double>(dense, places);
}

}  // namespace svrmu::c
