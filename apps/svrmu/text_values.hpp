// Values of flags that are more than a number.
#pragma once

#include <string>
#include <string_view>

#include "svrmu/fit.hpp"

namespace svrmu::cli {

// One of the enumerators, with - or _; otherwise UsageError with the nearest name.
template <class Enum>
Enum parse_choice(std::string_view flag, std::string_view text);

}  // namespace svrmu::cli
