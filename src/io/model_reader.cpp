#include "io/model_reader.hpp"

#include <algorithm>
#include <array>
#include <memory>
#include <new>
#include <utility>

#include "io/h5_text_store.hpp"
#include "io/h5_types.hpp"
#include "io/input.hpp"
#include "io/model_file.hpp"

namespace svrmu::io {
namespace {

constexpr std::size_t most_attributes = 1000;

std::string unreadable() { return "it cannot be read; HDF5 says: " + h5_reason(); }

// The type in memory of texts; nothing for all other types.
H5Handle text_type(const H5Handle& stored) {
  if (!stored || H5Tget_class(stored.id()) != H5T_STRING) return {};
  return {H5Tcopy(stored.id()), H5Tclose};
}

std::string unescaped(const std::string& text) {
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const bool pair = text[i] == '\\' && i + 1 < text.size();
    const char c = pair ? text[++i] : text[i];
    out += pair && c == '0' ? '\0' : c;
  }
  return out;
}

}  // namespace

ModelReader::ModelReader(const std::string& name, std::uint64_t bytes)
    : name_(name), left_(affordable(bytes)) {}

void ModelReader::fail(const std::string& part, const std::string& what) const {
  throw InvalidData(name_ + ", " + part + ": " + what);
}

ModelGroup ModelReader::root(hid_t file) const {
  ModelGroup group{{H5Gopen2(file, "/", H5P_DEFAULT), H5Gclose}, ""};
  if (!group.handle) fail("group /", unreadable());
  return group;
}

bool ModelReader::has(const ModelGroup& parent, const std::string& name) {
  return H5Lexists(parent.handle.id(), name.c_str(), H5P_DEFAULT) > 0;
}

bool ModelReader::has_group(const ModelGroup& parent, const std::string& name) const {
  return has(parent, name) && H5Iget_type(open(parent, name).id()) == H5I_GROUP;
}

ModelGroup ModelReader::group(const ModelGroup& parent, const std::string& name) const {
  ModelGroup group{open(parent, name), parent.path + "/" + name};
  if (H5Iget_type(group.handle.id()) != H5I_GROUP) fail("group " + group.path, "it is not a group");
  return group;
}

Texts ModelReader::texts(const ModelGroup& group) {
  struct Names {
    std::vector<std::string> all;
    bool lacks_memory = false;
  } names;
  const auto keep = [](hid_t, const char* name, const H5A_info_t*, void* to) -> herr_t {
    auto& list = *static_cast<Names*>(to);
    if (list.all.size() == most_attributes) return -1;
    try {  // no exception may pass through HDF5
      list.all.emplace_back(name);
    } catch (const std::bad_alloc&) {
      list.lacks_memory = true;
      return -1;
    }
    return 0;
  };
  const bool listed =
      H5Aiterate2(group.handle.id(), H5_INDEX_NAME, H5_ITER_NATIVE, nullptr, keep, &names) >= 0;
  if (names.lacks_memory) throw std::bad_alloc();
  if (!listed)
    fail("group " + group.path + "/",
         "its attributes cannot be read, or are more than " + std::to_string(most_attributes));
  Texts texts;
  for (const std::string& name : names.all) read_text(group, name, texts);
  return texts;
}

Texts ModelReader::texts(const ModelGroup& parent, const std::string& name) {
  return has(parent, name) ? texts(group(parent, name)) : Texts{};
}

template <class Number>
bool ModelReader::holds(const ModelDataset& dataset) {
  const H5Handle type(H5Dget_type(dataset.handle.id()), H5Tclose);
  return type && H5Tequal(type.id(), H5Number<Number>::stored()) > 0;
}

ModelDataset ModelReader::dataset(const ModelGroup& parent, const std::string& name,
                                  std::size_t dimensions) const {
  ModelDataset dataset{open(parent, name), "dataset " + parent.path + "/" + name, {}};
  if (H5Iget_type(dataset.handle.id()) != H5I_DATASET) fail(dataset.part, "it is not a dataset");
  // Contiguous numbers need no filter, which could make much of little, and come from no other file.
  const H5Handle creation(H5Dget_create_plist(dataset.handle.id()), H5Pclose);
  const auto layout = creation ? H5Pget_layout(creation.id()) : H5D_LAYOUT_ERROR;
  if ((layout != H5D_CONTIGUOUS && layout != H5D_COMPACT) || H5Pget_external_count(creation.id()) != 0)
    fail(dataset.part, "it is not contiguous, or lies in another file");
  const H5Handle space(H5Dget_space(dataset.handle.id()), H5Sclose);
  std::array<hsize_t, H5S_MAX_RANK> size{};
  const int found = space && H5Sget_simple_extent_type(space.id()) == H5S_SIMPLE
                        ? H5Sget_simple_extent_dims(space.id(), size.data(), nullptr)
                        : -1;
  if (found != static_cast<int>(dimensions))
    fail(dataset.part, "it must have " + std::to_string(dimensions) + " dimensions");
  dataset.size.assign(size.begin(), size.begin() + found);
  return dataset;
}

