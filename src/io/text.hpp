// Numbers in text, and text cut into pieces that threads can read.
#pragma once

#include <charconv>
#include <string>
#include <string_view>
#include <vector>

#include "io/input.hpp"

namespace svrmu::io {

enum class NumberError { none, not_a_number, too_large };

// Plain decimals of few digits, the bulk of every file: digits / 10^places is then exact up to one rounding,
// which is the right answer. Leaves anything else alone.
template <class Scalar>
inline bool read_short_number(const char*& at, const char* end, Scalar& value, char decimal = '.') {
  constexpr double powers[] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,  1e8, 1e9,
                               1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18};
  constexpr std::uint64_t most = sizeof(Scalar) == 8 ? std::uint64_t{1} << 53 : std::uint64_t{1} << 24;
  constexpr std::ptrdiff_t most_places = sizeof(Scalar) == 8 ? 18 : 10;
  const char* from = at;
  const bool negative = from != end && *from == '-';
  if (negative) ++from;
  const auto digit = [&] { return from != end && static_cast<unsigned char>(*from - '0') <= 9; };
  std::uint64_t digits = 0;
  const char* const begin = from;
  for (; digit(); ++from) digits = 10 * digits + static_cast<std::uint64_t>(*from - '0');
  const std::ptrdiff_t whole = from - begin;
  std::ptrdiff_t places = 0;
  if (from != end && *from == decimal) {
    const char* const point = ++from;
    for (; digit(); ++from) digits = 10 * digits + static_cast<std::uint64_t>(*from - '0');
    places = from - point;
  }
  if (whole == 0 || whole + places > 18 || places > most_places || digits > most) return false;
  if (from != end && (*from == 'e' || *from == 'E')) return false;
  const Scalar size = static_cast<Scalar>(digits) / static_cast<Scalar>(powers[places]);
  value = negative ? -size : size;
  at = from;
  return true;
}

// Reads a number at `at` and moves it behind; the text must not be empty there. A leading + is fine; what is
// too small for the type becomes 0.
template <class Scalar>
NumberError read_number(const char*& at, const char* end, Scalar& value) {
  if (read_short_number(at, end, value)) return NumberError::none;
  const char* from = at;
  if (from != end && *from == '+') {
    ++from;
    if (from != end && *from == '-') return NumberError::not_a_number;
  }
  const auto [stop, error] = std::from_chars(from, end, value);
  if (error == std::errc()) {
    at = stop;
    return NumberError::none;
  }
  if (error != std::errc::result_out_of_range) return NumberError::not_a_number;
  const std::string_view text(from, static_cast<std::size_t>(stop - from));
  const bool tiny = text.find("e-") != text.npos || text.find("E-") != text.npos || text.starts_with("0.") ||
                    text.starts_with("-0.") || text.starts_with(".");
  if (!tiny) return NumberError::too_large;
  value = 0;
  at = stop;
  return NumberError::none;
}

// The same with a decimal comma or point. Numbers with a comma that are not short are rare: they are copied.
template <class Scalar>
NumberError read_number(const char*& at, const char* end, Scalar& value, char decimal) {
  if (decimal == '.') return read_number(at, end, value);
  if (read_short_number(at, end, value, decimal)) return NumberError::none;
  std::string copy;
  const auto belongs = [](char c) {
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '+' ||
           c == '-' || c == ',';
  };
  for (const char* from = at; from != end && belongs(*from); ++from) copy += *from == ',' ? '.' : *from;
  const char* stop = copy.data();
  const NumberError error = read_number(stop, copy.data() + copy.size(), value);
  at += stop - copy.data();
  return error;
}

// Only the letters of ASCII.
std::string lower(std::string text);

inline bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\r'; }

// Ends of pieces of whole lines from `begin` to `end`, about `size` bytes each: the same for any number of
// threads.
std::vector<std::size_t> cut_at_lines(std::string_view text, std::size_t begin, std::size_t end,
                                      std::size_t size);

// What is wrong in a piece of text; the first one of all pieces is reported.
struct Mistake {
  std::size_t position = std::string_view::npos;
  std::string what;

  explicit operator bool() const { return position != std::string_view::npos; }
};

constexpr std::size_t piece_size = std::size_t{1} << 22;

}  // namespace svrmu::io
