#include "list_flags.hpp"

#include <algorithm>
#include <cmath>
#include <map>

#include "svrmu/fit.hpp"
#include "svrmu/solvers.hpp"
#include "svrmu/update.hpp"
#include "text/text.hpp"

namespace svrmu::cli {
namespace {

OptionInfo info_of(const detail::OptionView& options, std::string_view name) {
  for (OptionInfo& info : detail::list_options(options))
    if (info.name == name) return info;
  throw std::logic_error("there is no option " + std::string(name));
}

void add_words(const std::vector<OptionInfo>& options, std::map<std::string, std::string>& words) {
  for (const OptionInfo& info : options) {
    words.emplace(info.name, "--" + info.flag);
    for (const std::string& choice : info.choices)
      if (choice.find('_') != choice.npos) words.emplace(choice, flag_of(choice).substr(2));
  }
}

std::vector<std::vector<OptionInfo>> all_options() {
  std::vector<std::vector<OptionInfo>> all = {options_of(FitOptions<double>{}), options_of(Stopping{}),
                                              options_of(Penalties{}), options_of(StreamOptions<double>{})};
  for (const SolverInfo& solver : catalog()) all.push_back(options_of(solver.options));
  return all;
}

// Names of options and their choices, and how they are given on the command line.
std::map<std::string, std::string> spoken_words() {
  std::map<std::string, std::string> words;
  for (const std::vector<OptionInfo>& options : all_options()) add_words(options, words);
  return words;
}

std::multimap<std::string, std::string> choices_of_options() {
  std::multimap<std::string, std::string> choices;
  for (const std::vector<OptionInfo>& options : all_options())
    for (const OptionInfo& info : options)
      for (const std::string& choice : info.choices) choices.emplace(info.name, choice);
  return choices;
}

bool belongs(char c) { return c == '_' || std::isalnum(static_cast<unsigned char>(c)) != 0; }

std::string help_of(const OptionInfo& info) {
  if (info.name == "time_limit_seconds") return info.help + ": 90s, 10m, 1h30m";
  const bool shown =
      (info.type == "integer" || info.type == "number") && info.value != "0" && info.name != "rank";
  return info.help + (shown ? " [" + info.value + "]" : "");
}

}  // namespace

std::string flag_of(std::string_view option) {
  std::string flag = "--" + std::string(option);
  std::replace(flag.begin(), flag.end(), '_', '-');
  return flag;
}

std::string in_flags(const std::string& message) {
  const std::map<std::string, std::string> words = spoken_words();
  const std::multimap<std::string, std::string> values = choices_of_options();
  // A word that is plain English too is an option where its value follows: "order cyclic", "order must be".
  const auto has_value = [&](const std::string& word, std::string_view rest) {
    const auto [first, last] = values.equal_range(word);
    return std::any_of(first, last, [&](const auto& option) {
      return rest.starts_with(" " + option.second) &&
             (rest.size() == option.second.size() + 1 || !belongs(rest[option.second.size() + 1]));
    });
  };
  std::string out;
  for (std::size_t at = 0; at < message.size();) {
    std::size_t end = at;
    while (end < message.size() && belongs(message[end])) ++end;
    const std::string word = message.substr(at, end - at);
    const std::string_view rest = std::string_view(message).substr(end);
    const bool named = word.find('_') != word.npos || (at == 0 && rest.starts_with(" is ")) ||
                       rest.starts_with(" must be ") || has_value(word, rest);
    const auto found = named ? words.find(word) : words.end();
    out += found == words.end() ? word : found->second;
    if (end < message.size()) out += message[end++];
    at = end;
  }
  return out;
}

std::string type_text(const OptionInfo& info) {
  if (info.name == "time_limit_seconds") return "TIME";
  if (info.name == "rank") return "K";
  if (info.type == "text") return "LOSS";
  if (info.type == "integer") return "INTEGER";
  if (info.type == "number") return "NUMBER";
  std::string text = joined(info.choices, "|");
  std::replace(text.begin(), text.end(), '_', '-');
  return text;
}

CLI::Option* add_flag_of(CLI::App& command, const detail::OptionView& options, std::string_view name,
                         const std::string& alias) {
  const OptionInfo info = info_of(options, name);
  const std::string flag = (alias.empty() ? "" : alias + ",") + "--" + info.flag;
  if (info.type == "boolean")
    return command.add_flag_callback(
        flag, [options, info] { set_by_flag(options, info.name, "--" + info.flag, "true"); }, info.help);
  return command
      .add_option_function<std::string>(
          flag,
          [options, info](const std::string& text) {
            set_by_flag(options, info.name, "--" + info.flag, text);
          },
          help_of(info))
      ->type_name(type_text(info));
}

}  // namespace svrmu::cli
