// What there is to choose from: options by kind of work, and algorithms.
#pragma once

#include <string>
#include <string_view>

#include "c/settings.hpp"

namespace svrmu::c {

// The names of the options of "fit", "transform", "stream", "read" or an algorithm that there is; of auto
// those of all algorithms, since it may choose any.
const OptionNames& option_names(std::string_view of);

// Who has an option by that name, for people: "transform", "svrmu, svrmu-acc"; empty if nobody has.
std::string owner_of_option(std::string_view name);

// True if some algorithm has an option by that name.
bool some_algorithm_has(std::string_view name);

}  // namespace svrmu::c
