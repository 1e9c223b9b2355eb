// Comma- or tab-separated numbers (RFC 4180), with or without names of rows and columns.
#include <algorithm>
#include <optional>
#include <utility>

#include "io/elements.hpp"
#include "io/parsers.hpp"
#include "io/text.hpp"
#include "linalg/parallel.hpp"

namespace svrmu::io {
namespace {

constexpr std::string_view byte_order_mark = "\xef\xbb\xbf";

struct Cell {
  std::size_t begin = 0;  // of the content, without quotes
  std::size_t end = 0;
  bool quoted = false;
  std::size_t next = 0;  // the delimiter or the end of line behind it
};

// Cells and lines of a text; knows quotes, not numbers.
class Cells {
 public:
  Cells(const Input& input, char delimiter) : input_(input), text_(input.text()), delimiter_(delimiter) {}

  Cell read(std::size_t at) const {
    return at < text_.size() && text_[at] == '"' ? read_quoted(at) : read_plain(at);
  }

  bool ends_line(std::size_t at) const { return at >= text_.size() || text_[at] != delimiter_; }
  // From the end of the last cell of a line to the next line.
  std::size_t next_line(std::size_t at) const {
    if (at < text_.size() && text_[at] == '\r') ++at;
    return at < text_.size() ? at + 1 : at;
  }
  std::string content(const Cell& cell) const {
    std::string out(text_.substr(cell.begin, cell.end - cell.begin));
    if (cell.quoted)
      for (std::size_t i = out.find("\"\""); i != out.npos; i = out.find("\"\"", i + 1)) out.erase(i, 1);
    return out;
  }
  bool only_blank_from(std::size_t at) const { return text_.find_first_not_of(" \t\r\n", at) == text_.npos; }
  bool is_space(char c) const { return c == ' ' || (c == '\t' && delimiter_ != '\t'); }

 private:
  Cell read_plain(std::size_t at) const {
    std::size_t end = at;
    while (end < text_.size() && text_[end] != delimiter_ && text_[end] != '\n') ++end;
    const bool returns = end > at && text_[end - 1] == '\r' && (end == text_.size() || text_[end] == '\n');
    if (returns) --end;
    return {at, end, false, end};
  }
  Cell read_quoted(std::size_t at) const {
    std::size_t close = at + 1;
    for (;; close += 2) {
      close = text_.find('"', close);
      if (close == text_.npos) fail_at_text(input_, at, "a text in quotes does not end");
      if (close + 1 >= text_.size() || text_[close + 1] != '"') break;
    }
    const std::size_t next = close + 1;
    const std::string_view rest = text_.substr(next, 2);
    if (!rest.empty() && rest[0] != delimiter_ && rest[0] != '\n' && rest != "\r\n" && rest != "\r")
      fail_at_text(input_, next, "a closing quote must be followed by the next cell or line");
    return {at + 1, close, true, next};
  }

