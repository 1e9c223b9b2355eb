// What a delimited text looks like: its signs, and where its names and numbers are.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "io/cells.hpp"
#include "svrmu/io/files.hpp"

namespace svrmu::io {

enum class Kind { empty, missing, number, quoted_number, text };

Kind kind_of(std::string_view text, const Cell& cell, char decimal);

// Nothing, or what people and programs write where a value is missing: NA, null, -, ?
bool is_missing(std::string_view content);

struct Dialect {
  char delimiter = ',';
  char decimal = '.';
};

// As the options say, else as the first lines look. `usual` is what the format promises; ' ' promises
// nothing.
Dialect find_dialect(const Input& input, char usual, const ReadOptions& options);

// "comma", "semicolon", ...: how messages and options name a delimiter.
std::string delimiter_name(char delimiter);

// Lines at the beginning of a text that begin with #, as numpy.savetxt writes them. A text that has nothing
// else has none of them.
struct Comments {
  std::size_t begin = 0;  // of the text
  std::size_t last = 0;   // where the last of them begins; as `end` if there are none
  std::size_t end = 0;    // behind them
};
Comments comments_before(const Input& input);

// Where the text ends that begins at `body`, without comments behind it.
std::size_t end_before_comments(std::string_view text, std::size_t body, std::size_t end);

struct Table {
  Dialect dialect;
  bool row_names = false;
  bool named_by_comment = false;  // the names of the columns are in the last comment
  bool only_by_corner = false;    // they are numbers, below a cell that is empty
  std::uint64_t width = 0;        // numbers per line
  std::size_t body = 0;           // where the first line of numbers begins
  std::vector<std::string> column_names;
};

// Where a text has names.
Table find_table(const Input& input, const Cells& cells, const Dialect& dialect, const ReadOptions& options);

// A note if the first line looks like one that numbers the columns, and the lines below do not.
std::string judge_first_line(const std::vector<double>& line, const std::vector<std::vector<double>>& below);

// The numbers of whole lines, behind what `values` has already. A mistake is InvalidData; then `values` has
// those of the lines before it.
template <class Scalar>
void append_lines(const Input& lines, const Table& table, std::vector<Scalar>& values);

// What the first column of a matrix of text is, from its values, those of the second, and its name (null:
// there is none). What it finds in the first lines holds of all lines, or not; it does not begin later.
struct FirstColumn {
  bool is_names = false;
  std::string note;  // empty: nothing to say
};
FirstColumn judge_first_column(const std::vector<double>& column, const std::vector<double>& second,
                               const std::string* name);

// "(0, 1, 2, ...)": how a column of so many values begins.
std::string beginning_of(const std::vector<std::string>& first, std::size_t count);

// Whole numbers from 0 on, no pair twice: `row` and `column` may be the places of entries.
bool are_places(const std::vector<double>& row, const std::vector<double>& column);
// Whether the first two of a few columns are the places of entries (row, column, value), one per line.
// `names` are those of all columns, or nothing. A few lines without such names may be rows of numbers as
// well.
enum class Triples { no, perhaps, yes };
Triples judge_triples(const std::vector<double>& row, const std::vector<double>& column,
                      const std::vector<std::string>& names);

}  // namespace svrmu::io