template <class Number>
std::vector<Number> ModelReader::list(const ModelGroup& parent, const std::string& name) {
  const ModelDataset from = dataset(parent, name, 1);
  check_type<Number>(from);
  take(from, sizeof(Number));
  std::vector<Number> values(from.size[0]);
  read<Number>(from, H5S_ALL, H5S_ALL, values.data());
  return values;
}

template <class Scalar>
void ModelReader::matrix(const ModelGroup& parent, const std::string& name, RowMatrix<Scalar>& M) {
  const ModelDataset from = matrix_dataset<Scalar>(parent, name);
  M.resize(static_cast<Index>(from.size[0]), static_cast<Index>(from.size[1]));
  read<Scalar>(from, H5S_ALL, H5S_ALL, M.data());
}

template <class Scalar>
void ModelReader::matrix(const ModelGroup& parent, const std::string& name, Matrix<Scalar>& M) {
  const ModelDataset from = matrix_dataset<Scalar>(parent, name);
  M.resize(static_cast<Index>(from.size[0]), static_cast<Index>(from.size[1]));
  const H5Handle space(H5Dget_space(from.handle.id()), H5Sclose);
  const Tile tile = tile_of(M.rows());
  RowMatrix<Scalar> part;
  for (Index row = 0; row < M.rows(); row += tile.rows)
    for (Index column = 0; column < M.cols(); column += tile.columns) {
      part.resize(std::min(tile.rows, M.rows() - row), std::min(tile.columns, M.cols() - column));
      const hsize_t begin[] = {static_cast<hsize_t>(row), static_cast<hsize_t>(column)};
      const hsize_t size[] = {static_cast<hsize_t>(part.rows()), static_cast<hsize_t>(part.cols())};
      const H5Handle memory(H5Screate_simple(2, size, nullptr), H5Sclose);
      if (H5Sselect_hyperslab(space.id(), H5S_SELECT_SET, begin, nullptr, size, nullptr) < 0)
        fail(from.part, unreadable());
      read<Scalar>(from, memory.id(), space.id(), part.data());
      M.block(row, column, part.rows(), part.cols()) = part;
    }
}

std::vector<std::string> ModelReader::names(const ModelGroup& parent, const std::string& name) {
  if (!has(parent, name)) return {};
  const ModelDataset from = dataset(parent, name, 1);
  const H5Handle stored(H5Dget_type(from.handle.id()), H5Tclose);
  const H5Handle type = text_type(stored);
  if (!type) fail(from.part, "it must hold texts");
  const bool escaped = H5Aexists(from.handle.id(), escaped_mark) > 0;
  std::vector<std::string> names =
      H5Tis_variable_str(type.id()) > 0 ? variable_texts(from, type.id()) : fixed_texts(from, type.id());
  for (std::string& text : names)
    if (escaped) text = unescaped(text);
  return names;
}

std::vector<std::string> ModelReader::fixed_texts(const ModelDataset& from, hid_t type) {
  const std::size_t size = H5Tget_size(type);
  take(from, size);
  take(from, sizeof(std::string));
  std::vector<char> all(from.size[0] * size);
  if (!all.empty() && H5Dread(from.handle.id(), type, H5S_ALL, H5S_ALL, H5P_DEFAULT, all.data()) < 0)
    fail(from.part, unreadable());
  std::vector<std::string> texts;
  texts.reserve(from.size[0]);
  for (std::size_t i = 0; i < from.size[0]; ++i) {
    texts.push_back(fixed_text(all.data() + i * size, size, H5Tget_strpad(type)));
    take(from.part, texts.back().size(), 1);
  }
  return texts;
}

// As models had them before texts were of fixed length.
std::vector<std::string> ModelReader::variable_texts(const ModelDataset& from, hid_t type) {
  take(from, sizeof(char*) + sizeof(std::string) + sizeof(std::unique_ptr<char[]>));
  H5TextStore store(left_ / 2);  // each text is copied once
  std::vector<char*> all(from.size[0], nullptr);
  if (H5Dread(from.handle.id(), type, H5S_ALL, H5S_ALL, store.transfer(), all.data()) < 0)
    fail(from.part, unreadable());
  std::vector<std::string> texts;
  texts.reserve(all.size());
  for (const char* text : all) {
    texts.emplace_back(text ? text : "");
    left_ -= std::min<std::uint64_t>(left_, 2 * texts.back().size());
  }
  return texts;
}

