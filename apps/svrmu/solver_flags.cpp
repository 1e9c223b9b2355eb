#include "solver_flags.hpp"

#include <algorithm>

#include "errors.hpp"
#include "list_flags.hpp"
#include "text/text.hpp"

namespace svrmu::cli {
namespace {

constexpr const char* group = "Options of the algorithm ('svrmu algorithms NAME' tells which it has)";

}  // namespace

SolverFlags::SolverFlags(CLI::App& command) {
  for (const SolverInfo& solver : catalog())
    for (const OptionInfo& info : options_of(solver.options)) {
      const bool known = std::any_of(values_.begin(), values_.end(),
                                     [&](const auto& value) { return value.first == info.name; });
      if (known) continue;
      auto value = std::make_unique<Value>();
      value->is_boolean = info.type == "boolean";
      const std::string flag = flag_of(info.name);
      if (value->is_boolean)
        value->option = command.add_flag(flag + ",!--no-" + flag.substr(2), value->on, info.help);
      else
        value->option = command.add_option(flag, value->text, info.help)->type_name(type_text(info));
      value->option->group(group);
      values_.emplace_back(info.name, std::move(value));
    }
}

OptionValues SolverFlags::given() const {
  OptionValues values;
  for (const auto& [name, value] : values_)
    if (value->option->count() > 0)
      values.emplace_back(name, value->is_boolean ? (value->on ? "true" : "false") : value->text);
  return values;
}

std::string SolverFlags::first_given() const {
  for (const auto& [name, value] : values_)
    if (value->option->count() > 0) return flag_of(name);
  return {};
}

bool SolverFlags::about_outliers() const {
  return std::any_of(values_.begin(), values_.end(), [](const auto& value) {
    return value.first.starts_with("outlier") && value.second->option->count() > 0;
  });
}

void SolverFlags::apply(SolverOptions& solver, const std::string& algorithm) const {
  const bool open = solver.get_if<Auto>() != nullptr;  // what it chooses may have any of them
  std::vector<std::string> has;
  for (const OptionInfo& info : options_of(solver)) has.push_back(info.name);
  for (const auto& [name, value] : given()) {
    if (!open && std::find(has.begin(), has.end(), name) == has.end()) {
      std::vector<std::string> flags;
      flags.reserve(has.size());
      for (const std::string& option : has) flags.push_back(flag_of(option));
      throw UsageError(algorithm + " has no option " + flag_of(name) + "; it has " + list_text(flags));
    }
    set_by_flag(solver, name, flag_of(name), value);
  }
}

}  // namespace svrmu::cli
