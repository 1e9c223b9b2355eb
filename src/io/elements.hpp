// Types of numbers in files, and how they become float or double.
#pragma once

#include <bit>
#include <cstring>
#include <memory>
#include <string>
#include <vector>

#include "io/input.hpp"
#include "svrmu/io/files.hpp"

namespace svrmu::io {

enum class Element {
  boolean,
  int8,
  uint8,
  int16,
  uint16,
  int32,
  uint32,
  int64,
  uint64,
  float16,
  float32,
  float64
};

struct ElementType {
  Element element = Element::float64;
  bool big_endian = false;

  bool swapped() const { return big_endian != (std::endian::native == std::endian::big); }
};

std::size_t size_of(Element element);
std::string name_of(const ElementType& type);

// One number at an address of any alignment.
template <class Number>
Number load(const std::byte* from, bool swapped) {
  std::byte raw[sizeof(Number)];
  for (std::size_t i = 0; i < sizeof(Number); ++i) raw[i] = from[swapped ? sizeof(Number) - 1 - i : i];
  Number number;
  std::memcpy(&number, raw, sizeof(Number));
  return number;
}

// `count` numbers; the bytes must be there.
template <class Scalar>
void convert(const ElementType& type, const std::byte* from, std::uint64_t count, Scalar* to);

// The same for positions; false if the type is not an integer one.
bool convert_indices(const ElementType& type, const std::byte* from, std::uint64_t count, Index* to);

// The precision that the values of a file get.
bool as_double(const ElementType& type, Precision wanted);

// Samples as asked for, else as the format says, else in columns.
SamplesIn decide_samples(SamplesIn wanted, SamplesIn natural);

// For a format that says where its samples are.
void set_natural(MatrixFile& file, SamplesIn natural, const ReadOptions& options);

// A dense matrix from `values` at their place in the input: viewed where possible, else converted.
MatrixFile dense_matrix(const Input& input, const ElementType& type, Bytes values, Index rows, Index columns,
                        Layout layout, const ReadOptions& options);

// What storage owns when nothing can be viewed.
template <class Scalar>
struct OwnedSparse {
  std::vector<Index> offsets;
  std::vector<Index> indices;
  std::vector<Scalar> values;
};

// The sparse matrix of a file, by columns or by rows. Indices must be in range.
template <class Scalar>
MatrixFile sparse_matrix(const Input& input, OwnedSparse<Scalar> owned, Index rows, Index columns,
                         Layout layout, const ReadOptions& options);

template <class Scalar>
MatrixFile owned_dense(const Input& input, std::shared_ptr<Scalar[]> values, Index rows, Index columns,
                       Layout layout, const ReadOptions& options);

}  // namespace svrmu::io
