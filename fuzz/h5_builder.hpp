// HDF5 files made of fuzz bytes: whole as HDF5, but with any types, sizes, attributes and index arrays where
// the readers expect theirs. Random bytes would hardly ever get past HDF5 itself.
#pragma once

#include <algorithm>
#include <string>
#include <vector>

#include "fuzz_bytes.hpp"
#include "io/h5_readers.hpp"

namespace svrmu::io {

class H5Builder : private FuzzBytes {
 public:
  explicit H5Builder(Bytes bytes) : FuzzBytes(bytes) {
    const H5Handle access(H5Pcreate(H5P_FILE_ACCESS), H5Pclose);
    H5Pset_fapl_core(access.id(), std::size_t{1} << 12, false);
    file_ = H5Handle(H5Fcreate("fuzz", H5F_ACC_TRUNC, H5P_DEFAULT, access.id()), H5Fclose);
  }

  // Builds a file and reads it.
  void run(const ReadOptions& options) {
    rows_ = below(8);
    columns_ = below(8);
    entries_ = rows_ > 0 && columns_ > 0 ? below(12) : 0;
    const unsigned kind = below(5);
    switch (kind) {
      case 0:
        put_dataset(file_.id(), "V");
        break;
      case 1:
        put_anndata();
        break;
      case 2:
        put_tenx();
        break;
      case 3:
        put_matlab();
        break;
      default:
        put_octave();
        break;
    }
    if (unusual()) put_dataset(file_.id(), pick(names));
    const std::string member = unusual() ? pick(names) : "";
    H5Fflush(file_.id(), H5F_SCOPE_LOCAL);
    const H5Object root = h5_root("fuzz", std::move(file_));
    if (kind == 1)
      read_h5ad(root, member, options);
    else if (kind == 3)
      read_mat73(root, member, options);
    else
      read_h5(root, member, options);
  }

 private:
  static inline const std::vector<std::string> names = {"V",   "X",     "layers/a", "raw/X",    "obs",
                                                        "var", "value", "matrix",   "X/indptr", "obs/_index"};

  // Faults are rare, so that most files get far.
  bool unusual() { return byte() >= 240; }

  // Mostly small, now and then enormous.
  hsize_t size() {
    const unsigned given = byte();
    return given < 240 ? given % 8 : hsize_t{1} << (4 * (given - 240) + 3);
  }

  H5Handle string_type() {
    H5Handle type(H5Tcopy(H5T_C_S1), H5Tclose);
    const unsigned length = below(10);
    H5Tset_size(type.id(), length == 0 ? H5T_VARIABLE : length);
    const H5T_str_t paddings[] = {H5T_STR_NULLTERM, H5T_STR_NULLPAD, H5T_STR_SPACEPAD};
    H5Tset_strpad(type.id(), paddings[below(3)]);
    return type;
  }

  H5Handle integer_type() {
    const hid_t types[] = {H5T_STD_I32LE, H5T_STD_I64LE, H5T_STD_I8LE,  H5T_STD_U8LE,  H5T_STD_I16LE,
                           H5T_STD_U16BE, H5T_STD_U32LE, H5T_STD_U64LE, H5T_STD_I64BE, H5T_STD_I32BE};
    return {H5Tcopy(types[below(10)]), H5Tclose};
  }

