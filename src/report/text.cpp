#include "report/text.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>

#include "svrmu/report/page.hpp"
#include "text/number.hpp"
#include "text/utf8.hpp"

namespace svrmu::report {
namespace {

void put(std::string& out, char32_t code) {
  if (code < 0x80) {
    out += static_cast<char>(code);
    return;
  }
  const int more = code < 0x800 ? 1 : code < 0x10000 ? 2 : 3;
  constexpr std::array<unsigned, 4> lead = {0, 0xC0, 0xE0, 0xF0};
  out += static_cast<char>(lead[static_cast<std::size_t>(more)] | (code >> (6 * more)));
  for (int i = more - 1; i >= 0; --i) out += static_cast<char>(0x80 | ((code >> (6 * i)) & 0x3F));
}

bool is_wide(char32_t c) {
  return (c >= 0x1100 && c <= 0x115F) || (c >= 0x2E80 && c <= 0xA4CF) || (c >= 0xAC00 && c <= 0xD7A3) ||
         (c >= 0xF900 && c <= 0xFAFF) || (c >= 0xFE30 && c <= 0xFE6F) || (c >= 0xFF00 && c <= 0xFF60) ||
         (c >= 0x1F300 && c <= 0x1FAFF) || (c >= 0x20000 && c <= 0x3FFFD) || c == 0xFDFD ||
         (c >= 0x12000 && c <= 0x12FFF);  // some of the widest letters there are
}

bool is_combining(char32_t c) {
  return (c >= 0x0300 && c <= 0x036F) || (c >= 0x0483 && c <= 0x0489) || (c >= 0x1AB0 && c <= 0x1AFF) ||
         (c >= 0x1DC0 && c <= 0x1DFF) || (c >= 0x20D0 && c <= 0x20FF) || (c >= 0xFE20 && c <= 0xFE2F);
}

void put_visible(std::string& out, char32_t c) {
  if (c < 0x20) return put(out, 0x2400 + c);
  if (c == 0x7F) return put(out, 0x2421);
  if (c >= 0x80 && c < 0xA0) return put(out, 0xFFFD);
  if (!is_invisible_mark(c)) return put(out, c);
  std::array<char, 16> name;
  std::snprintf(name.data(), name.size(), "[U+%04X]", static_cast<unsigned>(c));
  out += name.data();
}

}  // namespace

std::string visible(std::string_view text, std::size_t most) {
  std::string out;
  std::size_t marks = 0;  // on one letter: many of them would cover the lines above
  for (std::size_t count = 0; !text.empty(); ++count) {
    if (count == most) return out + "…";
    const Character c = first_character(text);
    text.remove_prefix(c.bytes);
    marks = is_combining(c.code) ? marks + 1 : 0;
    if (marks <= 2) put_visible(out, c.code);
  }
  return out;
}

std::size_t display_width(std::string_view utf8) {
  std::size_t width = 0;
  while (!utf8.empty()) {
    const Character c = first_character(utf8);
    utf8.remove_prefix(c.bytes);
    width += is_combining(c.code) ? 0 : is_wide(c.code) ? 2 : 1;
  }
  return width;
}

std::string fitted(std::string_view text, std::size_t columns) {
  std::string whole = visible(text, columns + 1);
  if (display_width(whole) <= columns) return whole;
  std::string_view rest = whole;
  std::size_t width = 0;
  while (!rest.empty()) {
    const Character c = first_character(rest);
    const std::size_t more = is_combining(c.code) ? 0 : is_wide(c.code) ? 2 : 1;
    if (width + more + 1 > columns) break;
    width += more;
    rest.remove_prefix(c.bytes);
  }
  return whole.substr(0, whole.size() - rest.size()) + "…";
}

std::string html_text(std::string_view text, std::size_t most) {
  std::string out;
  for (const char c : visible(text, most)) {
    switch (c) {
      case '&':
        out += "&amp;";
        break;
      case '<':
        out += "&lt;";
        break;
      case '>':
        out += "&gt;";
        break;
      case '"':
        out += "&quot;";
        break;
      case '\'':
        out += "&#39;";
        break;
      default:
        out += c;
    }
  }
  return out;
}

std::string json_text(std::string_view text, std::size_t most) {
  std::string out = "\"";
  for (const char c : visible(text, most)) {
    switch (c) {
      case '"':
        out += "\\\"";
        break;
      case '\\':
        out += "\\\\";
        break;
      case '<':
        out += "\\u003c";
        break;
      case '>':
        out += "\\u003e";
        break;
      case '&':
        out += "\\u0026";
        break;
      default:
        out += c;
    }
  }
  return out + '"';
}

std::string json_number(double value) {
  return std::isfinite(value) ? significant_text(value, 7) : std::string("null");
}

std::string coordinate(double value) {
  const double rounded = std::round(std::clamp(value, -1e6, 1e6) * 100) / 100;
  return number_text(rounded == 0 ? 0.0 : rounded);
}

std::string file_stem(std::string_view text) {
  std::string out;
  for (const char c : text.substr(0, 60)) {
    const bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
    if (plain)
      out += c;
    else if (!out.empty() && out.back() != '-')
      out += '-';
  }
  while (!out.empty() && out.back() == '-') out.pop_back();
  return out.empty() ? "figure" : out;
}

std::string number(double value) { return readable_text(value); }

}  // namespace svrmu::report
