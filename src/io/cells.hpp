// Cells and lines of delimited text (RFC 4180): knows quotes, not numbers.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "io/input.hpp"

namespace svrmu::io {

struct Cell {
  std::size_t begin = 0;  // of the content, without quotes
  std::size_t end = 0;
  bool quoted = false;
  std::size_t next = 0;  // the delimiter or the end of line behind it
};

class Cells {
 public:
  // Delimiter ' ': any number of blanks separates cells, and blanks at the ends of a line mean nothing.
  Cells(const Input& input, char delimiter) : input_(input), text_(input.text()), delimiter_(delimiter) {}

  Cell read(std::size_t at) const;
  std::string content(const Cell& cell) const;
  // The contents of one line, from the cell at `at`.
  std::vector<std::string> line(std::size_t at) const;

  bool ends_line(std::size_t at) const { return at >= text_.size() || !is_delimiter(text_[at]); }
  // From the end of the last cell of a line to the next line.
  std::size_t next_line(std::size_t at) const {
    if (at < text_.size() && text_[at] == '\r') ++at;
    return at < text_.size() ? at + 1 : at;
  }
  bool only_blank_from(std::size_t at) const { return text_.find_first_not_of(" \t\r\n", at) == text_.npos; }

  bool spaced() const { return delimiter_ == ' '; }
  char delimiter() const { return delimiter_; }
  bool is_delimiter(char c) const { return c == delimiter_ || (spaced() && c == '\t'); }
  // A blank within a cell.
  bool is_space(char c) const { return !spaced() && (c == ' ' || c == '\t') && c != delimiter_; }

 private:
  Cell read_plain(std::size_t at) const;
  Cell read_quoted(std::size_t at) const;
  // Where the last of some blanks is, or the end of line behind them.
  std::size_t behind_blanks(std::size_t at) const;

  const Input& input_;
  std::string_view text_;
  char delimiter_;
};

// Where the text begins, behind its byte order mark; refuses UTF-16, and blanks alone: "holds no numbers".
std::size_t begin_of_text(const Input& input, const char* wanted);

}  // namespace svrmu::io
