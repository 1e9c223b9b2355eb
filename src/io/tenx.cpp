// Counts of 10x Genomics' Cell Ranger: features x cells. In HDF5 a group of a matrix compressed by columns:
// /matrix since version 3, one per genome before.
#include "io/tenx.hpp"

#include <string_view>
#include <unordered_set>

#include "io/h5_readers.hpp"

namespace svrmu::io {
namespace {

// Of the paths of version 3 and of older ones, the one that is there.
std::vector<std::string> names_at(const H5Object& group, const char* path, const char* old_path, Index rows) {
  std::optional<H5Object> object = find(group, path);
  if (!object) object = find(group, old_path);
  if (!object) return {};
  std::vector<std::string> names = read_texts(open_array(*object));
  check_names(object->name(), names, rows, "features");
  return names;
}

}  // namespace

std::vector<std::string> feature_names(std::vector<std::string> names, const std::vector<std::string>& ids) {
  if (names.empty()) return ids;
  if (ids.empty()) return names;
  std::unordered_set<std::string_view> seen, repeated;
  for (const std::string& name : names)
    if (!seen.insert(name).second) repeated.insert(name);
  std::vector<std::size_t> places;
  for (std::size_t i = 0; i < names.size(); ++i)
    if (repeated.count(names[i])) places.push_back(i);
  // The sets hold views of the names: change these after the sets are used.
  for (const std::size_t i : places) names[i] += " (" + ids[i] + ")";
  return names;
}

bool is_tenx(const H5Object& group) {
  for (const char* name : {"barcodes", "data", "indices", "indptr", "shape"})
    if (!has(group, name)) return false;
  return true;
}

MatrixFile read_tenx(const H5Object& group, const ReadOptions& options) {
  const H5Array shape_array = open_array(need(group, "shape"));
  const std::vector<Index> shape = read_indices(shape_array);
  if (shape.size() != 2) fail(shape_array.name, "must hold two sizes");
  const H5Compressed arrays{group.name(), open_array(need(group, "data")), open_array(need(group, "indices")),
                            open_array(need(group, "indptr"))};
  MatrixFile file = read_compressed(arrays, shape[0], shape[1], Layout::columns_contiguous, options);
  file.format = "10x";
  set_natural(file, SamplesIn::columns, options);
  const H5Object barcodes = need(group, "barcodes");
  file.column_names = read_texts(open_array(barcodes));
  check_names(barcodes.name(), file.column_names, file.columns, "cells");
  file.row_names = feature_names(names_at(group, "features/name", "gene_names", file.rows),
                                 names_at(group, "features/id", "genes", file.rows));
  return file;
}

}  // namespace svrmu::io