  const Input& input_;
  std::string_view text_;
  char delimiter_;
};

enum class Kind { empty, number, quoted_number, text };

Kind kind_of(std::string_view text, const Cell& cell) {
  const char* at = text.data() + cell.begin;
  const char* end = text.data() + cell.end;
  while (at != end && is_blank(*at)) ++at;
  while (at != end && is_blank(end[-1])) --end;
  if (at == end) return cell.quoted ? Kind::text : Kind::empty;
  double value = 0;
  if (read_number(at, end, value) == NumberError::not_a_number || at != end) return Kind::text;
  return cell.quoted ? Kind::quoted_number : Kind::number;
}

// What one line looks like: enough to tell names from numbers.
struct LineShape {
  std::uint64_t cells = 0;
  Kind first = Kind::empty;
  bool text_after_first = false;
  bool quoted_number_after_first = false;
  bool plain_number = false;
  std::size_t next = 0;
};

LineShape shape_of_line(const Cells& cells, std::string_view text, std::size_t at) {
  LineShape shape;
  for (;;) {
    const Cell cell = cells.read(at);
    const Kind kind = kind_of(text, cell);
    if (shape.cells++ == 0)
      shape.first = kind;
    else if (kind == Kind::text)
      shape.text_after_first = true;
    else if (kind == Kind::quoted_number)
      shape.quoted_number_after_first = true;
    shape.plain_number |= kind == Kind::number;
    if (cells.ends_line(cell.next)) {
      shape.next = cells.next_line(cell.next);
      return shape;
    }
    at = cell.next + 1;
  }
}

struct Table {
  bool row_names = false;
  std::uint64_t width = 0;  // numbers per line
  std::size_t body = 0;     // where the first line of numbers begins
  std::vector<std::string> column_names;
};

std::vector<std::string> names_of_line(const Input& input, const Cells& cells, std::size_t at,
                                       bool skip_first, std::uint64_t count) {
  check_affordable(input, count, sizeof(std::string), "the names of the columns");
  std::vector<std::string> names;
  names.reserve(count);
  for (bool first = true;; first = false) {
    const Cell cell = cells.read(at);
    if (!(first && skip_first)) names.push_back(cells.content(cell));
    if (cells.ends_line(cell.next)) return names;
    at = cell.next + 1;
  }
}

// Are there names? A line of names has a text, an empty corner, or one cell less than the line of numbers
// below.
Table find_table(const Input& input, const Cells& cells, char delimiter) {
  const std::string_view text = input.text();
  const std::size_t begin = text.starts_with(byte_order_mark) ? byte_order_mark.size() : 0;
  if (text.starts_with("\xff\xfe") || text.starts_with("\xfe\xff"))
    fail_at_text(input, 0, "is in UTF-16; save it as UTF-8");
  if (cells.only_blank_from(begin)) fail_at_text(input, begin, "holds no numbers");
  const LineShape first = shape_of_line(cells, text, begin);
  const bool has_second = !cells.only_blank_from(first.next);
  const LineShape second = has_second ? shape_of_line(cells, text, first.next) : LineShape{};
  // Where numbers are written without quotes, what is in quotes is a name.
  const bool quotes_mean_text = has_second ? second.plain_number : first.plain_number;
  const auto is_name = [&](Kind kind) {
    return kind == Kind::text || (kind == Kind::quoted_number && quotes_mean_text);
  };
  // As R writes it; but a line of plain numbers is never a line of names.
  const bool not_only_numbers =
      first.first != Kind::number || first.text_after_first || first.quoted_number_after_first;
  const bool one_less = has_second && first.cells + 1 == second.cells && not_only_numbers;
  const bool header = first.text_after_first || (first.quoted_number_after_first && quotes_mean_text) ||
                      first.first == Kind::empty || one_less || (first.cells == 1 && is_name(first.first)) ||
                      (is_name(first.first) && has_second && !is_name(second.first));
  if (header && !has_second) fail_at_text(input, text.size(), "has a line of names, but no numbers");
  const LineShape& numbers = header ? second : first;
  Table table;
  table.body = header ? first.next : begin;
  table.row_names = is_name(numbers.first) || (header && (first.first == Kind::empty || one_less));
  table.width = numbers.cells - (table.row_names ? 1 : 0);
  if (table.width == 0)
    fail_at_text(input, table.body,
                 std::string("no numbers here; are cells separated by something other than ") +
                     (delimiter == '\t' ? "tabs?" : "commas?"));
  if (header) {
    if (first.cells != numbers.cells && !one_less)
      fail_at_text(input, first.next,
                   "this line has " + std::to_string(numbers.cells) + " cells, but the line of names has " +
                       std::to_string(first.cells));
    table.column_names = names_of_line(input, cells, begin, table.row_names && !one_less, table.width);
  }
  return table;
}

// One piece of the text and what comes out of it.
template <class Scalar>
struct Part {
  std::size_t begin = 0;
  std::size_t end = 0;
  std::uint64_t room = 0;   // values that it can hold at most
  std::uint64_t count = 0;  // values found
  Scalar* values = nullptr;
  std::vector<std::string> names;
  Mistake mistake;
};

// The lines of one piece.
template <class Scalar>
class LineReader {
 public:
  LineReader(const Input& input, const Cells& cells, char delimiter, const Table& table, Part<Scalar>& part)
      : text_(input.text()), cells_(cells), delimiter_(delimiter), table_(table), part_(part) {}

