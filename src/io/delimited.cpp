// Delimited numbers (RFC 4180), with or without names of rows and columns.
#include <algorithm>
#include <limits>
#include <optional>
#include <utility>

#include "io/elements.hpp"
#include "io/parsers.hpp"
#include "io/table.hpp"
#include "io/table_judgment.hpp"
#include "io/text.hpp"
#include "linalg/parallel.hpp"

namespace svrmu::io {
namespace {

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
  Mistake missing;                   // the first value that is missing
  std::uint64_t before_missing = 0;  // values before it
  std::uint64_t missing_count = 0;
};

// The lines of one piece.
template <class Scalar>
class LineReader {
 public:
  LineReader(const Input& input, const Cells& cells, const Table& table, Part<Scalar>& part)
      : text_(input.text()),
        cells_(cells),
        delimiter_(table.dialect.delimiter),
        decimal_(table.dialect.decimal),
        table_(table),
        part_(part) {}

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
  bool ends_cell(const char* at) const {
    return at == end_ || *at == delimiter_ || *at == '\n' || (spaced_ && *at == '\t');
  }
  void skip_spaces() {
    while (at_ != end_ && cells_.is_space(*at_)) ++at_;
    if (at_ != end_ && *at_ == '\r' && (at_ + 1 == end_ || at_[1] == '\n')) ++at_;
  }
  void skip_delimiters() {
    while (at_ != end_ && cells_.is_delimiter(*at_)) ++at_;
  }
  // To the next cell of the line, or false.
  bool next_cell() {
    if (at_ == end_ || !cells_.is_delimiter(*at_)) return false;
    ++at_;
    if (!spaced_) return true;
    skip_delimiters();
    skip_spaces();
    return at_ != end_ && *at_ != '\n';
  }

  // Blanks at the end of the text belong to a cell, but not to the piece.
  void move_behind(const Cell& cell) {
    at_ = std::min(text_.data() + cell.next, end_);
    skip_spaces();
  }

  bool read_line() {
    if (spaced_) skip_delimiters();
    if (table_.row_names) {
      const Cell cell = cells_.read(position(at_));
      part_.names.push_back(cells_.content(cell));
      move_behind(cell);
      if (!next_cell()) return wrong(at_, wrong_count(1));
    }
    for (std::uint64_t c = 0; c < table_.width; ++c) {
      if (!read_short_cell() && !read_cell(c)) return false;
      if (c + 1 == table_.width) break;
      if (!next_cell()) return wrong(at_, wrong_count(cell_number(c)));
    }
    const char* const behind = at_;
    if (next_cell())
      return wrong(behind,
                   "the line has more than " + std::to_string(cell_number(table_.width) - 1) + " cells");
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
    if (part_.count == part_.room || !read_short_number(at, end_, value, decimal_) || !ends_cell(at))
      return false;
    part_.values[part_.count++] = value;
    at_ = at;
    return true;
  }

  bool read_cell(std::uint64_t c) {
    skip_spaces();
    const char* from = at_;
    if (ends_cell(at_)) return read_missing(c, from, "");
    Scalar value = 0;
    NumberError error = NumberError::none;
    if (*at_ == '"') {
      error = read_quoted(value);
    } else {
      error = read_number(at_, end_, value, decimal_);
      skip_spaces();
      if (!ends_cell(at_) && error == NumberError::none) error = NumberError::not_a_number;
    }
    if (error == NumberError::too_large) return wrong(from, cell_text(c) + " is too large");
    if (error == NumberError::not_a_number) {
      const Cell cell = cells_.read(position(from));
      const std::string_view content =
          text_.substr(cell.begin, std::min<std::size_t>(cell.end - cell.begin, 64));
      move_behind(cell);
      if (is_missing(content)) return read_missing(c, from, content);
      return wrong(from, cell_text(c) + " is " + in_quotes(content) + ", not a number" + hint_about(content));
    }
    return keep(from, value);
  }