  H5Handle any_type() {
    switch (below(10)) {
      case 0:
        return integer_type();
      case 1:
        return {H5Tcopy(H5T_IEEE_F32BE), H5Tclose};
      case 2:
        return string_type();
      case 3: {
        H5Handle type(H5Tcopy(H5T_IEEE_F32LE), H5Tclose);  // half precision, or nearly
        H5Tset_fields(type.id(), 15, 10, below(2) ? 5 : 4, 0, 10);
        H5Tset_precision(type.id(), 16);
        H5Tset_size(type.id(), 2);
        H5Tset_ebias(type.id(), below(2) ? 15 : 7);
        return type;
      }
      case 4: {
        H5Handle type(H5Tenum_create(H5T_NATIVE_INT8), H5Tclose);
        std::int8_t value = 0;
        H5Tenum_insert(type.id(), "FALSE", &value);
        value = 1;
        H5Tenum_insert(type.id(), below(2) ? "TRUE" : "MAYBE", &value);
        return type;
      }
      case 5: {
        H5Handle type(H5Tcreate(H5T_COMPOUND, 24), H5Tclose);
        const H5Handle member = string_type();
        H5Tinsert(type.id(), below(2) ? "index" : "r", 0, below(2) ? member.id() : H5T_IEEE_F64LE);
        H5Tinsert(type.id(), "i", 16, H5T_IEEE_F64LE);
        return type;
      }
      case 6: {
        H5Handle type = integer_type();
        H5Tset_precision(type.id(), 5);
        H5Tset_offset(type.id(), below(3));
        return type;
      }
      case 7: {
        const hid_t types[] = {H5T_STD_REF_OBJ, H5T_STD_B8LE, H5T_STD_B16LE, H5T_UNIX_D32LE};
        return {H5Tcopy(types[below(4)]), H5Tclose};
      }
      case 8:
        return {H5Tvlen_create(H5T_IEEE_F64LE), H5Tclose};
      default:
        return {H5Tcopy(H5T_IEEE_F64LE), H5Tclose};
    }
  }

  // Writes raw bytes, or texts where the type is of variable length. Records with such texts stay empty.
  void write(hid_t dataset, hid_t type, std::uint64_t count) {
    constexpr std::uint64_t most = 4096;
    std::uint64_t total = 0;
    if (!multiply(count, H5Tget_size(type), total) || total > most) return;
    if (H5Tis_variable_str(type) > 0) {
      std::vector<std::string> texts(count);
      std::vector<const char*> pointers;
      for (std::string& content : texts) pointers.push_back((content = text()).c_str());
      H5Dwrite(dataset, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, pointers.data());
    } else if (H5Tdetect_class(type, H5T_VLEN) <= 0 && H5Tdetect_class(type, H5T_STRING) <= 0) {
      std::vector<std::uint8_t> content(total);
      for (auto& value : content) value = static_cast<std::uint8_t>(byte());
      H5Dwrite(dataset, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, content.data());
    } else if (H5Tget_class(type) == H5T_STRING) {
      std::string content(total, ' ');
      for (char& c : content) c = static_cast<char>(byte());
      H5Dwrite(dataset, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, content.data());
    }
  }

  H5Handle put(hid_t parent, const std::string& name, hid_t type, const std::vector<hsize_t>& sizes) {
    const auto rank = static_cast<int>(sizes.size());
    const H5Handle links(H5Pcreate(H5P_LINK_CREATE), H5Pclose);
    H5Pset_create_intermediate_group(links.id(), 1);
    const H5Handle properties(H5Pcreate(H5P_DATASET_CREATE), H5Pclose);
    const unsigned layout = below(6);
    if (layout < 3 && rank > 0) {
      std::vector<hsize_t> chunk(sizes.size());
      for (hsize_t& extent : chunk) extent = std::max<hsize_t>(1, layout == 2 ? size() : 1 + below(4));
      H5Pset_chunk(properties.id(), rank, chunk.data());
      if (layout > 0) H5Pset_deflate(properties.id(), 1);
      if (layout > 1) H5Pset_shuffle(properties.id());
    } else if (layout == 3) {
      H5Pset_layout(properties.id(), H5D_COMPACT);
    }
    const H5Handle space(rank == 0 ? H5Screate(below(2) ? H5S_SCALAR : H5S_NULL)
                                   : H5Screate_simple(rank, sizes.data(), nullptr),
                         H5Sclose);
    H5Handle dataset(
        H5Dcreate2(parent, name.c_str(), type, space.id(), links.id(), properties.id(), H5P_DEFAULT),
        H5Dclose);
    std::uint64_t count = 1;
    bool fits = true;
    for (const hsize_t extent : sizes) fits = fits && multiply(count, extent, count);
    if (dataset && fits && !unusual()) write(dataset.id(), type, count);
    return dataset;
  }

  H5Handle put_dataset(hid_t parent, const std::string& name) {
    const H5Handle type = any_type();
    static constexpr unsigned ranks[] = {2, 2, 2, 2, 1, 3, 0, 2};
    std::vector<hsize_t> sizes(ranks[below(8)]);
    for (hsize_t& extent : sizes) extent = size();
    return put(parent, name, type.id(), sizes);
  }

