// What a matrix of NMF must hold: finite numbers, none of them negative.
#pragma once

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <string>
#include <type_traits>

#include "svrmu/matrix.hpp"
#include "text/text.hpp"

namespace svrmu {

template <class Scalar>
bool is_valid(Scalar x) {
  return x >= Scalar(0) && x <= std::numeric_limits<Scalar>::max();
}

// Where the first value lies that is NaN, infinite or negative; `count` where there is none.
template <class Scalar>
Index first_invalid(const Scalar* values, Index count) {
  constexpr Index run = 256;  // numbers that are judged without a branch
  // By their bits, which the compiler turns into vectors where comparisons of numbers stay one by one. One
  // more exponent reaches the sign exactly where all bits of the exponent were set.
  using Bits = std::conditional_t<sizeof(Scalar) == 8, std::uint64_t, std::uint32_t>;
  constexpr Bits one_exponent = Bits(1) << (std::numeric_limits<Scalar>::digits - 1);
  constexpr Bits sign = Bits(1) << (8 * sizeof(Bits) - 1);
  for (Index begin = 0; begin < count; begin += run) {
    const Index end = std::min(begin + run, count);
    Bits marks = 0;
    for (Index i = begin; i < end; ++i) {
      const auto bits = std::bit_cast<Bits>(values[i]);
      marks |= bits | (bits + one_exponent);
    }
    if ((marks & sign) == 0) continue;
    // Perhaps no more than a zero with a sign.
    const Scalar* const found = std::find_if_not(values + begin, values + end, is_valid<Scalar>);
    if (found != values + end) return found - values;
  }
  return count;
}

// How often something occurs in a matrix, and where first.
struct Finding {
  double count = 0;
  Index row = 0;
  Index column = 0;
  double value = 0;

  void note(Index at_row, Index at_column, double x) {
    if (count++ > 0) return;
    row = at_row;
    column = at_column;
    value = x;
  }
};

// "holds 2 negative values, the first -1 at row 3, column 4 (counted from 1)".
inline std::string holds_text(const Finding& finding, const std::string& what) {
  const bool shown = finding.value < 0 && std::isfinite(finding.value);
  return "holds " + number_text(finding.count) + " " + what +
         (finding.count > 1 ? " values, the first" : " value,") + (shown ? " " : "") +
         (shown ? number_text(finding.value) : std::string()) + " at row " + std::to_string(finding.row + 1) +
         ", column " + std::to_string(finding.column + 1) + " (counted from 1)";
}

// The invalid values of a matrix, by kind.
struct InvalidValues {
  Finding nan;
  Finding infinite;
  Finding negative;

  // For values that are not valid.
  void note(Index row, Index column, double x) {
    (std::isnan(x) ? nan : std::isinf(x) ? infinite : negative).note(row, column, x);
  }
};

}  // namespace svrmu
