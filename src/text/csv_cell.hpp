// Cells of a CSV file.
#pragma once

#include <string>
#include <string_view>

namespace svrmu {

// A spreadsheet runs what begins like a formula; quotes do not keep it from that, an apostrophe does.
inline std::string without_formula(std::string_view text) {
  const bool formula =
      !text.empty() && std::string_view("=+-@|%\t\r").find(text.front()) != std::string_view::npos;
  std::string cell = formula ? "'" : "";
  cell += text;
  return cell;
}

// In quotes, those inside doubled (RFC 4180).
inline std::string quoted_cell(std::string_view text) {
  std::string cell = "\"";
  for (const char c : text) {
    if (c == '"') cell += '"';
    cell += c;
  }
  return cell + "\"";
}

}  // namespace svrmu
