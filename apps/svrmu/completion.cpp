// svrmu completion: what a shell can suggest, from the program's own flags.
#include <algorithm>
#include <iostream>

#include "commands.hpp"
#include "errors.hpp"
#include "svrmu/fit.hpp"
#include "svrmu/generate.hpp"
#include "svrmu/io/preprocess.hpp"
#include "text/text.hpp"

namespace svrmu::cli {
namespace {

struct Flag {
  std::string name;  // with dashes
  std::string help;
  bool takes_value = false;
  std::vector<std::string> values;  // those worth suggesting
};

std::vector<std::string> split(const std::string& text, char at) {
  std::vector<std::string> parts(1);
  for (const char c : text) {
    if (c == at)
      parts.emplace_back();
    else
      parts.back() += c;
  }
  return parts;
}

template <class Names>
std::vector<std::string> dashed(const Names& names) {
  std::vector<std::string> all(names.begin(), names.end());
  for (std::string& name : all) std::replace(name.begin(), name.end(), '_', '-');
  return all;
}

std::vector<std::string> values_of(const CLI::Option& option) {
  const std::string& name = option.get_single_name();
  if (name == "algorithm") {
    std::vector<std::string> names = {"auto"};
    for (const SolverInfo& solver : catalog()) names.push_back(solver.name);
    return names;
  }
  if (name == "algorithms") {
    std::vector<std::string> names = {"paper"};
    for (const SolverInfo& solver : catalog()) names.push_back(solver.name);
    return names;
  }
  if (name == "loss") return {"frobenius", "kl", "is", "beta:"};
  if (name == "init") return dashed(choices(Start{}));
  if (name == "preprocess") return dashed(choices(io::PreprocessStep{}));
  if (name == "samples" && option.get_type_name().starts_with("WHERE")) return {"rows", "columns"};
  if (name == "precision") return {"float32", "float64"};
  const std::string type = option.get_type_name();
  if (type.find('|') != std::string::npos) return split(type, '|');
  return {};
}

std::vector<Flag> flags_of(const CLI::App& app) {
  std::vector<Flag> flags;
  for (const CLI::Option* option : app.get_options()) {
    std::string help = option->get_description();
    help = help.substr(0, help.find('\n'));
    const bool takes_value = option->get_items_expected_max() > 0;
    for (const std::string& name : option->get_lnames())
      flags.push_back({"--" + name, help, takes_value, values_of(*option)});
    for (const std::string& name : option->get_snames())
      flags.push_back({"-" + name, help, takes_value, values_of(*option)});
  }
  return flags;
}

// What the first word after the command may be, besides files.
std::vector<std::string> first_words(const std::string& command) {
  if (command == "generate") return dashed(choices(DataKind{}));
  if (command == "reproduce") return {"synthetic", "faces"};
  if (command == "completion") return {"bash", "zsh", "fish"};
  std::vector<std::string> names;
  if (command == "algorithms")
    for (const SolverInfo& solver : catalog()) names.push_back(solver.name);
  return names;
}

void bash(const CLI::App& program) {
  std::vector<std::string> commands;
  for (const CLI::App* command : program.get_subcommands({})) commands.push_back(command->get_name());
  std::cout << "# bash completion of svrmu: put it in ~/.local/share/bash-completion/completions/svrmu\n"
               "_svrmu() {\n"
               "  local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD-1]} words=\n"
               "  COMPREPLY=()\n"
               "  if ((COMP_CWORD == 1)); then\n"
               "    COMPREPLY=($(compgen -W \""
            << joined(commands, " ")
            << " --help --version\" -- \"$word\"))\n"
               "    return\n"
               "  fi\n"
               "  case ${COMP_WORDS[1]}:$before in\n";
  for (const CLI::App* command : program.get_subcommands({}))
    for (const Flag& flag : flags_of(*command))
      if (!flag.values.empty())
        std::cout << "    " << command->get_name() << ":" << flag.name << ") words='"
                  << joined(flag.values, " ") << "' ;;\n";
  std::cout << "  esac\n"
               "  if [[ -z $words && $word == -* ]]; then\n"
               "    case ${COMP_WORDS[1]} in\n";
  for (const CLI::App* command : program.get_subcommands({})) {
    std::vector<std::string> names;
    for (const Flag& flag : flags_of(*command)) names.push_back(flag.name);
    std::cout << "      " << command->get_name() << ") words='" << joined(names, " ") << "' ;;\n";
  }
  std::cout << "    esac\n"
               "  elif [[ -z $words && $COMP_CWORD == 2 ]]; then\n"
               "    case ${COMP_WORDS[1]} in\n";
  for (const CLI::App* command : program.get_subcommands({}))
    if (const auto words = first_words(command->get_name()); !words.empty())
      std::cout << "      " << command->get_name() << ") words='" << joined(words, " ") << "' ;;\n";
  std::cout << "    esac\n"
               "  fi\n"
               "  if [[ -n $words ]]; then\n"
               "    COMPREPLY=($(compgen -W \"$words\" -- \"$word\"))\n"
               "  else\n"
               "    compopt -o filenames\n"
               "    mapfile -t COMPREPLY < <(compgen -f -- \"$word\")\n"
               "  fi\n"
               "}\n"
               "complete -F _svrmu svrmu\n";
}

// For zsh and fish: in single quotes.
std::string quoted(const std::string& text, bool zsh) {
  std::string out;
  for (const char c : text) {
    if (c == '\'')
      out += zsh ? "'\\''" : "\\'";
    else if (zsh && (c == '[' || c == ']' || c == ':'))
      out += std::string("\\") + c;
    else
      out += c;
  }
  return out;
}

void zsh(const CLI::App& program) {
  std::cout << "#compdef svrmu\n"
               "# zsh completion of svrmu: put it as _svrmu in a folder of your fpath\n"
               "_svrmu() {\n"
               "  if ((CURRENT == 2)); then\n"
               "    local -a commands=(\n";
  for (const CLI::App* command : program.get_subcommands({})) {
    const std::string help = command->get_description();
    std::cout << "      '" << command->get_name() << ":" << quoted(help.substr(0, help.find('\n')), true)
              << "'\n";
  }
  std::cout << "    )\n"
               "    _describe command commands\n"
               "    return\n"
               "  fi\n"
               "  local command=$words[2]\n"
               "  shift words\n"
               "  ((CURRENT--))\n"
               "  case $command in\n";
  for (const CLI::App* command : program.get_subcommands({})) {
    std::cout << "    " << command->get_name() << ")\n      _arguments";
    for (const Flag& flag : flags_of(*command)) {
      std::cout << " \\\n        '" << flag.name << "[" << quoted(flag.help, true) << "]";
      if (flag.takes_value)
        std::cout << ":value:" << (flag.values.empty() ? "_files" : "(" + joined(flag.values, " ") + ")");
      std::cout << "'";
    }
    const auto words = first_words(command->get_name());
    if (!words.empty()) std::cout << " \\\n        '1:value:(" << joined(words, " ") << ")'";
    std::cout << " \\\n        '*:file:_files' ;;\n";
  }
  std::cout << "  esac\n"
               "}\n"
               "_svrmu \"$@\"\n";
}

void fish(const CLI::App& program) {
  std::cout << "# fish completion of svrmu: put it in ~/.config/fish/completions/svrmu.fish\n";
  for (const CLI::App* command : program.get_subcommands({})) {
    const std::string help = command->get_description();
    std::cout << "complete -c svrmu -n __fish_use_subcommand -f -a " << command->get_name() << " -d '"
              << quoted(help.substr(0, help.find('\n')), false) << "'\n";
  }
  for (const CLI::App* command : program.get_subcommands({})) {
    const std::string seen = "complete -c svrmu -n '__fish_seen_subcommand_from " + command->get_name() + "'";
    for (const Flag& flag : flags_of(*command)) {
      const bool is_long = flag.name.starts_with("--");
      std::cout << seen << (is_long ? " -l " + flag.name.substr(2) : " -s " + flag.name.substr(1))
                << (flag.takes_value ? " -r" : "") << " -d '" << quoted(flag.help, false) << "'";
      if (!flag.values.empty()) std::cout << " -f -a '" << joined(flag.values, " ") << "'";
      std::cout << "\n";
    }
    if (const auto words = first_words(command->get_name()); !words.empty())
      std::cout << seen << " -f -a '" << joined(words, " ") << "'\n";
  }
}

}  // namespace

Run add_completion(CLI::App& program) {
  CLI::App& app = *program.add_subcommand("completion", "Completion for a shell");
  const auto shell = std::make_shared<std::string>();
  app.description(
      "Print a script that completes commands and flags.\n\n"
      "Examples:\n"
      "  source <(svrmu completion bash)\n"
      "  svrmu completion fish > ~/.config/fish/completions/svrmu.fish\n");
  app.add_option("SHELL", *shell, "bash, zsh or fish")
      ->required()
      ->check(CLI::IsMember({"bash", "zsh", "fish"}));
  return [shell, &program] {
    if (*shell == "bash") bash(program);
    if (*shell == "zsh") zsh(program);
    if (*shell == "fish") fish(program);
    return int{done};
  };
}

}  // namespace svrmu::cli
