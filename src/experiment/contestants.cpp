#include <algorithm>

#include "svrmu/error.hpp"
#include "svrmu/experiment/compare.hpp"
#include "text/text.hpp"

namespace svrmu::experiment {
namespace {

constexpr std::string_view of_the_paper =
    "inmf,onmf,asag-mu,smu,svrmu:inner-passes=5,smu-acc,svrmu-acc:inner-passes=5";

std::vector<std::string_view> split(std::string_view text) {
  std::vector<std::string_view> parts;
  for (;;) {
    const std::size_t end = text.find(',');
    parts.push_back(text.substr(0, end));
    if (end == std::string_view::npos) return parts;
    text.remove_prefix(end + 1);
  }
}

std::vector<std::string> options_named(const SolverOptions& solver) {
  std::vector<std::string> names;
  for (const OptionInfo& option : options_of(solver)) names.push_back(option.name);
  return names;
}

bool has_option(const SolverOptions& solver, const std::string& name) {
  return std::ranges::count(options_named(solver), name) > 0;
}

// "inner-passes=5" for the contestant that was named last.
void set_own_option(Contestant& contestant, std::string_view text) {
  const std::size_t sign = text.find('=');
  if (sign == std::string_view::npos || sign == 0 || sign + 1 == text.size())
    throw InvalidInput(contestant.label + " is followed by '" + std::string(text) +
                       "'; an option is written as name=value");
  std::string option(text.substr(0, sign));
  std::replace(option.begin(), option.end(), '-', '_');
  const std::size_t colon = contestant.label.find(':');
  if (!has_option(contestant.solver, option))
    throw InvalidInput(contestant.label.substr(0, colon) + " has no option " + option + "; it has " +
                       list_text(options_named(contestant.solver)));
  set_option(contestant.solver, option, text.substr(sign + 1));
  contestant.label += colon == std::string::npos ? ':' : ',';
  contestant.label += text;
}

Contestant contestant_named(std::string_view name, const OptionValues& shared) {
  Contestant contestant{std::string(name), solver_named(name)};
  for (const auto& [option, value] : shared)
    if (has_option(contestant.solver, option)) set_option(contestant.solver, option, value);
  return contestant;
}

void add_contestants(std::vector<Contestant>& list, std::string_view text, const OptionValues& shared) {
  bool options_may_follow = false;  // of the contestant named last
  for (const std::string_view part : split(text)) {
    const std::size_t colon = part.find(':');
    const std::string_view name = part.substr(0, colon);
    if (colon == std::string_view::npos && part.find('=') != std::string_view::npos) {
      if (!options_may_follow)
        throw InvalidInput("option " + std::string(part) +
                           " belongs to no algorithm; write it after one, as in svrmu:inner-passes=5");
      set_own_option(list.back(), part);
    } else if (name.empty()) {
      throw InvalidInput("a name is missing in '" + std::string(text) +
                         "'; algorithms are separated by single commas");
    } else if (name == "paper") {
      if (colon != std::string_view::npos)
        throw InvalidInput("paper stands for several algorithms and takes no options of its own");
      add_contestants(list, of_the_paper, shared);
      options_may_follow = false;
    } else {
      list.push_back(contestant_named(name, shared));
      options_may_follow = colon != std::string_view::npos;
      if (options_may_follow) set_own_option(list.back(), part.substr(colon + 1));
    }
  }
}

}  // namespace

std::vector<Contestant> parse_contestants(std::string_view text, const OptionValues& shared) {
  std::vector<Contestant> list;
  add_contestants(list, text, shared);
  for (auto at = list.begin(); at != list.end(); ++at)
    if (std::any_of(list.begin(), at, [&](const Contestant& before) { return before.label == at->label; }))
      throw InvalidInput("algorithm " + at->label + " is named twice");
  for (const auto& option : shared)
    if (std::ranges::none_of(list, [&](const Contestant& c) { return has_option(c.solver, option.first); }))
      throw InvalidInput("none of these algorithms has the option " + option.first);
  return list;
}

std::vector<Contestant> paper_contestants() { return parse_contestants("paper"); }

}  // namespace svrmu::experiment
