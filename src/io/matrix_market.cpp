// Matrix Market exchange format: a banner, comments, a line of sizes, one entry per line.
#include <algorithm>
#include <cctype>
#include <utility>

#include "io/compress.hpp"
#include "io/parsers.hpp"
#include "io/text.hpp"
#include "linalg/parallel.hpp"
#include "text/text.hpp"

namespace svrmu::io {
namespace {

struct Header {
  bool coordinate = false;
  bool pattern = false;
  bool symmetric = false;
  std::string field;
  Index rows = 0;
  Index columns = 0;
  Index entries = 0;
  std::size_t body = 0;  // where the entries begin
};

std::string_view line_at(std::string_view text, std::size_t begin) {
  const std::size_t end = text.find('\n', begin);
  return text.substr(begin, end == text.npos ? text.npos : end - begin);
}

std::vector<std::string> words(std::string_view line) {
  constexpr std::size_t most = 8;
  std::vector<std::string> found;
  std::size_t at = 0;
  while (found.size() < most) {
    while (at < line.size() && is_blank(line[at])) ++at;
    if (at == line.size()) break;
    std::string word;
    for (; at < line.size() && !is_blank(line[at]); ++at)
      word += static_cast<char>(std::tolower(static_cast<unsigned char>(line[at])));
    found.push_back(std::move(word));
  }
  return found;
}

bool is_comment_or_empty(std::string_view line) {
  return line.find_first_not_of(" \t\r") == line.npos || line[line.find_first_not_of(" \t\r")] == '%';
}

void read_banner(const Input& input, Header& header) {
  const auto banner = words(line_at(input.text(), 0));
  if (banner.empty() || banner[0] != "%%matrixmarket")
    fail_at_text(input, 0, "does not begin with %%MatrixMarket");
  if (banner.size() < 5)
    fail_at_text(input, 0, "the first line must be like '%%MatrixMarket matrix coordinate real general'");
  if (banner[1] != "matrix") fail_at_text(input, 0, "holds a " + in_quotes(banner[1]) + ", not a matrix");
  if (banner[2] != "coordinate" && banner[2] != "array")
    fail_at_text(input, 0, "unknown storage " + in_quotes(banner[2]) + "; coordinate and array are read");
  header.coordinate = banner[2] == "coordinate";
  header.field = banner[3];
  header.pattern = header.field == "pattern";
  const bool known = header.field == "real" || header.field == "integer" || header.field == "double";
  if (!known && !(header.pattern && header.coordinate))
    fail_at_text(input, 0,
                 "numbers of kind " + in_quotes(header.field) + "; real, integer and pattern are read");
  if (banner[4] != "general" && banner[4] != "symmetric")
    fail_at_text(input, 0, "symmetry " + in_quotes(banner[4]) + "; general and symmetric are read");
  header.symmetric = banner[4] == "symmetric";
}

Index read_size(const Input& input, std::size_t line, const std::string& word, Index most) {
  Index size = -1;
  const auto [stop, error] = std::from_chars(word.data(), word.data() + word.size(), size);
  if (error != std::errc() || stop != word.data() + word.size() || size < 0)
    fail_at_text(input, line, in_quotes(word) + " is not a size");
  if (size > most)
    fail_at_text(input, line, "a size of " + word + "; at most " + std::to_string(most) + " is read");
  return size;
}

Header read_header(const Input& input) {
  const std::string_view text = input.text();
  Header header;
  read_banner(input, header);
  std::size_t at = 0;
  do {
    at += line_at(text, at).size() + 1;
    if (at >= text.size()) fail_at_text(input, text.size(), "ends before the line of sizes");
  } while (is_comment_or_empty(line_at(text, at)));
  const auto sizes = words(line_at(text, at));
  if (sizes.size() != (header.coordinate ? 3u : 2u))
    fail_at_text(input, at,
                 header.coordinate ? "expected three sizes: rows, columns, entries"
                                   : "expected two sizes: rows, columns");
  header.rows = read_size(input, at, sizes[0], most_positions);
  header.columns = read_size(input, at, sizes[1], most_positions);
  if (header.coordinate) header.entries = read_size(input, at, sizes[2], Index{1} << 62);
  if (header.symmetric && header.rows != header.columns)
    fail_at_text(input, at, "a symmetric matrix must have as many rows as columns");
  header.body = std::min(at + line_at(text, at).size() + 1, text.size());
  return header;
}

// One piece of a file of entries.
template <class Scalar>
class EntryReader {
 public:
  EntryReader(const Header& header, std::string_view text, std::vector<Entry<Scalar>>& entries)
      : header_(header), text_(text), entries_(entries) {}