  bool keep(const char* from, Scalar value) {
    if (part_.count == part_.room) return wrong(from, "the text has more lines than line ends");
    part_.values[part_.count++] = value;
    return true;
  }

  // Goes on, so that all of them are counted.
  bool read_missing(std::uint64_t c, const char* from, std::string_view content) {
    const bool ends_line = from == end_ || *from == '\n';
    if (c == 0 && table_.width > 1 && !table_.row_names && ends_line)
      return wrong(from, "the line is empty; remove it");
    if (part_.missing_count == 0) part_.before_missing = part_.count;
    if (part_.missing_count++ == 0)
      part_.missing = {position(from),
                       cell_text(c) + " is " + (content.empty() ? "empty" : in_quotes(content))};
    return keep(from, std::numeric_limits<Scalar>::quiet_NaN());
  }

  std::string hint_about(std::string_view content) const {
    if (content.starts_with('#')) return "; comments may stand before and behind the numbers, not among them";
    if (decimal_ == '.' && content.find(',') != content.npos)
      return "; a decimal comma needs decimal=comma, and thousands must not be separated";
    if (decimal_ == ',' && content.find('.') != content.npos)
      return "; the decimal sign is the comma here, and thousands must not be separated";
    return "";
  }

  NumberError read_quoted(Scalar& value) {
    const Cell cell = cells_.read(position(at_));
    const char* at = text_.data() + cell.begin;
    const char* end = text_.data() + cell.end;
    while (at != end && is_blank(*at)) ++at;
    while (at != end && is_blank(end[-1])) --end;
    const NumberError error = at == end ? NumberError::not_a_number : read_number(at, end, value, decimal_);
    if (error == NumberError::none && at != end) return NumberError::not_a_number;
    move_behind(cell);
    return error;
  }

