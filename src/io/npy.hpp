// The arrays of numpy, of any number of dimensions.
#pragma once

#include <string>
#include <vector>

#include "io/elements.hpp"

namespace svrmu::io {

struct NpyArray {
  std::string type;            // "<f8", "|S3", ...: one plain type
  bool columns_first = false;  // Fortran order
  std::vector<Index> shape;
  std::size_t header_end = 0;  // where the values begin
};

// Everything before the values.
NpyArray parse_npy_header(const Input& input);

// The numeric type, or an error that says what is wrong with it.
ElementType numeric_type(const Input& input, const NpyArray& array);

// The values of `count` elements of that type; refuses other sizes.
Bytes values_of(const Input& input, const NpyArray& array, std::size_t element_size);

}  // namespace svrmu::io
