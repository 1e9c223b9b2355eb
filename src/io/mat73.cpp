// MATLAB's MAT-files of version 7.3: HDF5 behind a header of 512 bytes. A variable is a dataset with reversed
// dimensions, or a group if it is sparse; attributes say of which class.
#include <algorithm>
#include <iterator>

#include "io/h5_readers.hpp"
#include "text/text.hpp"

namespace svrmu::io {
namespace {

constexpr const char* numeric_classes[] = {"double", "single", "int8",  "uint8",  "int16",  "uint16",
                                           "int32",  "uint32", "int64", "uint64", "logical"};

struct Variable {
  std::string name;
  std::string kind;  // MATLAB's class; empty: not written by MATLAB
  bool sparse = false;
  std::vector<Index> sizes;

  bool is_numeric() const {
    return std::find(std::begin(numeric_classes), std::end(numeric_classes), kind) !=
           std::end(numeric_classes);
  }
};

Index sparse_rows(const H5Object& group) {
  const std::vector<Index> rows = integer_attribute(group, "MATLAB_sparse");
  if (rows.size() != 1) fail(group.name(), "its attribute MATLAB_sparse must be the number of rows");
  return rows[0];
}

Variable describe_variable(const H5Object& object, const std::string& name) {
  Variable variable{name, text_attribute(object, "MATLAB_class").value_or(""), false, {}};
  variable.sparse = object.is_group() && has_attribute(object, "MATLAB_sparse");
  if (variable.sparse) {
    const H5Array offsets = open_array(need(object, "jc"));
    if (offsets.sizes.size() != 1 || offsets.sizes[0] == 0)
      fail(offsets.name, "must be a list of at least one offset");
    variable.sizes = {sparse_rows(object), static_cast<Index>(offsets.sizes[0]) - 1};
  } else if (object.is_dataset()) {
    const H5Array array = open_array(object);
    // An empty matrix is stored as its sizes.
    if (has_attribute(object, "MATLAB_empty"))
      variable.sizes = {0, 0};
    else
      for (auto size = array.sizes.rbegin(); size != array.sizes.rend(); ++size)
        variable.sizes.push_back(static_cast<Index>(*size));
  }
  return variable;
}

std::vector<Variable> find_variables(const H5Object& root) {
  constexpr std::size_t most = 10000;
  std::vector<Variable> variables;
  for (const std::string& name : children(root, most)) {
    if (name.starts_with('#')) continue;  // MATLAB's own
    if (const auto object = find(root, name)) variables.push_back(describe_variable(*object, name));
  }
  return variables;
}

std::string describe(const Variable& variable) {
  std::string text;
  for (const Index size : variable.sizes) text += (text.empty() ? "" : " x ") + std::to_string(size);
  return variable.name + " (" + text + (text.empty() ? "" : " ") + (variable.sparse ? "sparse " : "") +
         (variable.kind.empty() ? "group" : printable(variable.kind)) + ")";
}

std::string describe_all(const std::vector<Variable>& variables) {
  std::vector<std::string> texts;
  texts.reserve(variables.size());
  for (const Variable& variable : variables) texts.push_back(describe(variable));
  return short_list(texts);
}

// The only matrix, else the only one that is more than a vector.
std::string choose(const H5Object& root, const std::vector<Variable>& variables) {
  std::vector<const Variable*> numeric, proper;
  for (const Variable& v : variables) {
    if (!v.is_numeric() || v.sizes.size() != 2) continue;
    numeric.push_back(&v);
    if (v.sizes[0] > 1 && v.sizes[1] > 1) proper.push_back(&v);
  }
  if (proper.size() == 1) return proper[0]->name;
  if (numeric.size() == 1) return numeric[0]->name;
  if (numeric.empty()) fail(root.name(), "holds no numeric matrix; there are " + describe_all(variables));
  fail(root.name(),
       "holds several matrices; choose one as " + root.file + ":NAME, there are " + describe_all(variables));
}

MatrixFile read_sparse(const H5Object& group, const Variable& variable, const ReadOptions& options) {
  H5Compressed arrays{group.name(), {}, {}, open_array(need(group, "jc"))};
  if (has(group, "data") || has(group, "ir")) {
    arrays.values = open_array(need(group, "data"));
    arrays.indices = open_array(need(group, "ir"));
  }
  return read_compressed(arrays, variable.sizes[0], variable.sizes[1], Layout::columns_contiguous, options);
}

}  // namespace

MatrixFile read_mat73(const H5Object& root, const std::string& name, const ReadOptions& options) {
  const std::vector<Variable> variables = find_variables(root);
  const bool is_matlab =
      std::any_of(variables.begin(), variables.end(), [](const Variable& v) { return !v.kind.empty(); });
  // Octave's -hdf5 and others put plain HDF5 into files of this ending.
  if (!is_matlab) return read_h5(root, name, options);
  const std::string path = name.empty() ? choose(root, variables) : name;
  const std::optional<H5Object> object = find(root, path);
  if (!object)
    fail(root.name(), "has no variable " + in_quotes(path) + "; there are " + describe_all(variables));
  const Variable variable = describe_variable(*object, path);
  if (!variable.is_numeric())
    fail(object->name(),
         "is a " + (variable.kind.empty() ? "group" : in_quotes(variable.kind)) + ", not a numeric matrix");
  if (has_attribute(*object, "MATLAB_empty")) fail(object->name(), "is an empty matrix");
  MatrixFile file = variable.sparse ? read_sparse(*object, variable, options)
                                    : read_dense(open_array(*object), true, options);
  file.format = "mat7.3";
  file.elements = variable.kind;
  return file;
}

}  // namespace svrmu::io
