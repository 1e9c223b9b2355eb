#include "io/h5_array.hpp"

#include <cstring>
#include <limits>
#include <span>

#include "io/h5_blocks.hpp"
#include "io/h5_text_store.hpp"
#include "io/h5_types.hpp"

namespace svrmu::io {
namespace {

std::vector<std::string> integers_as_texts(const H5Array& array) {
  std::vector<std::string> texts;
  for_each_block(array, {array.type.id(), size_of(array.element->element), sizeof(std::string)},
                 [&](const H5Block& block) {
                   std::vector<Index> numbers(block.rows);
                   if (!convert_indices(*array.element, block.data, block.rows, numbers.data()))
                     fail(array.name, "must hold texts, not " + array.contents);
                   std::string* to = make_room(array, block, texts);
                   for (const Index number : numbers) *to++ = std::to_string(number);
                 });
  return texts;
}

// The type of the texts: of the dataset, or of a field of its records.
H5Handle text_type(const H5Array& array, const std::string& field) {
  H5Handle type;
  if (field.empty()) {
    type = H5Handle(H5Tcopy(array.type.id()), H5Tclose);
  } else {
    const int member = H5Tget_class(array.type.id()) == H5T_COMPOUND
                           ? H5Tget_member_index(array.type.id(), field.c_str())
                           : -1;
    if (member < 0) fail(array.name, "must be a table with a field " + in_quotes(field));
    type = H5Handle(H5Tget_member_type(array.type.id(), static_cast<unsigned>(member)), H5Tclose);
  }
  if (H5Tget_class(type.id()) != H5T_STRING) fail(array.name, "must hold texts, not " + array.contents);
  return type;
}

}  // namespace

std::string H5Array::describe() const {
  std::string text;
  for (const std::uint64_t size : sizes) text += (text.empty() ? "" : " x ") + std::to_string(size);
  return text + (text.empty() ? "" : " ") + contents;
}

H5Array open_array(const H5Object& object) {
  H5Array array{object.name(), object.file_size, object.pages, {}, {}, {}, {}, {}, {}};
  if (!object.is_dataset()) fail(array.name, "must be a dataset");
  // One more owner of the same identifier.
  H5Iinc_ref(object.id());
  array.dataset = H5Handle(object.id(), H5Oclose);
  array.properties = H5Handle(H5Dget_create_plist(object.id()), H5Pclose);
  array.type = H5Handle(H5Dget_type(object.id()), H5Tclose);
  if (!array.properties || !array.type) fail(array.name, "cannot be opened: " + h5_failure());
  if (H5Pget_layout(array.properties.id()) == H5D_VIRTUAL ||
      H5Pget_external_count(array.properties.id()) > 0) {
    array.contents = "numbers in another file";
    return array;
  }
  const H5Handle space(H5Dget_space(object.id()), H5Sclose);
  const int rank = H5Sget_simple_extent_ndims(space.id());
  if (rank < 0) fail(array.name, "its sizes cannot be read: " + h5_failure());
  hsize_t sizes[H5S_MAX_RANK] = {};
  if (H5Sget_simple_extent_dims(space.id(), sizes, nullptr) < 0)
    fail(array.name, "its sizes cannot be read: " + h5_failure());
  for (const hsize_t size : std::span(sizes, static_cast<std::size_t>(rank))) {
    if (size > static_cast<std::uint64_t>(std::numeric_limits<Index>::max()))
      fail(array.name, "a size of " + std::to_string(size));
    array.sizes.push_back(size);
  }
  if (H5Sget_simple_extent_type(space.id()) == H5S_NULL) {
    array.contents = "nothing";
    return array;
  }
  array.element = element_of(array.type.id());
  array.contents = array.element ? name_of(*array.element) : contents_of(array.type.id());
  return array;
}

void check_one_dimension(const H5Array& array) {
  if (array.sizes.size() != 1)
    fail(array.name, "must have one dimension, but has " + std::to_string(array.sizes.size()));
}

template <class Scalar>
std::vector<Scalar> read_numbers(const H5Array& array) {
  check_one_dimension(array);
  if (!array.element) fail(array.name, "must hold numbers, not " + array.contents);
  std::vector<Scalar> numbers;
  for_each_block(array, {array.type.id(), size_of(array.element->element), sizeof(Scalar)},
                 [&](const H5Block& block) {
                   convert(*array.element, block.data, block.rows, make_room(array, block, numbers));
                 });
  return numbers;
}

std::vector<Index> read_indices(const H5Array& array) {
  check_one_dimension(array);
  if (!array.element) fail(array.name, "must hold integers, not " + array.contents);
  std::vector<Index> numbers;
  for_each_block(
      array, {array.type.id(), size_of(array.element->element), sizeof(Index)}, [&](const H5Block& block) {
        if (!convert_indices(*array.element, block.data, block.rows, make_room(array, block, numbers)))
          fail(array.name, "must hold integers, not " + array.contents);
      });
  return numbers;
}

std::vector<std::string> read_texts(const H5Array& array, const std::string& field) {
  check_one_dimension(array);
  if (field.empty() && array.element) return integers_as_texts(array);
  const H5Handle text = text_type(array, field);
  const bool variable = H5Tis_variable_str(text.id()) > 0;
  const std::size_t size = H5Tget_size(text.id());
  const H5T_str_t padding = H5Tget_strpad(text.id());
  H5Handle record;
  if (!field.empty()) {
    record = H5Handle(H5Tcreate(H5T_COMPOUND, size), H5Tclose);
    if (H5Tinsert(record.id(), field.c_str(), 0, text.id()) < 0) fail(array.name, h5_failure());
  }
  H5TextStore store(affordable(array.file_size));
  std::vector<std::string> texts;
  const auto use = [&](const H5Block& block) {
    std::string* to = make_room(array, block, texts);
    for (std::uint64_t i = 0; i < block.rows; ++i) {
      const auto* from = reinterpret_cast<const char*>(block.data + i * size);
      if (variable) {
        const char* pointer = nullptr;
        std::memcpy(&pointer, from, sizeof(pointer));
        if (pointer) to[i] = pointer;
      } else {
        to[i] = fixed_text(from, size, padding);
      }
    }
    store.clear();
  };
  try {
    for_each_block(
        array, {field.empty() ? text.id() : record.id(), size, sizeof(std::string), store.transfer()}, use);
  } catch (const InvalidInput&) {
    if (store.is_full()) fail(array.name, "its texts are far longer than its file; the file is damaged");
    throw;
  }
  return texts;
}

template std::vector<float> read_numbers<float>(const H5Array&);
template std::vector<double> read_numbers<double>(const H5Array&);

}  // namespace svrmu::io
