// AnnData's .h5ad: X and layers are dense datasets or groups of a sparse matrix; obs and var name its rows
// and columns. Versions before 0.7 mark them in another way.
#include "io/h5_readers.hpp"

namespace svrmu::io {
namespace {

Shape shape_of(const H5Object& group) {
  for (const char* name : {"shape", "h5sparse_shape"}) {
    const std::vector<Index> sizes = integer_attribute(group, name);
    if (sizes.size() == 2) return {sizes[0], sizes[1]};
  }
  fail(group.name(), "a sparse matrix must have an attribute 'shape' of two sizes");
}

// The names in obs or var: a group whose attribute says which dataset has them, or a table.
std::vector<std::string> names_in(const H5Object& table) {
  if (table.is_dataset()) return read_texts(open_array(table), "index");
  const std::string index = text_attribute(table, "_index").value_or("_index");
  std::optional<H5Object> names = find(table, index);
  if (names && names->is_group()) names = find(*names, "values");  // with a mask of missing ones
  return names ? read_texts(open_array(*names)) : std::vector<std::string>{};
}

std::vector<std::string> names_of(const H5Object& root, const std::string& path, Index count,
                                  const std::string& of) {
  const std::optional<H5Object> table = find(root, path);
  if (!table) return {};
  std::vector<std::string> names = names_in(*table);
  if (!names.empty()) check_names(table->name(), names, count, of);
  return names;
}

std::string list_matrices(const H5Object& root) {
  constexpr std::size_t most = 1000;
  std::vector<std::string> names;
  for (const std::string name : {"X", "raw/X"})
    if (find(root, name)) names.push_back(name);
  if (const auto layers = find(root, "layers"); layers && layers->is_group())
    for (const std::string& name : children(*layers, most)) names.push_back("layers/" + name);
  return short_list(names);
}

// Before 0.7 the parts of raw were beside it.
H5Object open_member(const H5Object& root, const std::string& path) {
  std::optional<H5Object> object = find(root, path);
  if (!object && path == "raw/X") object = find(root, "raw.X");
  if (!object) fail(root.name(), "has no " + in_quotes(path) + "; there is " + list_matrices(root));
  return std::move(*object);
}

}  // namespace

std::string sparse_format(const H5Object& group) {
  const std::string encoding = text_attribute(group, "encoding-type").value_or("");
  if (encoding == "csr_matrix" || encoding == "csc_matrix") return encoding.substr(0, 3);
  const std::string old = text_attribute(group, "h5sparse_format").value_or("");
  return old == "csr" || old == "csc" ? old : "";
}

MatrixFile read_anndata_matrix(const H5Object& object, const ReadOptions& options) {
  if (object.is_dataset()) return read_dense(open_array(object), false, options);
  const std::string format = object.is_group() ? sparse_format(object) : "";
  if (format.empty()) {
    const auto encoding = text_attribute(object, "encoding-type");
    fail(object.name(),
         "is a group" + (encoding ? " of encoding " + in_quotes(*encoding) : "") + ", not a matrix");
  }
  const Shape shape = shape_of(object);
  const H5Compressed arrays{object.name(), open_array(need(object, "data")),
                            open_array(need(object, "indices")), open_array(need(object, "indptr"))};
  return read_compressed(arrays, shape.rows, shape.columns,
                         format == "csr" ? Layout::rows_contiguous : Layout::columns_contiguous, options);
}

MatrixFile read_h5ad(const H5Object& root, const std::string& member, const ReadOptions& options) {
  const std::size_t begin = member.find_first_not_of('/');
  const std::string path = begin == member.npos ? "X" : member.substr(begin);
  const H5Object object = open_member(root, path);
  MatrixFile file = read_anndata_matrix(object, options);
  file.format = "h5ad";
  const bool is_raw = path.starts_with("raw");
  const bool is_counts = path == "X" || path.starts_with("layers/") || is_raw;
  if (is_counts || path.starts_with("obsm/")) {
    set_natural(file, SamplesIn::rows, options);
    file.row_names = names_of(root, "obs", file.rows, "rows");
  }
  if (is_counts) {
    const std::string columns = !is_raw ? "var" : object.path == "/raw.X" ? "raw.var" : "raw/var";
    file.column_names = names_of(root, columns, file.columns, "columns");
  }
  return file;
}

}  // namespace svrmu::io