void ModelReader::take(const std::string& part, std::uint64_t count, std::uint64_t size) {
  std::uint64_t bytes = 0;
  if (!multiply(count, size, bytes) || bytes > left_)
    fail(part, "it would need " + std::to_string(count) + " x " + std::to_string(size) +
                   " bytes, far more than the file can mean; it is damaged, or its sizes are wrong");
  left_ -= bytes;
}

// Only what is in this file: no links to elsewhere.
H5Handle ModelReader::open(const ModelGroup& parent, const std::string& name) const {
  const std::string part = "part " + parent.path + "/" + name;
  if (!has(parent, name)) fail(part, "it is missing");
  H5L_info_t info;
  if (H5Lget_info(parent.handle.id(), name.c_str(), &info, H5P_DEFAULT) < 0 || info.type != H5L_TYPE_HARD)
    fail(part, "it is a link to somewhere else");
  H5Handle object(H5Oopen(parent.handle.id(), name.c_str(), H5P_DEFAULT), H5Oclose);
  if (!object) fail(part, unreadable());
  return object;
}

void ModelReader::read_text(const ModelGroup& group, const std::string& name, Texts& texts) {
  const std::string part = "attribute " + group.path + "/" + in_quotes(name);
  const H5Handle attribute(H5Aopen(group.handle.id(), name.c_str(), H5P_DEFAULT), H5Aclose);
  if (!attribute) fail(part, unreadable());
  const H5Handle stored(H5Aget_type(attribute.id()), H5Tclose);
  const H5Handle space(H5Aget_space(attribute.id()), H5Sclose);
  const H5Handle type = text_type(stored);
  if (!type || !space || H5Sget_simple_extent_type(space.id()) != H5S_SCALAR) return;
  if (H5Tis_variable_str(type.id()) <= 0) {
    const std::size_t size = H5Tget_size(type.id());
    take(part, size, 2);
    std::vector<char> bytes(size);
    if (H5Aread(attribute.id(), type.id(), bytes.data()) < 0) fail(part, unreadable());
    texts.emplace(name, fixed_text(bytes.data(), size, H5Tget_strpad(type.id())));
    return;
  }
  char* text = nullptr;
  if (H5Aread(attribute.id(), type.id(), &text) < 0) fail(part, unreadable());
  const std::unique_ptr<char, decltype(&H5free_memory)> owned(text, H5free_memory);
  const std::string_view seen(text ? text : "");
  take(part, seen.size(), 1);
  texts.emplace(name, seen);
}

template <class Number>
void ModelReader::check_type(const ModelDataset& dataset) const {
  if (!holds<Number>(dataset))
    fail(dataset.part, "its numbers must be " + std::string(H5Number<Number>::name));
}

void ModelReader::take(const ModelDataset& dataset, std::uint64_t size) {
  std::uint64_t count = 1;
  for (const hsize_t side : dataset.size)
    if (!multiply(count, side, count)) fail(dataset.part, "its sizes are too large");
  take(dataset.part, count, size);
}

template <class Scalar>
ModelDataset ModelReader::matrix_dataset(const ModelGroup& parent, const std::string& name) {
  ModelDataset from = dataset(parent, name, 2);
  check_type<Scalar>(from);
  // A matrix without numbers could still claim any number of rows.
  if (from.size[0] == 0 || from.size[1] == 0) from.size = {0, 0};
  take(from, sizeof(Scalar));
  return from;
}

template <class Number>
void ModelReader::read(const ModelDataset& from, hid_t memory, hid_t space, Number* to) const {
  if (std::find(from.size.begin(), from.size.end(), hsize_t{0}) != from.size.end()) return;
  if (H5Dread(from.handle.id(), H5Number<Number>::native(), memory, space, H5P_DEFAULT, to) < 0)
    fail(from.part, unreadable());
}

#define SVRMU_INSTANTIATE(S)                                                               \
  template bool ModelReader::holds<S>(const ModelDataset&);                                \
  template std::vector<S> ModelReader::list<S>(const ModelGroup&, const std::string&);     \
  template void ModelReader::matrix(const ModelGroup&, const std::string&, RowMatrix<S>&); \
  template void ModelReader::matrix(const ModelGroup&, const std::string&, Matrix<S>&);
SVRMU_INSTANTIATE(float)
SVRMU_INSTANTIATE(double)
#undef SVRMU_INSTANTIATE
template std::vector<Index> ModelReader::list<Index>(const ModelGroup&, const std::string&);
template std::vector<std::uint8_t> ModelReader::list<std::uint8_t>(const ModelGroup&, const std::string&);

}  // namespace svrmu::io
