// What there is to choose from: options by kind of work, and algorithms.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "svrmu/options.hpp"

namespace svrmu::c {

// Of "fit", "transform", "stream", "read" or an algorithm; InvalidInput for anything else.
std::vector<OptionInfo> options_by_kind(std::string_view of);

// Who has an option by that name, for people: "transform", "svrmu, svrmu-acc"; empty if nobody has.
std::string owner_of_option(std::string_view name);

// True if some algorithm has an option by that name.
bool some_algorithm_has(std::string_view name);

}  // namespace svrmu::c
