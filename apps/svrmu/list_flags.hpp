// Flags made from the library's lists of options: name, type, help and default are written once, there.
#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <string_view>

#include "svrmu/options.hpp"

namespace svrmu::cli {

// "h_repeats" -> "--h-repeats"
std::string flag_of(std::string_view option);

// INTEGER, NUMBER, or the choices.
std::string type_text(const OptionInfo& info);

// The flag of one option; its value goes straight into the struct, which must outlive the command. `alias` is
// a short name such as "-k".
CLI::Option* add_flag_of(CLI::App& command, const detail::OptionView& options, std::string_view name,
                         const std::string& alias = {});

template <ListsFields Options>
CLI::Option* add_flag_of(CLI::App& command, Options& options, std::string_view name,
                         const std::string& alias = {}) {
  return add_flag_of(command, detail::option_view(options), name, alias);
}

// The flags of all options of a struct.
template <ListsFields Options>
void add_flags_of(CLI::App& command, Options& options, const char* group) {
  for (const detail::OptionRow& row : detail::option_rows<Options>())
    add_flag_of(command, options, row.name)->group(group);
}

}  // namespace svrmu::cli
