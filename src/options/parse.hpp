// Values of options from text.
#pragma once

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>
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

// In seconds; NaN: there is no such unit.
inline double unit_seconds(std::string_view unit) {
  if (unit == "ms") return 1e-3;
  if (unit == "s" || unit.empty()) return 1;
  if (unit == "m" || unit == "min") return 60;
  if (unit == "h") return 3600;
  if (unit == "d") return 86400;
  return std::nan("");
}

// Seconds of "90", "90s", "10m", "1h30m", "500ms"; "inf" is no limit.
inline double parse_duration(std::string_view text, const std::string& what) {
  const InvalidInput wrong(what + " is '" + std::string(text) +
                           "'; write a time like 90, 90s, 10m, 1h30m or 500ms");
  if (text == "inf") return std::numeric_limits<double>::infinity();
  double total = 0;
  for (std::string_view rest = text; !rest.empty() || text.empty();) {
    double number = 0;
    const auto [end, error] = std::from_chars(rest.data(), rest.data() + rest.size(), number);
    if (error != std::errc() || !(number >= 0) || !std::isfinite(number)) throw wrong;
    rest.remove_prefix(static_cast<std::size_t>(end - rest.data()));
    const auto letters = std::find_if(rest.begin(), rest.end(), [](char c) { return c < 'a' || c > 'z'; });
    const std::string_view unit = rest.substr(0, static_cast<std::size_t>(letters - rest.begin()));
    rest.remove_prefix(unit.size());
    if (unit.empty() && !rest.empty()) throw wrong;
    const double seconds = number * unit_seconds(unit);
    if (std::isnan(seconds)) throw wrong;
    total += seconds;
  }
  return total;
}

}  // namespace svrmu
