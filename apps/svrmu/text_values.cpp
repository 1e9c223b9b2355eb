#include "text_values.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>

#include "errors.hpp"
#include "svrmu/experiment/recovery.hpp"
#include "text/text.hpp"

namespace svrmu::cli {
namespace {

double unit_seconds(std::string_view unit) {
  if (unit == "ms") return 1e-3;
  if (unit == "s" || unit.empty()) return 1;
  if (unit == "m" || unit == "min") return 60;
  if (unit == "h") return 3600;
  if (unit == "d") return 86400;
  return std::nan("");
}

}  // namespace

double parse_duration(std::string_view text) {
  const UsageError wrong("--time-limit is '" + std::string(text) +
                         "'; write a time like 90, 90s, 10m, 1h30m or 500ms");
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

template <class Enum>
Enum parse_choice(std::string_view flag, std::string_view text) {
  const auto names = choices(Enum{});
  std::string wanted(text);
  std::replace(wanted.begin(), wanted.end(), '-', '_');
  const auto found = std::find(names.begin(), names.end(), wanted);
  if (found != names.end()) return static_cast<Enum>(found - names.begin());
  std::vector<std::string> shown(names.begin(), names.end());
  for (std::string& name : shown) std::replace(name.begin(), name.end(), '_', '-');
  throw UsageError(std::string(flag) + " is '" + std::string(text) + "'; " + nearest_text(text, shown));
}

template Start parse_choice<Start>(std::string_view, std::string_view);
template DataKind parse_choice<DataKind>(std::string_view, std::string_view);
template Order parse_choice<Order>(std::string_view, std::string_view);
template experiment::Axis parse_choice<experiment::Axis>(std::string_view, std::string_view);
template experiment::OutlierDraw parse_choice<experiment::OutlierDraw>(std::string_view, std::string_view);

}  // namespace svrmu::cli