  void read() {
    at_ = text_.data() + part_.begin;
    end_ = text_.data() + part_.end;
    while (at_ != end_)
      if (!read_line()) return;
  }

 private:
  bool wrong(const char* place, std::string what) {
    part_.mistake = {position(place), std::move(what)};
    return false;
  }
  std::size_t position(const char* place) const { return static_cast<std::size_t>(place - text_.data()); }
  bool ends_cell(const char* at) const { return at == end_ || *at == delimiter_ || *at == '\n'; }
  void skip_spaces() {
    while (at_ != end_ && cells_.is_space(*at_)) ++at_;
    if (at_ != end_ && *at_ == '\r' && (at_ + 1 == end_ || at_[1] == '\n')) ++at_;
  }

  // Blanks at the end of the text belong to a cell, but not to the piece.
  void move_behind(const Cell& cell) {
    at_ = std::min(text_.data() + cell.next, end_);
    skip_spaces();
  }

  bool read_line() {
    if (table_.row_names) {
      const Cell cell = cells_.read(position(at_));
      part_.names.push_back(cells_.content(cell));
      move_behind(cell);
      if (at_ == end_ || *at_ != delimiter_) return wrong(at_, wrong_count(1));
      ++at_;
    }
    for (std::uint64_t c = 0; c < table_.width; ++c) {
      if (!read_short_cell() && !read_cell(c)) return false;
      if (c + 1 == table_.width) break;
      if (at_ == end_ || *at_ != delimiter_) return wrong(at_, wrong_count(cell_number(c)));
      ++at_;
    }
    if (at_ != end_ && *at_ == delimiter_)
      return wrong(at_, "the line has more than " + std::to_string(cell_number(table_.width) - 1) + " cells");
    if (at_ != end_) ++at_;
    return true;
  }

  std::uint64_t cell_number(std::uint64_t c) const { return c + 1 + (table_.row_names ? 1 : 0); }
  std::string wrong_count(std::uint64_t found) const {
    return "the line has " + std::to_string(found) + " cells instead of " +
           std::to_string(cell_number(table_.width) - 1);
  }
  std::string cell_text(std::uint64_t c) const {
    std::string text = "cell " + std::to_string(cell_number(c));
    if (!table_.column_names.empty()) text += " (" + in_quotes(table_.column_names[c]) + ")";
    return text;
  }

  // The bulk of every file, apart from the rest because it is quick.
  bool read_short_cell() {
    const char* at = at_;
    Scalar value = 0;
    if (part_.count == part_.room || !read_short_number(at, end_, value) || !ends_cell(at)) return false;
    part_.values[part_.count++] = value;
    at_ = at;
    return true;
  }

  bool read_cell(std::uint64_t c) {
    skip_spaces();
    const char* from = at_;
    if (ends_cell(at_)) return wrong(from, cell_text(c) + " is empty; write 0 if nothing was measured");
    Scalar value = 0;
    NumberError error = NumberError::none;
    if (*at_ == '"') {
      error = read_quoted(value);
    } else {
      error = read_number(at_, end_, value);
      skip_spaces();
      if (!ends_cell(at_) && error == NumberError::none) error = NumberError::not_a_number;
    }
    if (error == NumberError::too_large) return wrong(from, cell_text(c) + " is too large");
    if (error == NumberError::not_a_number) {
      const Cell cell = cells_.read(position(from));
      return wrong(from,
                   cell_text(c) + " is " +
                       in_quotes(text_.substr(cell.begin, std::min<std::size_t>(cell.end - cell.begin, 64))) +
                       ", not a number");
    }
    if (part_.count == part_.room) return wrong(from, "the text has more lines than line ends");
    part_.values[part_.count++] = value;
    return true;
  }

  NumberError read_quoted(Scalar& value) {
    const Cell cell = cells_.read(position(at_));
    const char* at = text_.data() + cell.begin;
    const char* end = text_.data() + cell.end;
    while (at != end && is_blank(*at)) ++at;
    while (at != end && is_blank(end[-1])) --end;
    const NumberError error = at == end ? NumberError::not_a_number : read_number(at, end, value);
    if (error == NumberError::none && at != end) return NumberError::not_a_number;
    move_behind(cell);
    return error;
  }

