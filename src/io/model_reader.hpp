// The parts of a model file, taken from HDF5. The file is not trusted: all memory that a size in it asks
// for is counted.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "io/hdf5.hpp"
#include "io/model_texts.hpp"

namespace svrmu::io {

struct ModelGroup {
  H5Handle handle;
  std::string path;  // "" for the root
};

struct ModelDataset {
  H5Handle handle;
  std::string part;  // for messages: "dataset /W"
  std::vector<hsize_t> size;
};

class ModelReader {
 public:
  // `name` is for messages, `bytes` the size of the file.
  ModelReader(const std::string& name, std::uint64_t bytes);

  const std::string& name() const { return name_; }

  // Throws InvalidData.
  [[noreturn]] void fail(const std::string& part, const std::string& what) const;

  ModelGroup root(hid_t file) const;
  ModelGroup group(const ModelGroup& parent, const std::string& name) const;
  static bool has(const ModelGroup& parent, const std::string& name);
  bool has_group(const ModelGroup& parent, const std::string& name) const;

  // The texts among the attributes.
  Texts texts(const ModelGroup& group);
  // Of a group that may not be there.
  Texts texts(const ModelGroup& parent, const std::string& name);

  ModelDataset dataset(const ModelGroup& parent, const std::string& name, std::size_t dimensions) const;
  template <class Number>
  static bool holds(const ModelDataset& dataset);

  template <class Number>
  std::vector<Number> list(const ModelGroup& parent, const std::string& name);
  template <class Scalar>
  void matrix(const ModelGroup& parent, const std::string& name, RowMatrix<Scalar>& M);
  template <class Scalar>
  void matrix(const ModelGroup& parent, const std::string& name, Matrix<Scalar>& M);
  // Empty if there are none.
  std::vector<std::string> names(const ModelGroup& parent, const std::string& name);

  // Counts memory before it is asked for.
  void take(const std::string& part, std::uint64_t count, std::uint64_t size);

 private:
  H5Handle open(const ModelGroup& parent, const std::string& name) const;
  void read_text(const ModelGroup& group, const std::string& name, Texts& texts);
  std::vector<std::string> fixed_texts(const ModelDataset& from, hid_t type);
  std::vector<std::string> variable_texts(const ModelDataset& from, hid_t type);
  template <class Number>
  void check_type(const ModelDataset& dataset) const;
  void take(const ModelDataset& dataset, std::uint64_t size);
  template <class Scalar>
  ModelDataset matrix_dataset(const ModelGroup& parent, const std::string& name);
  template <class Number>
  void read(const ModelDataset& from, hid_t memory, hid_t space, Number* to) const;

  const std::string& name_;
  std::uint64_t left_;
};

}  // namespace svrmu::io
