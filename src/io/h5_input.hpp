// HDF5 files from outside: nothing in them is trusted, and no other file is opened for them.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "io/elements.hpp"
#include "io/hdf5.hpp"
#include "io/input.hpp"

namespace svrmu::io {

// A group or a dataset of a file; the file itself is its group "/".
struct H5Object {
  std::string file;             // for messages
  std::string path;             // within the file, "/a/b"
  std::uint64_t file_size = 0;  // no dataset holds more bytes than its file
  H5Handle handle;

  std::string name() const;
  hid_t id() const { return handle.id(); }
  bool is_group() const;
  bool is_dataset() const;
};

// Opens a mapped file by its name, other bytes as an image in memory.
H5Object open_h5(const Input& input);
H5Object h5_root(const std::string& name, H5Handle file);

// Null if there is no such thing. Links within the file are followed, links to other files are refused.
std::optional<H5Object> find(const H5Object& parent, const std::string& path);
H5Object need(const H5Object& parent, const std::string& path);
bool has(const H5Object& group, const std::string& name);
// Names in a group that are no links, at most `most`, sorted.
std::vector<std::string> children(const H5Object& group, std::size_t most);
// The same object has the same address wherever it is linked.
haddr_t address_of(const H5Object& object);

bool has_attribute(const H5Object& object, const char* name);
// Null if it is not there or is something else.
std::optional<std::string> text_attribute(const H5Object& object, const char* name);
std::vector<Index> integer_attribute(const H5Object& object, const char* name);

// The head of a dataset.
struct H5Array {
  std::string name;
  std::uint64_t file_size = 0;
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

// Each takes what it asks for bit by bit, as what has been decoded justifies it.
template <class Scalar>
std::vector<Scalar> read_numbers(const H5Array& array);
std::vector<Index> read_indices(const H5Array& array);
// Texts of fixed or variable length, or integers as texts. `field`: of which field of records.
std::vector<std::string> read_texts(const H5Array& array, const std::string& field = {});
// The last dimension of HDF5 runs fastest. `reversed`: the program that wrote it counts dimensions the other
// way round, as MATLAB does.
MatrixFile read_dense(const H5Array& array, bool reversed, const ReadOptions& options);

// A sparse matrix of three arrays; MATLAB leaves out `values` and `indices` if there are none.
struct H5Compressed {
  std::string name;
  std::optional<H5Array> values;
  std::optional<H5Array> indices;
  H5Array offsets;
};
MatrixFile read_compressed(const H5Compressed& arrays, Index rows, Index columns, Layout layout,
                           const ReadOptions& options);

// Names for a message, shortened when there are many.
std::string short_list(const std::vector<std::string>& names, const std::string& more = {});

}  // namespace svrmu::io