  // Integers that fit, with one that does not now and then.
  void put_integers(hid_t parent, const std::string& name, std::vector<std::int64_t> values) {
    if (unusual()) {
      put_dataset(parent, name);
      return;
    }
    if (unusual()) values.resize(below(12));
    if (unusual() && !values.empty())
      values[below(static_cast<unsigned>(values.size()))] = static_cast<std::int64_t>(size() - 4);
    const hsize_t count = values.size();
    const H5Handle type = integer_type();
    const H5Handle space(H5Screate_simple(1, &count, nullptr), H5Sclose);
    const H5Handle dataset(
        H5Dcreate2(parent, name.c_str(), type.id(), space.id(), H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT),
        H5Dclose);
    if (dataset) H5Dwrite(dataset.id(), H5T_NATIVE_INT64, H5S_ALL, H5S_ALL, H5P_DEFAULT, values.data());
  }

  void put_offsets(hid_t parent, const std::string& name, unsigned majors) {
    std::vector<std::int64_t> values(majors + 1);
    for (auto& value : values) value = below(entries_ + 1);
    std::sort(values.begin(), values.end());
    values.front() = 0;
    values.back() = entries_;
    put_integers(parent, name, values);
  }

  void put_indices(hid_t parent, const std::string& name, unsigned minors) {
    std::vector<std::int64_t> values(entries_);
    for (auto& value : values) value = below(std::max(1u, minors));
    put_integers(parent, name, values);
  }

  void put_numbers(hid_t parent, const std::string& name) {
    if (unusual()) {
      put_dataset(parent, name);
    } else {
      const H5Handle type = below(2) ? integer_type() : H5Handle(H5Tcopy(H5T_IEEE_F32LE), H5Tclose);
      put(parent, name, type.id(), {entries_});
    }
  }

  void put_names(hid_t parent, const std::string& name, unsigned count) {
    if (unusual()) {
      put_dataset(parent, name);
    } else {
      const H5Handle type = unusual() ? integer_type() : string_type();
      put(parent, name, type.id(), {unusual() ? size() : count});
    }
  }

  void put_text_attribute(hid_t object, const char* name, const std::vector<std::string>& choices) {
    const std::string content = unusual() ? text() : pick(choices);
    const H5Handle type = string_type();
    const bool variable = H5Tis_variable_str(type.id()) > 0;
    if (!variable) H5Tset_size(type.id(), std::max<std::size_t>(1, content.size()));
    const H5Handle space(H5Screate(unusual() ? H5S_NULL : H5S_SCALAR), H5Sclose);
    const H5Handle attribute(H5Acreate2(object, name, type.id(), space.id(), H5P_DEFAULT, H5P_DEFAULT),
                             H5Aclose);
    const char* pointer = content.c_str();
    if (attribute)
      H5Awrite(attribute.id(), type.id(), variable ? static_cast<const void*>(&pointer) : pointer);
  }

  void put_sizes_attribute(hid_t object, const char* name, std::vector<std::int64_t> values) {
    if (unusual()) values.resize(below(4));
    if (unusual() && !values.empty())
      values[below(static_cast<unsigned>(values.size()))] = static_cast<std::int64_t>(size() - 4);
    const hsize_t count = values.size();
    const H5Handle type = integer_type();
    const H5Handle space(H5Screate_simple(1, &count, nullptr), H5Sclose);
    const H5Handle attribute(H5Acreate2(object, name, type.id(), space.id(), H5P_DEFAULT, H5P_DEFAULT),
                             H5Aclose);
    if (attribute) H5Awrite(attribute.id(), H5T_NATIVE_INT64, values.data());
  }

  H5Handle group(hid_t parent, const char* name) {
    return {H5Gcreate2(parent, name, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT), H5Gclose};
  }

