// Values of flags that are more than a number.
#pragma once

#include <string>
#include <string_view>

#include "svrmu/fit.hpp"

namespace svrmu::cli {

// "90", "90s", "10m", "1h30m", "500ms": seconds.
double parse_duration(std::string_view text);

// One of the enumerators, with - or _; otherwise UsageError with the nearest name.
template <class Enum>
Enum parse_choice(std::string_view flag, std::string_view text);

}  // namespace svrmu::cli
