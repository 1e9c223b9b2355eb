// MATLAB's level 5 MAT-files (also written by Octave and scipy): a header of 128 bytes, then elements of a
// type, a size and content; a matrix is an element made of elements; an element may be compressed.
#include <algorithm>
#include <optional>
#include <utility>

#include "io/compress.hpp"
#include "io/inflate.hpp"
#include "io/parsers.hpp"
#include "text/text.hpp"

namespace svrmu::io {
namespace {

constexpr std::size_t file_header = 128;
constexpr std::uint32_t matrix_type = 14;
constexpr std::uint32_t compressed_type = 15;
constexpr std::uint32_t sparse_class = 5;
// Flags, sizes and name of a matrix come first, and are short.
constexpr std::uint64_t longest_head = 4096;

std::optional<Element> element_of(std::uint32_t type) {
  switch (type) {
    case 1:
      return Element::int8;
    case 2:
      return Element::uint8;
    case 3:
      return Element::int16;
    case 4:
      return Element::uint16;
    case 5:
      return Element::int32;
    case 6:
      return Element::uint32;
    case 7:
      return Element::float32;
    case 9:
      return Element::float64;
    case 12:
      return Element::int64;
    case 13:
      return Element::uint64;
    default:
      return std::nullopt;
  }
}

const char* class_name(std::uint32_t kind) {
  static constexpr const char* names[] = {"unknown", "cell",   "struct", "object", "char",  "sparse",
                                          "double",  "single", "int8",   "uint8",  "int16", "uint16",
                                          "int32",   "uint32", "int64",  "uint64"};
  return kind < std::size(names) ? names[kind] : "unknown";
}

bool is_numeric(std::uint32_t kind) { return kind >= sparse_class && kind <= 15; }

struct Tag {
  std::uint32_t type = 0;
  std::uint64_t begin = 0;  // of the content
  std::uint64_t size = 0;
  std::uint64_t next = 0;  // where the following element begins
};

// Elements one after the other, within the bytes at hand.
class ElementReader {
 public:
  ElementReader(const Input& input, bool big_endian, std::uint64_t begin, std::uint64_t end)
      : input_(input), big_endian_(big_endian), at_(begin), end_(end) {}

  bool at_end() const { return at_ >= end_; }
  std::uint64_t position() const { return at_; }

  Tag next(const char* what) {
    if (end_ - at_ < 8 || at_ > end_) fail_at_byte(input_, at_, std::string("ends before ") + what);
    Tag tag;
    const auto word = number<std::uint32_t>(at_);
    if (word >> 16) {  // up to four bytes stand in the tag itself
      tag = {word & 0xffff, at_ + 4, word >> 16, at_ + 8};
      if (tag.size > 4) fail_at_byte(input_, at_, "a small element of more than 4 bytes");
    } else {
      tag = {word, at_ + 8, number<std::uint32_t>(at_ + 4), 0};
      if (tag.size > end_ - tag.begin)
        fail_at_byte(input_, at_,
                     std::string(what) + " should have " + std::to_string(tag.size) + " bytes, but only " +
                         std::to_string(end_ - tag.begin) + " follow");
      // Elements begin at multiples of 8; compressed ones do not.
      const std::uint64_t padded = tag.type == compressed_type ? tag.size : (tag.size + 7) / 8 * 8;
      tag.next = tag.begin + std::min(padded, end_ - tag.begin);
    }
    at_ = tag.next;
    return tag;
  }

  template <class Number>
  Number number(std::uint64_t at) const {
    return load<Number>(input_.bytes.data() + at, big_endian_ != (std::endian::native == std::endian::big));
  }

