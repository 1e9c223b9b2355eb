// Lists and guesses for messages that people read.
#pragma once

#include <algorithm>
#include <numeric>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "text/number.hpp"

namespace svrmu {

template <class Parts>
std::string joined(const Parts& parts, std::string_view between) {
  std::string text;
  bool first = true;
  for (const auto& part : parts) {
    if (!first) text += between;
    text += part;
    first = false;
  }
  return text;
}

// "a, b, c"
template <class Names>
std::string list_text(const Names& names) {
  return joined(names, ", ");
}

// "20 x 30"
template <class Number>
std::string shape_text(Number rows, Number columns) {
  return std::to_string(rows) + " x " + std::to_string(columns);
}

inline std::size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> distances(b.size() + 1);
  std::iota(distances.begin(), distances.end(), std::size_t{0});
  std::size_t* row = distances.data();
  for (const char letter : a) {
    std::size_t diagonal = row[0]++;
    const char* other = b.data();
    for (std::size_t* left = row; left != row + b.size(); ++left, ++other) {
      const std::size_t change = diagonal + (letter == *other ? 0 : 1);
      diagonal = left[1];
      left[1] = std::min(change, std::min(diagonal, *left) + 1);
    }
  }
  return distances.back();
}

// "a", "a or b", "a, b or c"
inline std::string either_text(const std::vector<std::string>& names) {
  if (names.size() < 2) return list_text(names);
  return list_text(std::span(names).first(names.size() - 1)) + " or " + names.back();
}

// "did you mean X? (there are ...)". Where there are many names, `where` tells who lists them instead.
inline std::string nearest_text(std::string_view wanted, const std::vector<std::string>& names,
                                std::string_view where = {}) {
  constexpr std::size_t many = 12, most_guesses = 3;
  const bool short_list = where.empty() || names.size() <= many;
  const std::string all = short_list ? "there are " + list_text(names) : std::string(where);
  std::vector<std::string> nearest;
  std::size_t least = std::min<std::size_t>(3, (wanted.size() + 1) / 2);
  for (const std::string& name : names) {
    const std::size_t distance = edit_distance(wanted, name);
    if (distance < least) nearest.clear();
    if (distance <= least && nearest.size() < most_guesses) nearest.push_back(name);
    least = std::min(least, distance);
  }
  return nearest.empty() ? all : "did you mean " + either_text(nearest) + "? (" + all + ")";
}

}  // namespace svrmu
