// Numbers, lists and guesses for messages that people read.
#pragma once

#include <algorithm>
#include <array>
#include <charconv>
#include <numeric>
#include <string>
#include <string_view>
#include <vector>

namespace svrmu {

// The shortest text that reads back as the same number.
inline std::string number_text(double value) {
  std::array<char, 32> buffer;
  const auto result = std::to_chars(buffer.data(), buffer.data() + buffer.size(), value);
  return std::string(buffer.data(), result.ptr);
}

// With so many significant digits at the most.
inline std::string number_text(double value, int digits) {
  std::array<char, 64> buffer;
  const auto result =
      std::to_chars(buffer.data(), buffer.data() + buffer.size(), value, std::chars_format::general, digits);
  return std::string(buffer.data(), result.ptr);
}

template <class Names>
std::string list_text(const Names& names, const std::string& between = ", ") {
  std::string text;
  for (const auto& name : names) text += (text.empty() ? "" : between) + std::string(name);
  return text;
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
