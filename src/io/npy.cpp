// numpy's .npy, versions 1 to 3: magic, version, length of the header, a Python dictionary as text, values.
#include "io/npy.hpp"

#include <algorithm>
#include <charconv>
#include <optional>
#include <string_view>

#include "io/parsers.hpp"

namespace svrmu::io {
namespace {

constexpr std::string_view magic = "\x93NUMPY";
constexpr std::size_t most_header = 1 << 20;

// The dictionary, read token by token: strings, True, False and tuples of integers are all there can be.
class HeaderText {
 public:
  HeaderText(const Input& input, std::size_t begin, std::size_t end) : input_(input), at_(begin), end_(end) {}

  bool accept(char c) {
    skip_blanks();
    if (at_ == end_ || text()[at_] != c) return false;
    ++at_;
    return true;
  }
  void expect(char c) {
    if (!accept(c)) fail_here(std::string("expected '") + c + "' in the header");
  }
  std::string string() {
    skip_blanks();
    const char quote = at_ < end_ ? text()[at_] : '\0';
    if (quote != '\'' && quote != '"') fail_here("expected a text in quotes in the header");
    const std::size_t close = text().substr(0, end_).find(quote, at_ + 1);
    if (close == std::string_view::npos) fail_here("a text in the header does not end");
    std::string found(text().substr(at_ + 1, close - at_ - 1));
    at_ = close + 1;
    return found;
  }
  bool boolean() {
    skip_blanks();
    for (const std::string_view word : {"True", "False"})
      if (text().substr(at_, std::min(word.size(), end_ - at_)) == word) {
        at_ += word.size();
        return word == "True";
      }
    fail_here("expected True or False in the header");
  }
  Index integer() {
    skip_blanks();
    Index value = 0;
    const char* from = text().data();
    const auto [stop, error] = std::from_chars(from + at_, from + end_, value);
    if (error != std::errc() || value < 0) fail_here("expected a size in the header");
    at_ = static_cast<std::size_t>(stop - from);
    return value;
  }
  std::vector<Index> tuple() {
    std::vector<Index> sizes;
    expect('(');
    while (!accept(')')) {
      if (sizes.size() == 32) fail_here("more than 32 dimensions");
      sizes.push_back(integer());
      if (!accept(',')) {
        expect(')');
        break;
      }
    }
    return sizes;
  }
  bool at_bracket() {
    skip_blanks();
    return at_ < end_ && (text()[at_] == '[' || text()[at_] == '(');
  }
  [[noreturn]] void fail_here(const std::string& what) const { fail_at_byte(input_, at_, what); }

 private:
  std::string_view text() const { return input_.text(); }
  void skip_blanks() {
    while (at_ < end_ && (text()[at_] == ' ' || text()[at_] == '\n' || text()[at_] == '\t')) ++at_;
  }

