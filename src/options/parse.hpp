// Values of options from text.
#pragma once

#include <algorithm>
#include <charconv>
#include <cmath>
#include <string>
#include <string_view>

#include "svrmu/error.hpp"

namespace svrmu {

// "h-repeats" -> "h_repeats"
inline std::string underscored(std::string_view name) {
  std::string result(name);
  std::replace(result.begin(), result.end(), '-', '_');
  return result;
}

// A finite number and nothing else; `what` begins the message of a refusal.
inline double parse_number(std::string_view text, const std::string& what) {
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() || !std::isfinite(value))
    throw InvalidInput(what + " is '" + std::string(text) + "', which is not a number");
  return value;
}

}  // namespace svrmu
