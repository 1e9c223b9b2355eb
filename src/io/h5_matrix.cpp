#include "io/h5_matrix.hpp"

#include <memory>
#include <utility>

#include "io/compress.hpp"
#include "io/h5_blocks.hpp"
#include "io/inflate.hpp"
#include "text/text.hpp"

namespace svrmu::io {
namespace {

template <class Scalar>
MatrixFile dense_as(const H5Array& array, bool reversed, const ReadOptions& options) {
  const std::uint64_t rows = array.sizes[0];
  const std::uint64_t columns = array.sizes[1];
  const std::size_t item = size_of(array.element->element);
  const auto values = std::make_shared<Buffer>();
  for_each_block(array, {array.type.id(), item, sizeof(Scalar)}, [&](const H5Block& block) {
    const std::uint64_t needed = (block.row + block.rows) * columns;
    if (values->size() / sizeof(Scalar) < needed)
      values->resize(sizeof(Scalar) *
                     room_for(array.name, block.decoded, needed, rows * columns, sizeof(Scalar)));
    Scalar* const to = reinterpret_cast<Scalar*>(values->data());
    for (std::uint64_t i = 0; i < block.rows; ++i)
      convert(*array.element, block.data + i * block.columns * item, block.columns,
              to + (block.row + i) * columns + block.column);
  });
  std::shared_ptr<Scalar[]> owned(values, reinterpret_cast<Scalar*>(values->data()));
  const auto slow = static_cast<Index>(rows), fast = static_cast<Index>(columns);
  const Input input{array.name, {}, nullptr, false, {}};
  return reversed
             ? owned_dense<Scalar>(input, std::move(owned), fast, slow, Layout::columns_contiguous, options)
             : owned_dense<Scalar>(input, std::move(owned), slow, fast, Layout::rows_contiguous, options);
}

// The values of a dataset that lies in one piece in the pages of its file; empty: it has to be decoded.
Bytes values_in_place(const H5Array& array) {
  if (!array.pages || H5Pget_layout(array.properties.id()) != H5D_CONTIGUOUS) return {};
  const Bytes file = array.pages->bytes;
  const haddr_t begin = H5Dget_offset(array.dataset.id());
  std::uint64_t bytes = size_of(array.element->element);
  for (const std::uint64_t size : array.sizes)
    if (!multiply(bytes, size, bytes)) return {};
  if (begin > file.size() || bytes > file.size() - begin) return {};
  return file.subspan(begin, bytes);
}

MatrixFile in_place(const H5Array& array, Bytes values, bool reversed, const ReadOptions& options) {
  Input input = *array.pages;
  input.name = array.name;
  const auto slow = static_cast<Index>(array.sizes[0]), fast = static_cast<Index>(array.sizes[1]);
  return reversed
             ? dense_matrix(input, *array.element, values, fast, slow, Layout::columns_contiguous, options)
             : dense_matrix(input, *array.element, values, slow, fast, Layout::rows_contiguous, options);
}

std::uint64_t length(const std::optional<H5Array>& array) {
  if (!array) return 0;
  check_one_dimension(*array);
  return array->sizes[0];
}

template <class Scalar>
MatrixFile compressed_as(const H5Compressed& arrays, Index rows, Index columns, Layout layout,
                         const ReadOptions& options) {
  const Index majors = layout == Layout::rows_contiguous ? rows : columns;
  const Index minors = layout == Layout::rows_contiguous ? columns : rows;
  OwnedSparse<Scalar> owned;
  owned.offsets = read_indices(arrays.offsets);
  if (arrays.values) owned.values = read_numbers<Scalar>(*arrays.values);
  if (arrays.indices) owned.indices = read_indices(*arrays.indices);
  if (const std::string wrong = defect(owned, majors, minors); !wrong.empty()) fail(arrays.name, wrong);
  const Input input{arrays.name, {}, nullptr, false, {}};
  return sparse_matrix(input, std::move(owned), rows, columns, layout, options);
}

}  // namespace

MatrixFile read_dense(const H5Array& array, bool reversed, const ReadOptions& options) {
  if (!array.element) fail(array.name, "holds " + array.contents + ", not numbers that can be used");
  if (array.sizes.size() != 2)
    fail(array.name, "has " + std::to_string(array.sizes.size()) + " dimensions; a matrix has 2");
  if (const Bytes values = values_in_place(array); !values.empty())
    return in_place(array, values, reversed, options);
  MatrixFile file = as_double(*array.element, options.precision) ? dense_as<double>(array, reversed, options)
                                                                 : dense_as<float>(array, reversed, options);
  file.elements = name_of(*array.element);
  return file;
}

MatrixFile read_compressed(const H5Compressed& arrays, Index rows, Index columns, Layout layout,
                           const ReadOptions& options) {
  if (rows < 0 || columns < 0) fail(arrays.name, "a shape of " + shape_text(rows, columns));
  // Both directions: it may have to be transposed.
  for (const Index size : {rows, columns})
    check_affordable(arrays.name, arrays.offsets.file_size, static_cast<std::uint64_t>(size) + 1,
                     sizeof(Index), "the matrix");
  const auto majors = static_cast<std::uint64_t>(layout == Layout::rows_contiguous ? rows : columns);
  check_one_dimension(arrays.offsets);
  if (arrays.offsets.sizes[0] != majors + 1)
    fail(arrays.offsets.name, "must have " + std::to_string(majors + 1) + " offsets for " +
                                  std::to_string(majors) +
                                  (layout == Layout::rows_contiguous ? " rows" : " columns") + ", but has " +
                                  std::to_string(arrays.offsets.sizes[0]));
  if (length(arrays.values) != length(arrays.indices))
    fail(arrays.name, "there are " + std::to_string(length(arrays.indices)) + " indices, but " +
                          std::to_string(length(arrays.values)) + " values");
  const ElementType type = arrays.values && arrays.values->element ? *arrays.values->element : ElementType{};
  MatrixFile file = as_double(type, options.precision)
                        ? compressed_as<double>(arrays, rows, columns, layout, options)
                        : compressed_as<float>(arrays, rows, columns, layout, options);
  file.elements = name_of(type);
  return file;
}

}  // namespace svrmu::io