  const Input& input_;
  std::size_t at_;
  std::size_t end_;
};

// Where the dictionary begins and ends.
std::pair<std::size_t, std::size_t> header_range(const Input& input) {
  const std::string_view text = input.text();
  if (text.substr(0, magic.size()) != magic) fail_at_byte(input, 0, "does not begin like a .npy file");
  if (text.size() < 10) fail_at_byte(input, text.size(), "ends within the header");
  const int version = static_cast<unsigned char>(text[6]);
  if (version < 1 || version > 3)
    fail_at_byte(input, 6, ".npy version " + std::to_string(version) + "; versions 1 to 3 are read");
  const std::size_t begin = version == 1 ? 10 : 12;
  if (text.size() < begin) fail_at_byte(input, text.size(), "ends within the header");
  const bool swapped = std::endian::native == std::endian::big;
  const std::size_t length = version == 1 ? load<std::uint16_t>(input.bytes.data() + 8, swapped)
                                          : load<std::uint32_t>(input.bytes.data() + 8, swapped);
  if (length > most_header) fail_at_byte(input, 8, "a header of " + std::to_string(length) + " bytes");
  if (length > text.size() - begin)
    fail_at_byte(input, text.size(),
                 "ends within the header, which should have " + std::to_string(length) + " bytes");
  return {begin, begin + length};
}

std::optional<Element> element_named(std::string_view code) {
  static constexpr std::pair<std::string_view, Element> codes[] = {
      {"b1", Element::boolean}, {"i1", Element::int8},    {"u1", Element::uint8},   {"i2", Element::int16},
      {"u2", Element::uint16},  {"i4", Element::int32},   {"u4", Element::uint32},  {"i8", Element::int64},
      {"u8", Element::uint64},  {"f2", Element::float16}, {"f4", Element::float32}, {"f8", Element::float64}};
  for (const auto& [name, element] : codes)
    if (name == code) return element;
  return std::nullopt;
}

std::string refusal(std::string_view type) {
  const char kind = type.size() > 1 ? type[1] : '?';
  switch (kind) {
    case 'O':
      return "an array of Python objects; save numbers";
    case 'c':
      return "an array of complex numbers; save its real part or its modulus";
    case 'U':
    case 'S':
      return "an array of texts, not of numbers";
    case 'f':
      return "floating-point type " + in_quotes(type) + "; save it as float32 or float64";
    default:
      return "an array of type " + in_quotes(type) + "; save it as float32 or float64";
  }
}

}  // namespace

NpyArray parse_npy_header(const Input& input) {
  const auto [begin, end] = header_range(input);
  NpyArray array;
  array.header_end = end;
  bool has_type = false, has_order = false, has_shape = false;
  HeaderText header(input, begin, end);
  header.expect('{');
  while (!header.accept('}')) {
    const std::string key = header.string();
    header.expect(':');
    if (key == "descr") {
      if (header.at_bracket())
        header.fail_here("an array of records; save one field of it as float32 or float64");
      array.type = header.string();
      has_type = true;
    } else if (key == "fortran_order") {
      array.columns_first = header.boolean();
      has_order = true;
    } else if (key == "shape") {
      array.shape = header.tuple();
      has_shape = true;
    } else {
      header.fail_here("unknown key " + in_quotes(key) + " in the header");
    }
    if (!header.accept(',')) {
      header.expect('}');
      break;
    }
  }
  if (!has_type || !has_order || !has_shape)
    header.fail_here("the header must have descr, fortran_order and shape");
  return array;
}

ElementType numeric_type(const Input& input, const NpyArray& array) {
  const std::string_view type = array.type;
  const auto element = type.size() == 3 ? element_named(type.substr(1)) : std::nullopt;
  if (!element || std::string_view("<>|=").find(type[0]) == std::string_view::npos)
    fail(input, refusal(type));
  const bool native_big = type[0] == '=' && std::endian::native == std::endian::big;
  return {*element, type[0] == '>' || native_big};
}

Bytes values_of(const Input& input, const NpyArray& array, std::size_t element_size) {
  std::uint64_t bytes = element_size;
  bool fits = true;
  for (const Index size : array.shape)
    fits = fits && multiply(bytes, static_cast<std::uint64_t>(size), bytes);
  const std::size_t there = input.bytes.size() - array.header_end;
  if (std::find(array.shape.begin(), array.shape.end(), 0) != array.shape.end()) bytes = 0, fits = true;
  if (!fits || bytes > there)
    fail_at_byte(input, input.bytes.size(),
                 "ends too early: the header promises " + (fits ? std::to_string(bytes) : "too many") +
                     " bytes of values, there are " + std::to_string(there));
  if (bytes < there)
    fail_at_byte(input, array.header_end + bytes,
                 "goes on for " + std::to_string(there - bytes) + " bytes after its last value");
  return input.bytes.subspan(array.header_end);
}

MatrixFile parse_npy(const Input& input, const ReadOptions& options) {
  const NpyArray array = parse_npy_header(input);
  const ElementType type = numeric_type(input, array);
  if (array.shape.size() != 2)
    fail(input, "an array of " + std::to_string(array.shape.size()) +
                    " dimensions; a matrix has 2: reshape it before saving");
  const Bytes values = values_of(input, array, size_of(type.element));
  MatrixFile file =
      dense_matrix(input, type, values, array.shape[0], array.shape[1],
                   array.columns_first ? Layout::columns_contiguous : Layout::rows_contiguous, options);
  file.format = "npy";
  return file;
}

}  // namespace svrmu::io