 private:
  const Input& input_;
  bool big_endian_;
  std::uint64_t at_;
  std::uint64_t end_;
};

struct Variable {
  std::string name;
  std::uint32_t kind = 0;
  bool complex = false;
  bool logical = false;
  std::vector<Index> sizes;
  std::uint64_t values = 0;  // where the values begin
};

Variable read_head(const Input& input, ElementReader& elements) {
  Variable variable;
  const Tag flags = elements.next("the flags of a matrix");
  if (flags.size < 8) fail_at_byte(input, flags.begin, "flags of a matrix must have 8 bytes");
  const auto word = elements.number<std::uint32_t>(flags.begin);
  variable.kind = word & 0xff;
  variable.logical = word & 0x200;
  variable.complex = word & 0x800;
  // Objects have a head of their own, which is not needed here.
  if (!is_numeric(variable.kind) && variable.kind > 4) return variable;
  const Tag sizes = elements.next("the sizes of a matrix");
  if (sizes.size % 4 != 0 || sizes.size < 8 || sizes.size > 4 * 64)
    fail_at_byte(input, sizes.begin, "sizes of a matrix in " + std::to_string(sizes.size) + " bytes");
  for (std::uint64_t i = 0; i < sizes.size; i += 4) {
    variable.sizes.push_back(elements.number<std::int32_t>(sizes.begin + i));
    if (variable.sizes.back() < 0) fail_at_byte(input, sizes.begin + i, "a negative size");
  }
  const Tag name = elements.next("the name of a matrix");
  variable.name = std::string(input.text().substr(name.begin, name.size));
  variable.values = elements.position();
  return variable;
}

struct Place {
  Variable variable;
  std::uint64_t begin = 0;  // of the element's content in the file
  std::uint64_t end = 0;
  bool compressed = false;
};

// The head of a compressed matrix needs only the first bytes of it.
Variable head_of_compressed(const Input& input, bool big_endian, std::uint64_t begin, std::uint64_t end) {
  const auto buffer = inflate_bytes(input, begin, end, Wrapping::zlib, 0, longest_head);
  Input inside{input.name + " (compressed element at byte " + std::to_string(begin) + ")",
               buffer->bytes(),
               buffer,
               false,
               {}};
  if (buffer->size() < 8) fail(inside, "is too short");
  ElementReader all(inside, big_endian, 0, buffer->size());
  if (all.number<std::uint32_t>(0) != matrix_type) return {};
  ElementReader elements(inside, big_endian, 8, buffer->size());
  return read_head(inside, elements);
}

std::vector<Place> find_variables(const Input& input, bool big_endian) {
  std::vector<Place> places;
  ElementReader elements(input, big_endian, file_header, input.bytes.size());
  while (!elements.at_end()) {
    const Tag tag = elements.next("an element");
    Place place{{}, tag.begin, tag.begin + tag.size, tag.type == compressed_type};
    if (place.compressed) {
      place.variable = head_of_compressed(input, big_endian, place.begin, place.end);
    } else if (tag.type == matrix_type && tag.size > 0) {
      ElementReader inner(input, big_endian, place.begin, place.end);
      place.variable = read_head(input, inner);
    }
    if (!place.variable.sizes.empty()) places.push_back(std::move(place));
  }
  return places;
}

std::string describe(const Variable& variable) {
  std::string text = variable.name + " (";
  for (std::size_t i = 0; i < variable.sizes.size(); ++i)
    text += (i ? " x " : "") + std::to_string(variable.sizes[i]);
  return text + " " + class_name(variable.kind) + ")";
}

std::string describe_all(const std::vector<Place>& places) {
  constexpr std::size_t most = 30;  // in a message
  std::vector<std::string> texts;
  for (const Place& place : places)
    if (texts.size() < most) texts.push_back(describe(place.variable));
  return list_text(texts);
}

// The one of that name; without a name, the only matrix, else the only one that is more than a vector.
const Place& choose(const Input& input, const std::vector<Place>& places, const std::string& name) {
  std::vector<const Place*> numeric, proper;
  for (const Place& place : places) {
    const Variable& v = place.variable;
    if (!name.empty() && v.name == name) return place;
    if (!is_numeric(v.kind) || v.sizes.size() != 2) continue;
    numeric.push_back(&place);
    if (v.sizes[0] > 1 && v.sizes[1] > 1) proper.push_back(&place);
  }
  if (!name.empty())
    fail(input, "has no variable " + in_quotes(name) + "; there are " + describe_all(places));
  if (proper.size() == 1) return *proper[0];
  if (numeric.size() == 1) return *numeric[0];
  if (numeric.empty()) fail(input, "holds no numeric matrix; there are " + describe_all(places));
  fail(input,
       "holds several matrices; choose one as " + input.name + ":NAME, there are " + describe_all(places));
}

struct Numbers {
  ElementType type;
  Bytes bytes;
  std::uint64_t count = 0;
};

Numbers read_numbers(const Input& input, ElementReader& elements, bool big_endian, const char* what) {
  const std::uint64_t at = elements.position();
  const Tag tag = elements.next(what);
  const auto element = element_of(tag.type);
  if (!element)
    fail_at_byte(input, at, std::string(what) + " have the unknown type " + std::to_string(tag.type));
  const std::size_t size = size_of(*element);
  if (tag.size % size != 0) fail_at_byte(input, at, std::string(what) + " end within a number");
  return {{*element, big_endian}, input.bytes.subspan(tag.begin, tag.size), tag.size / size};
}

std::vector<Index> read_indices(const Input& input, ElementReader& elements, bool big_endian,
                                const char* what) {
  const std::uint64_t at = elements.position();
  const Numbers numbers = read_numbers(input, elements, big_endian, what);
  std::vector<Index> indices(numbers.count);
  if (!convert_indices(numbers.type, numbers.bytes.data(), numbers.count, indices.data()))
    fail_at_byte(input, at, std::string(what) + " are not integers");
  return indices;
}

template <class Scalar>
MatrixFile read_sparse(const Input& input, ElementReader& elements, bool big_endian, const Variable& variable,
                       const ReadOptions& options) {
  OwnedSparse<Scalar> owned;
  owned.indices = read_indices(input, elements, big_endian, "the rows of a sparse matrix");
  owned.offsets = read_indices(input, elements, big_endian, "the columns of a sparse matrix");
  const Numbers values = read_numbers(input, elements, big_endian, "the values of a sparse matrix");
  owned.values.resize(values.count);
  convert(values.type, values.bytes.data(), values.count, owned.values.data());
  if (const auto wrong = defect(owned, variable.sizes[1], variable.sizes[0]); !wrong.empty())
    fail_at_byte(input, variable.values, wrong);
  // There may be room for more entries than there are.
  owned.indices.resize(static_cast<std::size_t>(owned.offsets.back()));
  owned.values.resize(static_cast<std::size_t>(owned.offsets.back()));
  return sparse_matrix(input, std::move(owned), variable.sizes[0], variable.sizes[1],
                       Layout::columns_contiguous, options);
}

MatrixFile read_full(const Input& input, ElementReader& elements, bool big_endian, const Variable& variable,
                     const ReadOptions& options) {
  const Numbers numbers = read_numbers(input, elements, big_endian, "the values of a matrix");
  // Sizes fit into 31 bits.
  const auto needed =
      static_cast<std::uint64_t>(variable.sizes[0]) * static_cast<std::uint64_t>(variable.sizes[1]);
  if (numbers.count != needed)
    fail_at_byte(input, variable.values,
                 "a matrix of " + shape_text(variable.sizes[0], variable.sizes[1]) + " with " +
                     std::to_string(numbers.count) + " values");
  // Values may be packed into a smaller type than the matrix has.
  ReadOptions exact = options;
  if (options.precision == Precision::automatic)
    exact.precision = variable.kind == 7 ? Precision::float32 : Precision::float64;
  return dense_matrix(input, numbers.type, numbers.bytes, variable.sizes[0], variable.sizes[1],
                      Layout::columns_contiguous, exact);
}

MatrixFile read_variable(const Input& input, ElementReader elements, bool big_endian,
                         const ReadOptions& options) {
  const Variable variable = read_head(input, elements);
  MatrixFile file;
  if (variable.kind != sparse_class)
    file = read_full(input, elements, big_endian, variable, options);
  else if (options.precision == Precision::float32)
    file = read_sparse<float>(input, elements, big_endian, variable, options);
  else
    file = read_sparse<double>(input, elements, big_endian, variable, options);
  file.elements = variable.logical                ? "logical"
                  : variable.kind == sparse_class ? "double"
                                                  : class_name(variable.kind);
  return file;
}

// True if the numbers of the file are big-endian.
bool read_file_header(const Input& input) {
  const std::string_view text = input.text();
  if (text.size() < file_header) fail_at_byte(input, text.size(), "is too short for a MATLAB file");
  const std::string_view mark = text.substr(126, 2);
  if (mark != "IM" && mark != "MI")
    fail_at_byte(input, 126, "is no MATLAB file of version 5; save it with the option -v7");
  const bool big_endian = mark == "MI";
  const auto version =
      load<std::uint16_t>(input.bytes.data() + 124, big_endian != (std::endian::native == std::endian::big));
  if (version != 0x0100) fail_at_byte(input, 124, "MATLAB file of version " + std::to_string(version >> 8));
  return big_endian;
}

}  // namespace

MatrixFile parse_mat5(const Input& input, const std::string& variable, const ReadOptions& options) {
  const bool big_endian = read_file_header(input);
  const std::vector<Place> places = find_variables(input, big_endian);
  if (places.empty()) fail(input, "holds no variables");
  const Place& place = choose(input, places, variable);
  const Variable& head = place.variable;
  if (!is_numeric(head.kind))
    fail_at_byte(input, place.begin,
                 in_quotes(head.name) + " is a " + class_name(head.kind) + ", not a numeric matrix");
  if (head.complex) fail_at_byte(input, place.begin, in_quotes(head.name) + " has complex numbers");
  if (head.sizes.size() != 2)
    fail_at_byte(
        input, place.begin,
        in_quotes(head.name) + " has " + std::to_string(head.sizes.size()) + " dimensions; a matrix has 2");
  MatrixFile file;
  if (place.compressed) {
    const auto buffer = inflate_bytes(input, place.begin, place.end, Wrapping::zlib, 0);
    Input inside{input.name + ":" + head.name, buffer->bytes(), buffer, false, {}};
    ElementReader all(inside, big_endian, 0, buffer->size());
    const Tag tag = all.next("a matrix");
    if (tag.type != matrix_type) fail_at_byte(inside, 0, "no matrix here");
    file = read_variable(inside, ElementReader(inside, big_endian, tag.begin, tag.begin + tag.size),
                         big_endian, options);
  } else {
    file =
        read_variable(input, ElementReader(input, big_endian, place.begin, place.end), big_endian, options);
  }
  file.path = input.name;
  file.format = "mat5";
  return file;
}

}  // namespace svrmu::io
