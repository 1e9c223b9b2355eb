// Which delimiter and which decimal sign a text has.
#include <array>
#include <optional>
#include <utility>

#include "io/table.hpp"
#include "text/text.hpp"

namespace svrmu::io {
namespace {

constexpr int most_lines = 20;              // that are looked at
constexpr std::uint64_t most_cells = 4096;  // of each

constexpr std::pair<char, const char*> delimiters[] = {
    {',', "comma"}, {';', "semicolon"}, {'\t', "tab"}, {' ', "space"}};

// What a few lines would be under a dialect.
struct Trial {
  Dialect dialect;
  bool fits = false;         // the same number of cells in each line, and numbers in all but the first
  bool only_numbers = true;  // in the first as well
  bool decimals = false;     // some number has the decimal sign
  bool thousands = true;     // all that have it could as well have it between thousands
};

// "1,234" and "12,345,678", but not "0,123".
bool may_be_thousands(std::string_view number, char sign) {
  const std::size_t first = number.find(sign);
  if (first == 0 || first > 3 || number.starts_with('0')) return false;
  for (std::size_t at = first; at != number.npos; at = number.find(sign, at + 1)) {
    const std::string_view digits = number.substr(at + 1, 3);
    if (digits.size() < 3 || digits.find_first_not_of("0123456789") != digits.npos) return false;
    if (at + 4 < number.size() && number[at + 4] != sign) return false;
  }
  return true;
}

void look_at(const std::string& content, Trial& trial) {
  if (content.find(trial.dialect.decimal) == content.npos) return;
  trial.decimals = true;
  trial.thousands = trial.thousands && may_be_thousands(content, trial.dialect.decimal);
}

// Cells of the line at `at`, which moves to the next line; 0: there is something else than numbers.
std::uint64_t try_line(const Cells& cells, std::string_view text, std::size_t& at, Trial& trial) {
  std::uint64_t count = 0;
  for (bool good = true;; ++at) {
    const Cell cell = cells.read(at);
    const Kind kind = kind_of(text, cell, trial.dialect.decimal);
    const bool number = kind == Kind::number || kind == Kind::quoted_number;
    if (number) look_at(cells.content(cell), trial);
    if (kind == Kind::text) (count == 0 ? trial.only_numbers : good) = false;
    ++count;
    at = cell.next;
    if (cells.ends_line(at) || !good || count == most_cells) {
      at = std::min(text.find('\n', at), text.size() - 1) + 1;
      return good ? count : 0;
    }
  }
}

Trial try_dialect(const Input& input, std::size_t begin, const Dialect& dialect) {
  Trial trial{.dialect = dialect};
  const Cells cells(input, dialect.delimiter);
  std::uint64_t width = 0;
  try {
    for (int line = 0; line < most_lines && !cells.only_blank_from(begin); ++line) {
      if (line > 0 && input.text()[begin] == '#') break;  // a comment behind the numbers
      const std::uint64_t count = try_line(cells, input.text(), begin, trial);
      trial.fits = count > 1 && (width == 0 || width == count);
      if (!trial.fits) return trial;
      width = count;
    }
  } catch (const InvalidData&) {  // quotes that make no sense
    trial.fits = false;
  }
  return trial;
}

// Behind the first line, which may hold names, or at it if it is the only one.
std::size_t second_line(const Input& input, std::size_t begin) {
  const std::string_view text = input.text();
  const std::size_t newline = text.find('\n', begin);
  if (newline == text.npos || text.find_first_not_of(" \t\r\n", newline) == text.npos) return begin;
  return newline + 1;
}

// Where nothing fits, there is a mistake, to be found by a reader who takes the likeliest delimiter.
char likely_delimiter(const Input& input, std::size_t at, char usual) {
  const std::string_view line = input.text().substr(at, input.text().find('\n', at) - at);
  for (const char sign : {usual, '\t', ';', ','})
    if (sign != ' ' && line.find(sign) != line.npos) return sign;
  return usual;
}

std::vector<Dialect> candidates(char usual, const ReadOptions& options) {
  std::vector<char> signs;
  if (options.delimiter != '\0') {
    signs = {options.delimiter};
  } else {
    if (usual != ' ') signs = {usual};
    for (const char sign : {'\t', ';', ','})
      if (sign != usual) signs.push_back(sign);
    if (usual == ' ') signs.push_back(' ');
  }
  std::vector<Dialect> all;
  for (const char sign : signs)
    for (const char decimal : {'.', ','})
      if (sign != decimal && (options.decimal == '\0' || options.decimal == decimal))
        all.push_back({sign, decimal});
  return all;
}

[[noreturn]] void fail_of_two(const Input& input, std::size_t at, const Trial& a, const Trial& b) {
  const std::string one = delimiter_name(a.dialect.delimiter);
  const std::string other = delimiter_name(b.dialect.delimiter);
  fail_at_text(input, at,
               "cells may be separated by " + one + " or by " + other + "; say delimiter=" + one +
                   " or delimiter=" + other);
}

void check_thousands(const Input& input, std::size_t at, const Trial& trial, const ReadOptions& options) {
  if (options.decimal != '\0' || trial.dialect.decimal != ',' || !trial.decimals || !trial.thousands) return;
  fail_at_text(input, at,
               "the commas in its numbers may be decimal commas or separators of thousands; say "
               "decimal=comma, or write the numbers without separators");
}

}  // namespace

std::string delimiter_name(char delimiter) {
  for (const auto& [sign, name] : delimiters)
    if (sign == delimiter) return name;
  return printable(std::string(1, delimiter));
}

Dialect find_dialect(const Input& input, char usual, const ReadOptions& options) {
  const std::vector<Dialect> all = candidates(usual, options);
  if (all.empty())
    throw InvalidInput("decimal=comma and delimiter=comma contradict each other: commas cannot be both");
  if (all.size() == 1) return all.front();
  const std::size_t at = second_line(input, comments_before(input).end);
  std::optional<Trial> best;
  for (const Dialect& dialect : all) {
    const Trial trial = try_dialect(input, at, dialect);
    if (!trial.fits) continue;
    const bool promised = dialect.delimiter == usual && usual == '\t';
    // As nearly always: what is promised, and nothing but numbers.
    if (promised || (trial.only_numbers && dialect.delimiter == usual)) {
      check_thousands(input, at, trial, options);
      return dialect;
    }
    if (!best || (trial.only_numbers && !best->only_numbers))
      best = trial;
    else if (best->dialect.delimiter != dialect.delimiter && trial.only_numbers == best->only_numbers)
      fail_of_two(input, at, *best, trial);
  }
  if (!best)
    return {options.delimiter != '\0' ? options.delimiter : likely_delimiter(input, at, usual),
            all.front().decimal};
  check_thousands(input, at, *best, options);
  return best->dialect;
}

}  // namespace svrmu::io
