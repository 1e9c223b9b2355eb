// Lists and guesses for messages that people read.
#pragma once

#include <algorithm>
#include <numeric>
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

// "did you mean X? There are: ..."
inline std::string nearest_text(std::string_view wanted, const std::vector<std::string>& names) {
  const std::string all = "there are " + list_text(names);
  const std::string* nearest = nullptr;
  std::size_t least = std::min<std::size_t>(3, (wanted.size() + 1) / 2) + 1;
  for (const std::string& name : names)
    if (const std::size_t distance = edit_distance(wanted, name); distance < least) {
      nearest = &name;
      least = distance;
    }
  return nearest == nullptr ? all : "did you mean " + *nearest + "? (" + all + ")";
}

}  // namespace svrmu
