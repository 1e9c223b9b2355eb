// Datasets of an untrusted HDF5 file: their heads, and lists of numbers and texts. Each reader asks for
// memory bit by bit, as what has been decoded justifies it.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "io/elements.hpp"
#include "io/h5_object.hpp"

namespace svrmu::io {

// The head of a dataset.
struct H5Array {
  std::string name;
  std::uint64_t file_size = 0;
  std::shared_ptr<const Input> pages;  // of its file, if it is mapped
  H5Handle dataset;
  H5Handle properties;
  H5Handle type;
  std::vector<std::uint64_t> sizes;
  std::optional<ElementType> element;  // null: no numbers
  std::string contents;                // "float64", "texts", "complex numbers", ...

  bool is_matrix() const { return element && sizes.size() == 2; }
  std::string describe() const;  // "5 x 3 float64"
};

H5Array open_array(const H5Object& object);

void check_one_dimension(const H5Array& array);

template <class Scalar>
std::vector<Scalar> read_numbers(const H5Array& array);
std::vector<Index> read_indices(const H5Array& array);
// Texts of fixed or variable length, or integers as texts. `field`: of which field of records.
std::vector<std::string> read_texts(const H5Array& array, const std::string& field = {});

}  // namespace svrmu::io