  // A table of records, whose first field is the text, or a group of columns.
  void put_table(const char* name, unsigned count) {
    if (unusual()) {
      put_dataset(file_.id(), name);
    } else if (below(3) == 0) {
      const H5Handle text = string_type();
      const H5Handle record(H5Tcreate(H5T_COMPOUND, H5Tget_size(text.id()) + 8), H5Tclose);
      H5Tinsert(record.id(), "index", 0, text.id());
      H5Tinsert(record.id(), "n", H5Tget_size(text.id()), H5T_IEEE_F64LE);
      put(file_.id(), name, record.id(), {count});
    } else if (const H5Handle table = group(file_.id(), name)) {
      const std::string index = below(2) ? "_index" : "index";
      put_text_attribute(table.id(), "_index", {index, "values"});
      put_names(table.id(), index, count);
    }
  }

  void put_anndata() {
    const bool by_rows = below(2);
    if (below(4) == 0) {
      const H5Handle type = unusual() ? any_type() : integer_type();
      put(file_.id(), "X", type.id(), {rows_, columns_});
    } else {
      const H5Handle X = group(file_.id(), "X");
      if (below(2)) {
        put_text_attribute(X.id(), "encoding-type", {by_rows ? "csr_matrix" : "csc_matrix"});
        put_sizes_attribute(X.id(), "shape", {rows_, columns_});
      } else {
        put_text_attribute(X.id(), "h5sparse_format", {by_rows ? "csr" : "csc"});
        put_sizes_attribute(X.id(), "h5sparse_shape", {rows_, columns_});
      }
      put_numbers(X.id(), "data");
      put_indices(X.id(), "indices", by_rows ? columns_ : rows_);
      put_offsets(X.id(), "indptr", by_rows ? rows_ : columns_);
    }
    put_table("obs", rows_);
    put_table("var", columns_);
  }

  void put_tenx() {
    const H5Handle matrix = group(file_.id(), "matrix");
    put_numbers(matrix.id(), "data");
    put_indices(matrix.id(), "indices", rows_);
    put_offsets(matrix.id(), "indptr", columns_);
    put_integers(matrix.id(), "shape", {rows_, columns_});
    put_names(matrix.id(), "barcodes", columns_);
    if (below(2)) {
      const H5Handle features = group(matrix.id(), "features");
      put_names(features.id(), "id", rows_);
      put_names(features.id(), "name", rows_);
    } else {
      put_names(matrix.id(), "genes", rows_);
      put_names(matrix.id(), "gene_names", rows_);
    }
  }

  void put_matlab() {
    for (const char* name : {"V", "X"}) {
      if (below(2)) {
        const H5Handle dataset = put_dataset(file_.id(), name);
        if (!dataset) continue;
        put_text_attribute(dataset.id(), "MATLAB_class", {"double", "single", "logical", "char", "cell"});
        if (unusual()) put_sizes_attribute(dataset.id(), "MATLAB_empty", {1});
      } else {
        const H5Handle sparse = group(file_.id(), name);
        put_text_attribute(sparse.id(), "MATLAB_class", {"double", "logical", "struct"});
        put_sizes_attribute(sparse.id(), "MATLAB_sparse", {rows_});
        put_offsets(sparse.id(), "jc", columns_);
        if (!unusual()) put_indices(sparse.id(), "ir", rows_);
        if (!unusual()) put_numbers(sparse.id(), "data");
      }
      if (below(2)) break;
    }
  }

  void put_octave() {
    const H5Handle variable = group(file_.id(), "V");
    put_sizes_attribute(variable.id(), "OCTAVE_NEW_FORMAT", {1});
    put_dataset(variable.id(), "value");
    H5Lcreate_soft(below(2) ? "/V/value" : "/X", file_.id(), "X", H5P_DEFAULT, H5P_DEFAULT);
    if (below(2)) H5Lcreate_external("/etc/passwd", "/V", file_.id(), "matrix", H5P_DEFAULT, H5P_DEFAULT);
    if (below(2)) H5Lcreate_hard(file_.id(), "/", variable.id(), "loop", H5P_DEFAULT, H5P_DEFAULT);
  }

  // What the arrays of a file agree on, as a rule.
  unsigned rows_ = 0;
  unsigned columns_ = 0;
  unsigned entries_ = 0;
  H5Handle file_;
};

}  // namespace svrmu::io
