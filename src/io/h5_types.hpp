// What the types of HDF5 mean here.
#pragma once

#include <optional>
#include <string>

#include "io/elements.hpp"
#include "io/hdf5.hpp"

namespace svrmu::io {

// The type of numbers that a type of HDF5 is; null: it is none that is read here.
std::optional<ElementType> element_of(hid_t type);

// For messages about a type without an element: "texts", "complex numbers", ...
std::string contents_of(hid_t type);

// What C++ calls the bytes of a text of fixed length.
std::string fixed_text(const char* from, std::size_t size, H5T_str_t padding);

}  // namespace svrmu::io
