// Numbers as text: one family for messages, files, tables and reports. None depends on the locale.
#pragma once

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <type_traits>

namespace svrmu {

// The shortest text that reads back as the same number of the same type, held without an allocation.
template <class Number>
class ShortestText {
 public:
  explicit ShortestText(Number value)
      : size_(static_cast<std::size_t>(
            std::to_chars(characters_.data(), characters_.data() + characters_.size(), value).ptr -
            characters_.data())) {}

  operator std::string_view() const { return {characters_.data(), size_}; }

 private:
  std::array<char, 32> characters_;
  std::size_t size_;
};

// The shortest text that reads back as the same number: "0.1", "1e-07".
inline std::string number_text(double value) { return std::string(std::string_view(ShortestText(value))); }

namespace number_detail {

// The longest double has 309 digits before the point.
inline std::string text_of(double value, std::chars_format format, int precision) {
  std::array<char, 400> buffer;
  const auto end = std::to_chars(buffer.data(), buffer.data() + buffer.size(), value, format, precision);
  return std::string(buffer.data(), end.ptr);
}

inline std::string without_trailing_zeros(std::string text) {
  if (text.find('.') == std::string::npos) return text;
  text.erase(text.find_last_not_of('0') + 1);
  if (text.back() == '.') text.pop_back();
  return text;
}

// "1234567" -> "1,234,567"; four digits are easily read as they are.
inline std::string grouped(const std::string& digits) {
  if (digits.size() <= 4) return digits;
  std::string out;
  for (std::size_t i = 0; i < digits.size(); ++i) {
    if (i > 0 && (digits.size() - i) % 3 == 0) out += ',';
    out += digits[i];
  }
  return out;
}

}  // namespace number_detail

// So many significant digits, as %g prints them: "0.1234", "1.234e-05".
inline std::string significant_text(double value, int digits) {
  return number_detail::text_of(value, std::chars_format::general, digits);
}

// So many digits behind the point, at most 80: "0.1230".
inline std::string decimal_text(double value, int decimals) {
  return number_detail::text_of(value, std::chars_format::fixed, decimals);
}

// For a page that people read: four significant digits, whole numbers in full, with the signs of typography:
// "0.1234", "1.5e-7", "12,345", "−3", "∞", and "–" for NaN.
inline std::string readable_text(double value) {
  using namespace number_detail;
  if (std::isnan(value)) return "–";
  const std::string sign = value < 0 ? "−" : "";
  const double size = std::abs(value);
  if (std::isinf(size)) return sign + "∞";
  if (size == std::round(size) && size < 1e15)
    return sign + grouped(std::to_string(static_cast<std::int64_t>(size)));
  if (size >= 1e-4 && size < 1e6) {
    const int decimals = std::max(0, 3 - static_cast<int>(std::floor(std::log10(size))));
    return sign + without_trailing_zeros(decimal_text(size, decimals));
  }
  const std::string text = text_of(size, std::chars_format::scientific, 3);
  const std::size_t e = text.find('e');
  return sign + without_trailing_zeros(text.substr(0, e)) + "e" +
         std::to_string(std::stoi(text.substr(e + 1)));
}

}  // namespace svrmu