  std::string_view text_;
  const Cells& cells_;
  char delimiter_;
  const Table& table_;
  Part<Scalar>& part_;
  const char* at_ = nullptr;
  const char* end_ = nullptr;
};

template <class Scalar>
std::vector<Part<Scalar>> cut(const Input& input, char delimiter, const Table& table) {
  const std::string_view text = input.text();
  // Empty lines at the end mean nothing; tabs there may be empty cells.
  const std::size_t last = text.find_last_not_of(delimiter == '\t' ? " \r\n" : " \t\r\n");
  // A name in quotes may contain line ends: such a text is read in one piece.
  const bool has_quotes = text.find('"', table.body) != text.npos;
  std::vector<Part<Scalar>> parts;
  std::size_t begin = table.body;
  for (const std::size_t end : cut_at_lines(text, begin, last + 1, has_quotes ? text.size() : piece_size)) {
    parts.emplace_back().begin = begin;
    parts.back().end = begin = end;
  }
  return parts;
}

// Lines are counted first, so that values go where they stay.
template <class Scalar>
void find_room(const Input& input, const Table& table, Part<Scalar>& part) {
  const std::string_view piece = input.text().substr(part.begin, part.end - part.begin);
  const auto lines = static_cast<std::uint64_t>(std::count(piece.begin(), piece.end(), '\n')) + 1;
  // A value takes a character and a delimiter at least.
  part.room = piece.size() / 2 + 1;
  std::uint64_t values = 0;
  const std::uint64_t ended = piece.back() == '\n' ? 1 : 0;
  if (multiply(lines - ended, table.width, values)) part.room = std::min(part.room, values);
}

template <class Scalar, class Work>
void for_each_part(const Input& input, std::vector<Part<Scalar>>& parts, const Work& work) {
  parallel_for(static_cast<Index>(parts.size()), [&](Index i) {
    Part<Scalar>& part = parts[static_cast<std::size_t>(i)];
    work(part);
    if (input.release && !part.mistake) input.release(input.bytes.subspan(part.begin, part.end - part.begin));
  });
}

template <class Scalar>
MatrixFile read_as(const Input& input, char delimiter, const ReadOptions& options) {
  const Cells cells(input, delimiter);
  Table table = find_table(input, cells, delimiter);
  auto parts = cut<Scalar>(input, delimiter, table);
  const std::optional<ThreadScope> scope =
      parts.size() > 1 ? std::optional<ThreadScope>(std::in_place, options.threads) : std::nullopt;
  for_each_part(input, parts, [&](Part<Scalar>& part) { find_room(input, table, part); });
  std::uint64_t room = 0;
  for (const auto& part : parts) room += part.room;
  check_affordable(input, room, sizeof(Scalar), "the matrix");
  const std::shared_ptr<Scalar[]> values(new Scalar[room]);
  room = 0;
  for (auto& part : parts) part.values = values.get() + std::exchange(room, room + part.room);
  for_each_part(input, parts,
                [&](Part<Scalar>& part) { LineReader<Scalar>(input, cells, delimiter, table, part).read(); });
  std::uint64_t count = 0;
  std::vector<std::string> row_names;
  for (auto& part : parts) {
    if (part.mistake) fail_at_text(input, part.mistake.position, part.mistake.what);
    count += part.count;
    std::move(part.names.begin(), part.names.end(), std::back_inserter(row_names));
  }
  const auto width = static_cast<Index>(table.width);
  MatrixFile file = owned_dense<Scalar>(input, values, static_cast<Index>(count) / width, width,
                                        Layout::rows_contiguous, options);
  file.row_names = std::move(row_names);
  file.column_names = std::move(table.column_names);
  return file;
}

}  // namespace

MatrixFile parse_delimited(const Input& input, char delimiter, const ReadOptions& options) {
  MatrixFile file = options.precision == Precision::float32 ? read_as<float>(input, delimiter, options)
                                                            : read_as<double>(input, delimiter, options);
  file.format = delimiter == '\t' ? "tsv" : "csv";
  file.elements = "text";
  return file;
}

}  // namespace svrmu::io
