#include "io/table.hpp"

#include <algorithm>
#include <array>

#include "io/text.hpp"

namespace svrmu::io {
namespace {

// What one line looks like: enough to tell names from numbers.
struct LineShape {
  std::uint64_t cells = 0;
  Kind first = Kind::empty;
  bool text_after_first = false;
  bool quoted_number_after_first = false;
  bool plain_number = false;
  std::size_t next = 0;
};

LineShape shape_of_line(const Cells& cells, std::string_view text, std::size_t at, char decimal) {
  LineShape shape;
  for (;;) {
    const Cell cell = cells.read(at);
    const Kind kind = kind_of(text, cell, decimal);
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

// Where the names in a comment begin: "# a,b" has a and b, but "#a,b" has #a and b.
std::size_t begin_of_title(const Cells& cells, std::string_view text, const Comments& comments) {
  std::size_t at = comments.last + 1;
  const auto is_blank_there = [&] {
    return cells.is_space(text[at]) || (cells.spaced() && is_blank(text[at]));
  };
  if (!is_blank_there()) return comments.last;
  while (is_blank_there()) ++at;  // to the end of the line at most
  return at;
}

// The shape of the last comment; no cells if quotes in it make no sense.
LineShape shape_of_title(const Cells& cells, std::string_view text, std::size_t at, const Comments& comments,
                         char decimal) {
  if (comments.last == comments.end) return {};
  try {
    const LineShape shape = shape_of_line(cells, text, at, decimal);
    return shape.next == comments.end ? shape : LineShape{};
  } catch (const InvalidData&) {
    return {};
  }
}

struct Beginning {
  std::size_t place = 0;  // of the first line that is no comment, or of the names in the last comment
  bool title = false;     // it is the latter
};

// The last comment holds names if it has as many cells as the line of numbers below.
Beginning find_beginning(const Cells& cells, std::string_view text, const Comments& comments, char decimal,
                         const ReadOptions& options) {
  if (comments.last == comments.end) return {comments.end, false};
  const LineShape numbers = shape_of_line(cells, text, comments.end, decimal);
  const auto fits = [&](const LineShape& line) { return line.cells > 1 && line.cells == numbers.cells; };
  const bool only_numbers = !numbers.text_after_first && numbers.plain_number;
  // Or it is a row like the next one, with a name that begins like a comment.
  const LineShape whole = shape_of_title(cells, text, comments.last, comments, decimal);
  if (fits(whole) && !whole.text_after_first && whole.plain_number && numbers.first == Kind::text)
    return {comments.begin, false};
  const std::size_t title = begin_of_title(cells, text, comments);
  const bool named = options.column_names != ColumnNames::none && only_numbers &&
                     fits(shape_of_title(cells, text, title, comments, decimal));
  return {named ? title : comments.end, named};
}

[[noreturn]] void fail_without_numbers(const Input& input, const Table& table) {
  fail_at_text(input, table.body,
               "no numbers here; are cells separated by something other than " +
                   delimiter_name(table.dialect.delimiter) + "s? Then say delimiter=semicolon, tab or space");
}

}  // namespace

bool is_missing(std::string_view content) {
  static constexpr std::array words = {"",     "na",   "n/a",     "#n/a", "<na>", "#na",
                                       "null", "none", "missing", "-",    "--",   "?"};
  while (!content.empty() && is_blank(content.front())) content.remove_prefix(1);
  while (!content.empty() && is_blank(content.back())) content.remove_suffix(1);
  if (content.size() > 7) return false;
  return std::find(words.begin(), words.end(), lower(std::string(content))) != words.end();
}

Kind kind_of(std::string_view text, const Cell& cell, char decimal) {
  const char* at = text.data() + cell.begin;
  const char* end = text.data() + cell.end;
  while (at != end && is_blank(*at)) ++at;
  while (at != end && is_blank(end[-1])) --end;
  if (at == end) return cell.quoted ? Kind::text : Kind::empty;
  const std::string_view content(at, static_cast<std::size_t>(end - at));
  double value = 0;
  if (read_number(at, end, value, decimal) != NumberError::not_a_number && at == end)
    return cell.quoted ? Kind::quoted_number : Kind::number;
  return !cell.quoted && is_missing(content) ? Kind::missing : Kind::text;
}

Comments comments_before(const Input& input) {
  const std::string_view text = input.text();
  const std::size_t begin = begin_of_text(input, "numbers");
  Comments comments{begin, begin, begin};
  while (comments.end < text.size() && text[comments.end] == '#') {
    comments.last = comments.end;
    comments.end = std::min(text.find('\n', comments.end), text.size() - 1) + 1;
  }
  if (text.find_first_not_of(" \t\r\n", comments.end) == text.npos) return {begin, begin, begin};
  return comments;
}

std::size_t end_before_comments(std::string_view text, std::size_t body, std::size_t end) {
  for (;;) {
    const std::size_t last = text.substr(0, end).find_last_not_of(" \t\r\n");
    if (last == text.npos || last < body) return end;
    const std::size_t line = text.rfind('\n', last) + 1;  // 0 where there is none before
    if (line <= body || text[line] != '#') return end;
    end = line;
  }
}

// Are there names? A line of names has a text, an empty corner, or one cell less than the line of numbers
// below.
Table find_table(const Input& input, const Cells& cells, const Dialect& dialect, const ReadOptions& options) {
  const std::string_view text = input.text();
  const RowNames row_names = options.row_names;
  const auto shape_at = [&](std::size_t at) {
    return cells.only_blank_from(at) ? LineShape{} : shape_of_line(cells, text, at, dialect.decimal);
  };
  const Comments comments = comments_before(input);
  const Beginning begins = find_beginning(cells, text, comments, dialect.decimal, options);
  const std::size_t begin = begins.place;
  const LineShape first = shape_at(begin);
  const LineShape second = shape_at(first.next);
  const bool has_second = second.cells > 0;
  // Where numbers are written without quotes, what is in quotes is a name.
  const bool quotes_mean_text = has_second ? second.plain_number : first.plain_number;
  const auto is_name = [&](Kind kind) {
    return kind == Kind::text || (kind == Kind::quoted_number && quotes_mean_text);
  };
  // As R writes it; but a line of plain numbers is never a line of names.
  const bool not_only_numbers =
      first.first != Kind::number || first.text_after_first || first.quoted_number_after_first;
  const bool may_be_named = options.column_names != ColumnNames::none;
  const bool one_less = may_be_named && has_second && first.cells + 1 == second.cells && not_only_numbers;
  const bool looks_named = first.text_after_first || (first.quoted_number_after_first && quotes_mean_text) ||
                           first.first == Kind::empty || one_less ||
                           (first.cells == 1 && is_name(first.first)) ||
                           (is_name(first.first) && has_second && !is_name(second.first));
  const bool header =
      may_be_named && (looks_named || begins.title || options.column_names == ColumnNames::first);
  if (header && !has_second) fail_at_text(input, text.size(), "has a line of names, but no numbers");
  const LineShape& numbers = header ? second : first;
  Table table;
  table.dialect = dialect;
  table.body = header ? first.next : begin;
  table.named_by_comment = begins.title && begins.place > comments.last;
  const bool empty_corner = header && first.first == Kind::empty;
  table.row_names = is_name(numbers.first) || empty_corner || one_less;
  table.only_by_corner = empty_corner && numbers.first == Kind::number && row_names == RowNames::automatic;
  // "NA" is a name among names, and else a missing value.
  if (numbers.first == Kind::missing) table.row_names |= is_name(shape_at(numbers.next).first);
  if (row_names == RowNames::none && one_less)
    fail_at_text(input, begin,
                 "the line of names has one cell less than the next line, whose first cell must be a name; "
                 "row_names=none contradicts that");
  if (row_names != RowNames::automatic) table.row_names = row_names == RowNames::first;
  table.width = numbers.cells - (table.row_names ? 1 : 0);
  if (table.width == 0) fail_without_numbers(input, table);
  if (header) {
    if (first.cells != numbers.cells && !one_less)
      fail_at_text(input, first.next,
                   "this line has " + std::to_string(numbers.cells) + " cells, but the line of names has " +
                       std::to_string(first.cells));
    check_affordable(input, table.width, sizeof(std::string), "the names of the columns");
    table.column_names = cells.line(begin);
    if (table.row_names && !one_less) table.column_names.erase(table.column_names.begin());
  }
  return table;
}

}  // namespace svrmu::io
