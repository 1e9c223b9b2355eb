// Columns of a text that are numbers, but no data: an index, an axis, or places of entries.
#include <algorithm>
#include <array>
#include <cmath>

#include "io/table.hpp"
#include "io/text.hpp"
#include "text/text.hpp"

namespace svrmu::io {
namespace {

using Column = std::vector<double>;

bool is_whole(double value) { return value == std::floor(value) && std::abs(value) < 9e15; }

bool is_monotone(const Column& column) {
  const auto falls = [](double a, double b) { return !(a < b); };
  const auto rises = [](double a, double b) { return !(a > b); };
  return std::adjacent_find(column.begin(), column.end(), falls) == column.end() ||
         std::adjacent_find(column.begin(), column.end(), rises) == column.end();
}

// 0, 1, 2, ... or 1, 2, 3, ...
bool counts_up(const Column& column) {
  if (column.empty() || (column[0] != 0 && column[0] != 1)) return false;
  return std::adjacent_find(column.begin(), column.end(), [](double a, double b) { return b != a + 1; }) ==
         column.end();
}

std::size_t distinct(Column column) {
  std::sort(column.begin(), column.end());
  return static_cast<std::size_t>(std::unique(column.begin(), column.end()) - column.begin());
}

bool are_whole_and_distinct(const Column& column) {
  return std::all_of(column.begin(), column.end(), is_whole) &&
         (is_monotone(column) || distinct(column) == column.size());
}

std::string trimmed_lower(const std::string& name) {
  const std::size_t begin = name.find_first_not_of(" \t");
  if (begin == name.npos) return "";
  return lower(name.substr(begin, name.find_last_not_of(" \t") + 1 - begin));
}

template <class Words>
bool is_among(const Words& words, std::string_view word) {
  return std::find(words.begin(), words.end(), word) != words.end();
}

bool ends_with_id(const std::string& name) {
  const std::string word = trimmed_lower(name);
  for (const char* end : {"_id", " id", "-id", ".id", "_index", " index"})
    if (word.ends_with(end)) return true;
  return name.ends_with("Id") || name.ends_with("ID") || word == "id";
}

// Names that nobody gives to data.
bool says_index(const std::string& name) {
  constexpr std::array words = {"",         "unnamed: 0", "index",  "idx", "row index", "row_index",
                                "rownames", "row names",  "row id", "#",   "no.",       "nr."};
  return is_among(words, trimmed_lower(name)) || ends_with_id(name);
}

// Names of data and of indices alike.
bool may_say_index(const std::string& name) {
  constexpr std::array words = {"x", "i", "n", "no", "nr", "number", "row", "sample", "obs", "observation"};
  return is_among(words, trimmed_lower(name));
}

// "Wavelength (nm)", "time_s": the first word counts.
bool says_axis(const std::string& name) {
  constexpr std::array words = {"wavelength",  "wavelengths", "wavenumber", "wavenumbers", "frequency",
                                "frequencies", "freq",        "time",       "timestamp",   "seconds",
                                "energy",      "m/z",         "mz",         "2theta",      "nm",
                                "hz",          "cm-1",        "raman"};
  const std::string word = trimmed_lower(name);
  return is_among(words, word) || is_among(words, word.substr(0, word.find_first_of(" _([,;:")));
}

bool says_place(const std::string& name) {
  constexpr std::array words = {"row",  "col",  "column", "i",       "j",      "user", "item", "doc",
                                "word", "term", "gene",   "feature", "sample", "cell", "movie"};
  const std::string word = trimmed_lower(name);
  return is_among(words, word) || ends_with_id(name) ||
         (word.ends_with("id") && is_among(words, word.substr(0, word.size() - 2)));
}

// Places are counted from 0 or 1, and most occur.
bool fills_its_range(const Column& column) {
  const auto [least, most] = std::minmax_element(column.begin(), column.end());
  return *least <= 1 && static_cast<double>(distinct(column)) >= 0.95 * (*most - *least + 1);
}

bool is_place(double value) { return value >= 0 && value < 4294967296.0 && is_whole(value); }

bool pairs_are_distinct(const Column& row, const Column& column) {
  std::vector<std::uint64_t> pairs(row.size());
  std::transform(row.begin(), row.end(), column.begin(), pairs.begin(), [](double i, double j) {
    return (static_cast<std::uint64_t>(i) << 32) | static_cast<std::uint64_t>(j);
  });
  std::sort(pairs.begin(), pairs.end());
  return std::adjacent_find(pairs.begin(), pairs.end()) == pairs.end();
}

std::string first_values(const Column& column) {
  std::vector<std::string> first;
  for (std::size_t i = 0; i < std::min<std::size_t>(column.size(), 3); ++i)
    first.push_back(number_text(column[i]));
  return beginning_of(first, column.size());
}

}  // namespace

std::string beginning_of(const std::vector<std::string>& first, std::size_t count) {
  const std::vector<std::string> shown(first.begin(),
                                       first.begin() + std::min<std::ptrdiff_t>(std::ssize(first), 3));
  std::string text = "(";
  text += printable(list_text(shown));
  return text + (count > shown.size() ? ", ...)" : ")");
}

FirstColumn judge_first_column(const Column& column, const Column& second, const std::string* name) {
  const std::string shown = "the first column " + first_values(column);
  if (name) {
    const bool index = says_index(*name), axis = says_axis(*name);
    const bool fits = index ? are_whole_and_distinct(column) : axis && is_monotone(column);
    if (fits || (may_say_index(*name) && counts_up(column)))
      return {true, shown + " is taken as names of the rows, as its name " + in_quotes(*name) +
                        " says; row_names=none takes it as data"};
    if (index || axis)
      return {false, shown + " is taken as data, although its name is " + in_quotes(*name) +
                         "; row_names=first takes it as names of the rows"};
  }
  // So many numbers do not rise by chance, unless all columns do.
  constexpr std::size_t many = 6, several = 3;
  const bool rises =
      (column.size() >= many && is_monotone(column)) || (column.size() >= several && counts_up(column));
  if (!rises || is_monotone(second)) return {};
  return {false, shown +
                     " is taken as data, but rises or falls throughout, as an index or an axis does; "
                     "row_names=first takes it as names of the rows, row_names=none as data"};
}

bool are_places(const Column& row, const Column& column) {
  return std::all_of(row.begin(), row.end(), is_place) &&
         std::all_of(column.begin(), column.end(), is_place) && pairs_are_distinct(row, column);
}

std::string judge_first_line(const Column& line, const std::vector<Column>& below) {
  constexpr std::size_t several = 3;
  if (line.size() < several || !counts_up(line) || std::all_of(below.begin(), below.end(), is_monotone))
    return {};
  return "the first line " + first_values(line) +
         " is taken as data, but counts as a line of names may; column_names=first takes it as names of the "
         "columns, column_names=none as data";
}

Triples judge_triples(const Column& row, const Column& column, const std::vector<std::string>& names) {
  constexpr std::size_t few = 10, many = 100;
  const std::size_t count = row.size();
  if (!are_places(row, column)) return Triples::no;
  // A column without repetitions is an index.
  if (distinct(row) == count || distinct(column) == count) return Triples::no;
  if (!names.empty() && says_place(names[0]) && says_place(names[1])) return Triples::yes;
  const bool from_start =
      *std::min_element(row.begin(), row.end()) <= 1 && *std::min_element(column.begin(), column.end()) <= 1;
  const bool sorted = std::is_sorted(row.begin(), row.end()) || std::is_sorted(column.begin(), column.end());
  if (!from_start || !(sorted || (count >= many && fills_its_range(row) && fills_its_range(column))))
    return Triples::no;
  return count < few ? Triples::perhaps : Triples::yes;
}

}  // namespace svrmu::io
