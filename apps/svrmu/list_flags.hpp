// Flags made from the library's lists of options: name, type, help and default are written once, there.
#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <string_view>

#include "errors.hpp"
#include "svrmu/error.hpp"
#include "svrmu/options.hpp"

namespace svrmu::cli {

// "h_repeats" -> "--h-repeats"
std::string flag_of(std::string_view option);

// A message of the library about options, in the words of the command line: "h_repeats is set, but h_rule
// paper
// ..." -> "--h-repeats is set, but --h-rule paper ...". Options are known from their lists; a name that is a
// usual word as well counts where the message begins with "NAME is".
std::string in_flags(const std::string& message);

// INTEGER, NUMBER, or the choices.
std::string type_text(const OptionInfo& info);

// Sets an option by its flag: what is refused is said of the flag, not of the option.
template <class Options>
void set_by_flag(Options& options, const std::string& name, const std::string& flag,
                 const std::string& value) {
  try {
    set_option(options, name, value);
  } catch (const InvalidInput& error) {
    std::string message = error.what();
    if (const std::size_t at = message.find(name); at != message.npos) message.replace(at, name.size(), flag);
    throw UsageError(message);
  }
}

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
