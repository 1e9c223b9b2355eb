// Names of features or samples from a file of their own.
#include <algorithm>
#include <charconv>

#include "io/cells.hpp"
#include "io/npy.hpp"
#include "io/parsers.hpp"
#include "text/text.hpp"

namespace svrmu::io {
namespace {

using Names = std::vector<std::string>;

void append_utf8(std::string& text, std::uint32_t code) {
  const auto put = [&](std::uint32_t byte) { text += static_cast<char>(byte); };
  const auto rest = [&](int shift) { put(0x80 | ((code >> shift) & 0x3f)); };
  if (code < 0x80) {
    put(code);
  } else if (code < 0x800) {
    put(0xc0 | (code >> 6));
    rest(0);
  } else if (code < 0x10000) {
    put(0xe0 | (code >> 12));
    rest(6);
    rest(0);
  } else {
    put(0xf0 | (code >> 18));
    rest(12);
    rest(6);
    rest(0);
  }
}

// numpy pads its texts with zeros; 'U' are code points of 4 bytes, 'S' bytes.
Names names_of_npy(const Input& input) {
  const NpyArray array = parse_npy_header(input);
  const std::string_view type = array.type;
  std::size_t length = 0;
  const bool wide = type.size() > 2 && type[1] == 'U';
  const bool texts = wide || (type.size() > 2 && type[1] == 'S');
  const auto read = texts ? std::from_chars(type.data() + 2, type.data() + type.size(), length)
                          : std::from_chars_result{type.data(), std::errc::invalid_argument};
  if (read.ec != std::errc() || read.ptr != type.data() + type.size() || length == 0 || length > (1 << 24))
    fail(input, "is an array of type " + in_quotes(type) +
                    ", not of texts; save names as numpy.array(names, dtype=str)");
  if (array.shape.size() != 1) fail(input, "names must be an array of one dimension");
  const std::size_t size = wide ? 4 * length : length;
  const Bytes bytes = values_of(input, array, size);
  const bool swapped = wide && (type[0] == '>') != (std::endian::native == std::endian::big);
  check_affordable(input, static_cast<std::uint64_t>(array.shape[0]), sizeof(std::string), "the names");
  Names names(static_cast<std::size_t>(array.shape[0]));
  for (std::size_t i = 0; i < names.size(); ++i)
    for (std::size_t c = 0; c < length; ++c) {
      const std::byte* at = bytes.data() + i * size + (wide ? 4 * c : c);
      const auto code = wide ? load<std::uint32_t>(at, swapped) : std::to_integer<std::uint32_t>(*at);
      if (code == 0) break;
      if (code > 0x10ffff) fail(input, "name " + std::to_string(i + 1) + " is damaged");
      if (wide)
        append_utf8(names[i], code);
      else
        names[i] += static_cast<char>(code);
    }
  return names;
}

// One per line, taken exactly.
Names names_of_lines(const Input& input) {
  Names names;
  std::string_view text = input.text().substr(begin_of_text(input, "names"));
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    std::string_view line = text.substr(0, end);
    if (line.ends_with('\r')) line.remove_suffix(1);
    names.emplace_back(line);
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return names;
}

struct ColumnPlace {
  std::size_t number = 0;  // from 0
  bool named = false;      // by the first line
};

ColumnPlace find_column(const Input& input, const Names& first_line, const std::string& wanted) {
  const auto found = std::find(first_line.begin(), first_line.end(), wanted);
  if (found != first_line.end()) return {static_cast<std::size_t>(found - first_line.begin()), true};
  std::size_t number = 0;
  const auto [end, error] = std::from_chars(wanted.data(), wanted.data() + wanted.size(), number);
  const bool plain = error == std::errc() && end == wanted.data() + wanted.size();
  if (!plain || number < 1 || number > first_line.size())
    fail(input, "has no column " + in_quotes(wanted) + "; there are " + printable(list_text(first_line)));
  return {number - 1, false};
}

// The column of a table, which need not be named if there is only one.
Names names_of_column(const Input& input, char delimiter, const std::string& wanted) {
  const Cells cells(input, delimiter);
  std::size_t at = begin_of_text(input, "names");
  const Names first_line = cells.line(at);
  if (wanted.empty() && first_line.size() > 1)
    fail(input, "is a table; name its column, as in " + printable(input.name + ":" + first_line.front()) +
                    ", or give its number if the table has no line of names");
  const ColumnPlace place = wanted.empty() ? ColumnPlace{} : find_column(input, first_line, wanted);
  Names names;
  for (bool header = place.named; !cells.only_blank_from(at); header = false) {
    const std::size_t line = at;
    std::size_t column = 0;
    for (bool last = false; !last; ++column) {
      const Cell cell = cells.read(at);
      if (column == place.number && !header) names.push_back(cells.content(cell));
      last = cells.ends_line(cell.next);
      at = last ? cells.next_line(cell.next) : cell.next + 1;
    }
    if (column <= place.number)
      fail_at_text(input, line, "the line has no cell in column " + std::to_string(place.number + 1));
  }
  return names;
}

}  // namespace

std::vector<std::string> parse_names(const Input& input, char delimiter, const std::string& column) {
  if (input.bytes.empty()) fail(input, "is empty");
  Names names = input.text().starts_with("\x93NUMPY") ? names_of_npy(input)
                : delimiter == '\0'                   ? names_of_lines(input)
                                                      : names_of_column(input, delimiter, column);
  const auto empty = std::find(names.begin(), names.end(), "");
  if (empty != names.end()) fail(input, "name " + std::to_string(empty - names.begin() + 1) + " is empty");
  return names;
}

}  // namespace svrmu::io
