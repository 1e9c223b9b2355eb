// Numbers, lists and guesses for messages that people read.
#pragma once

#include <algorithm>
#include <array>
#include <charconv>
#include <numeric>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace svrmu {

// The shortest text that reads back as the same number.
inline std::string number_text(double value) {
  std::array<char, 32> buffer;
  const auto result = std::to_chars(buffer.data(), buffer.data() + buffer.size(), value);
  return std::string(buffer.data(), result.ptr);
}

template <class Names>
std::string list_text(const Names& names) {
  std::string text;
  for (const auto& name : names) text += (text.empty() ? "" : ", ") + std::string(name);
  return text;
}

inline std::size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 1; i <= a.size(); ++i) {
    std::size_t diagonal = std::exchange(row[0], i);
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t change = diagonal + (a[i - 1] == b[j - 1] ? 0 : 1);
      diagonal = row[j];
      row[j] = std::min({change, row[j] + 1, row[j - 1] + 1});
    }
  }
  return row[b.size()];
}

// "did you mean X? There are: ..."
inline std::string nearest_text(std::string_view wanted, const std::vector<std::string>& names) {
  const std::string all = "there are " + list_text(names);
  const auto nearest = std::min_element(names.begin(), names.end(), [&](const auto& a, const auto& b) {
    return edit_distance(wanted, a) < edit_distance(wanted, b);
  });
  if (nearest == names.end() ||
      edit_distance(wanted, *nearest) > std::min<std::size_t>(3, (wanted.size() + 1) / 2))
    return all;
  return "did you mean " + *nearest + "? (" + all + ")";
}

}  // namespace svrmu