  std::string_view text_;
  const Cells& cells_;
  const char delimiter_;
  const char decimal_;
  const bool spaced_ = cells_.spaced();
  const Table& table_;
  Part<Scalar>& part_;
  const char* at_ = nullptr;
  const char* end_ = nullptr;
};

template <class Scalar>
std::vector<Part<Scalar>> cut(const Input& input, const Table& table) {
  const std::string_view text = input.text();
  // A row may have a name that begins like a comment.
  const std::size_t end = table.row_names ? text.size() : end_before_comments(text, table.body, text.size());
  // Empty lines at the end mean nothing; tabs there may be empty cells.
  const std::size_t last =
      text.substr(0, end).find_last_not_of(table.dialect.delimiter == '\t' ? " \r\n" : " \t\r\n");
  // A name in quotes may contain line ends: such a text is read in one piece.
  const bool has_quotes = text.find('"', table.body) != text.npos;
  std::vector<Part<Scalar>> parts;
  std::size_t begin = table.body;
  for (const std::size_t stop : cut_at_lines(text, begin, last + 1, has_quotes ? text.size() : piece_size)) {
    parts.emplace_back().begin = begin;
    parts.back().end = begin = stop;
  }
  return parts;
}

// Lines are counted first, so that values go where they stay.
template <class Scalar>
void find_room(const Input& input, const Table& table, Part<Scalar>& part) {
  const std::string_view piece = input.text().substr(part.begin, part.end - part.begin);
  const auto lines = static_cast<std::uint64_t>(std::count(piece.begin(), piece.end(), '\n')) + 1;
  // A value takes a delimiter at least.
  part.room = piece.size() + 1;
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

// Refuses what the parts have found; the first mistake is the one to mend.
template <class Scalar>
void check_parts(const Input& input, const std::vector<Part<Scalar>>& parts) {
  std::uint64_t missing = 0;
  const Mistake* first = nullptr;
  for (const auto& part : parts) {
    if (part.mistake) fail_at_text(input, part.mistake.position, part.mistake.what);
    if (!first && part.missing) first = &part.missing;
    missing += part.missing_count;
  }
  if (first)
    fail_at_text(
        input, first->position,
        first->what + ": " +
            (missing == 1 ? "a value is missing" : std::to_string(missing) + " values are missing") +
            ". Missing values are not supported yet, and 0 would mean that nothing was there when it "
            "was measured: leave out the rows or columns that have gaps, or fill them in (impute)");
}

template <class Scalar>
MatrixFile read_numbers(const Input& input, const Cells& cells, const Table& table,
                        const ReadOptions& options) {
  auto parts = cut<Scalar>(input, table);
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
                [&](Part<Scalar>& part) { LineReader<Scalar>(input, cells, table, part).read(); });
  check_parts(input, parts);
  std::uint64_t count = 0;
  std::vector<std::string> row_names;
  for (auto& part : parts) {
    count += part.count;
    std::move(part.names.begin(), part.names.end(), std::back_inserter(row_names));
  }
  const auto width = static_cast<Index>(table.width);
  MatrixFile file = owned_dense<Scalar>(input, values, static_cast<Index>(count) / width, width,
                                        Layout::rows_contiguous, options);
  file.row_names = std::move(row_names);
  return file;
}

template <class Scalar>
MatrixFile read_as(const Input& input, char usual, const ReadOptions& options) {
  const Dialect dialect = find_dialect(input, usual, options);
  const Cells cells(input, dialect.delimiter);
  Table table = find_table(input, cells, dialect, options);
  MatrixFile file = read_numbers<Scalar>(input, cells, table, options);
  if (options.row_names == RowNames::automatic) {
    if (holds_index<Scalar>(table, file)) {
      table.row_names = true;
      --table.width;
      table.column_names.erase(table.column_names.begin());
      const std::vector<std::string> notes = std::move(file.notes);
      file.storage.reset();
      file = read_numbers<Scalar>(input, cells, table, options);
      file.notes = notes;
    }
    refuse_triples<Scalar>(input, table, file);
  }
  if (options.column_names == ColumnNames::automatic) note_first_line<Scalar>(table, file);
  if (table.named_by_comment)
    file.notes.push_back("the comment before the numbers is taken as names of the columns " +
                         beginning_of(table.column_names, table.column_names.size()) +
                         "; column_names=none takes it as a comment");
  if (table.only_by_corner)
    file.notes.push_back("the first column " + beginning_of(file.row_names, file.row_names.size()) +
                         " is taken as names of the rows, as the empty cell above it says; row_names=none "
                         "takes it as data");
  file.column_names = std::move(table.column_names);
  file.format = dialect.delimiter == '\t' ? "tsv" : usual == ' ' ? "text" : "csv";
  file.elements = "text";
  return file;
}

}  // namespace

template <class Scalar>
void append_lines(const Input& lines, const Table& table, std::vector<Scalar>& values) {
  if (lines.bytes.empty()) return;
  const Cells cells(lines, table.dialect.delimiter);
  std::vector<Part<Scalar>> parts(1);
  parts[0].end = lines.bytes.size();
  find_room(lines, table, parts[0]);
  const std::size_t before = values.size();
  values.resize(before + parts[0].room);
  parts[0].values = values.data() + before;
  LineReader<Scalar>(lines, cells, table, parts[0]).read();
  const std::uint64_t good = parts[0].missing ? parts[0].before_missing : parts[0].count;
  values.resize(before + good / table.width * table.width);
  check_parts(lines, parts);
}
template void append_lines(const Input&, const Table&, std::vector<float>&);
template void append_lines(const Input&, const Table&, std::vector<double>&);

MatrixFile parse_delimited(const Input& input, char usual, const ReadOptions& options) {
  return options.precision == Precision::float32 ? read_as<float>(input, usual, options)
                                                 : read_as<double>(input, usual, options);
}

}  // namespace svrmu::io