  Mistake read(std::size_t begin, std::size_t end) {
    at_ = text_.data() + begin;
    end_ = text_.data() + end;
    Mistake mistake;
    while (next_line())
      if (!read_entry(mistake)) break;
    return mistake;
  }

 private:
  void skip_blanks() {
    while (at_ != end_ && is_blank(*at_)) ++at_;
  }
  void skip_line() {
    while (at_ != end_ && *at_ != '\n') ++at_;
  }

  // At the first character of the next entry; false at the end.
  bool next_line() {
    for (;;) {
      skip_blanks();
      if (at_ == end_) return false;
      if (*at_ == '%') skip_line();
      if (at_ == end_) return false;
      if (*at_ != '\n') return true;
      ++at_;
    }
  }

  bool wrong(Mistake& mistake, const char* place, std::string what) const {
    mistake = {static_cast<std::size_t>(place - text_.data()), std::move(what)};
    return false;
  }

  std::string word_at(const char* from) const {
    const char* stop = from;
    while (stop != end_ && !is_blank(*stop) && *stop != '\n') ++stop;
    return stop == from ? "the end of the line" : in_quotes({from, static_cast<std::size_t>(stop - from)});
  }

  bool read_position(Mistake& mistake, Index most, const char* what, std::int32_t& position) {
    skip_blanks();
    const char* from = at_;
    std::uint64_t number = 0;
    while (at_ != end_ && *at_ >= '0' && *at_ <= '9' && number <= std::uint64_t{most_positions})
      number = 10 * number + static_cast<std::uint64_t>(*at_++ - '0');
    const bool ended = at_ == end_ || is_blank(*at_) || *at_ == '\n';
    if (at_ == from || (!ended && (*at_ < '0' || *at_ > '9')))
      return wrong(mistake, from,
                   std::string("expected the number of a ") + what + ", found " + word_at(from));
    if (number < 1 || number > static_cast<std::uint64_t>(most))
      return wrong(mistake, from,
                   std::string(what) + " " + word_at(from) + " is outside the matrix, whose " + what +
                       "s are 1 to " + std::to_string(most));
    position = static_cast<std::int32_t>(number - 1);
    return true;
  }

  bool read_value(Mistake& mistake, Scalar& value) {
    skip_blanks();
    const char* from = at_;
    const NumberError error = at_ == end_ ? NumberError::not_a_number : read_number(at_, end_, value);
    if (error == NumberError::too_large) return wrong(mistake, from, word_at(from) + " is too large");
    if (error != NumberError::none || (at_ != end_ && !is_blank(*at_) && *at_ != '\n'))
      return wrong(mistake, from, "expected a number, found " + word_at(from));
    return true;
  }

  bool read_entry(Mistake& mistake) {
    Entry<Scalar> entry{0, 0, 1};
    if (!read_position(mistake, header_.rows, "row", entry.row)) return false;
    if (!read_position(mistake, header_.columns, "column", entry.column)) return false;
    if (!header_.pattern && !read_value(mistake, entry.value)) return false;
    skip_blanks();
    if (at_ != end_ && *at_ != '\n')
      return wrong(mistake, at_, word_at(at_) + " follows an entry on its line");
    entries_.push_back(entry);
    return true;
  }

  const Header& header_;
  std::string_view text_;
  std::vector<Entry<Scalar>>& entries_;
  const char* at_ = nullptr;
  const char* end_ = nullptr;
};

template <class Scalar>
EntryParts<Scalar> read_entries(const Input& input, const Header& header, const ReadOptions& options) {
  const auto ends = cut_at_lines(input.text(), header.body, input.bytes.size(), piece_size);
  EntryParts<Scalar> parts(ends.size());
  std::vector<Mistake> mistakes(ends.size());
  const auto read_piece = [&](Index i) {
    const auto p = static_cast<std::size_t>(i);
    const std::size_t begin = p == 0 ? header.body : ends[p - 1];
    // As many as there can be: pages that are not used cost nothing.
    parts[p].reserve((ends[p] - begin) / (header.pattern ? 4 : 6) + 1);
    mistakes[p] = EntryReader<Scalar>(header, input.text(), parts[p]).read(begin, ends[p]);
    if (input.release && !mistakes[p]) input.release(input.bytes.subspan(begin, ends[p] - begin));
  };
  if (ends.size() > 1) {
    const ThreadScope scope(options.threads);
    parallel_for(static_cast<Index>(ends.size()), read_piece);
  } else if (ends.size() == 1) {
    read_piece(0);
  }
  for (const Mistake& mistake : mistakes)
    if (mistake) fail_at_text(input, mistake.position, mistake.what);
  return parts;
}

template <class Scalar>
MatrixFile read_coordinate(const Input& input, const Header& header, const ReadOptions& options) {
  const bool by_rows = decide_samples(options.samples, SamplesIn::automatic) == SamplesIn::rows;
  const Layout layout = by_rows ? Layout::rows_contiguous : Layout::columns_contiguous;
  check_affordable(input, static_cast<std::uint64_t>(by_rows ? header.rows : header.columns) + 1,
                   sizeof(Index), "a matrix of " + shape_text(header.rows, header.columns));
  EntryParts<Scalar> parts = read_entries<Scalar>(input, header, options);
  std::uint64_t found = 0;
  for (const auto& part : parts) found += part.size();
  if (found != static_cast<std::uint64_t>(header.entries))
    fail_at_text(input, input.bytes.size(),
                 "ends after " + std::to_string(found) + " entries, but the header promises " +
                     std::to_string(header.entries));
  return sparse_matrix(input, compress(parts, header.rows, header.columns, layout, header.symmetric),
                       header.rows, header.columns, layout, options);
}

// Values column by column, of the lower triangle only if the matrix is symmetric.
template <class Scalar>
MatrixFile read_array(const Input& input, const Header& header, const ReadOptions& options) {
  const auto rows = static_cast<std::uint64_t>(header.rows);
  const auto columns = static_cast<std::uint64_t>(header.columns);
  const std::uint64_t count = rows * columns;  // both fit into 31 bits
  check_affordable(input, count, sizeof(Scalar), "a matrix of " + shape_text(rows, columns));
  const std::string_view text = input.text();
  const std::uint64_t needed = header.symmetric ? rows * (rows + 1) / 2 : count;
  // Each value takes a character and a blank.
  if (needed > (text.size() - header.body + 1) / 2)
    fail_at_text(input, text.size(), "is too short for " + std::to_string(needed) + " values");
  std::shared_ptr<Scalar[]> values(new Scalar[count]);
  const char* at = text.data() + header.body;
  const char* end = text.data() + text.size();
  const auto next = [&](Scalar& value) {
    while (at != end && (is_blank(*at) || *at == '\n')) ++at;
    const char* from = at;
    const auto place = static_cast<std::size_t>(from - text.data());
    if (at == end)
      fail_at_text(input, place, "ends too early: " + std::to_string(needed) + " values are promised");
    const NumberError error = read_number(at, end, value);
    if (error == NumberError::too_large) fail_at_text(input, place, "a number is too large");
    if (error != NumberError::none || (at != end && !is_blank(*at) && *at != '\n'))
      fail_at_text(input, place, "expected a number, found " + in_quotes(line_at(text, place)));
  };
  for (std::uint64_t c = 0; c < columns && count > 0;
       ++c)  // a header may promise any number of empty columns
    for (std::uint64_t r = header.symmetric ? c : 0; r < rows; ++r) {
      next(values[c * rows + r]);
      if (header.symmetric) values[r * rows + c] = values[c * rows + r];
    }
  while (at != end && (is_blank(*at) || *at == '\n')) ++at;
  if (at != end)
    fail_at_text(input, static_cast<std::size_t>(at - text.data()),
                 "goes on after the last of " + std::to_string(needed) + " values");
  return owned_dense<Scalar>(input, std::move(values), header.rows, header.columns,
                             Layout::columns_contiguous, options);
}

template <class Scalar>
MatrixFile read_as(const Input& input, const Header& header, const ReadOptions& options) {
  return header.coordinate ? read_coordinate<Scalar>(input, header, options)
                           : read_array<Scalar>(input, header, options);
}

}  // namespace

MatrixFile parse_matrix_market(const Input& input, const ReadOptions& options) {
  const Header header = read_header(input);
  MatrixFile file = options.precision == Precision::float32 ? read_as<float>(input, header, options)
                                                            : read_as<double>(input, header, options);
  file.format = "mtx";
  file.elements = header.field;
  return file;
}

}  // namespace svrmu::io
