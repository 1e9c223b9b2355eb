// svrmu algorithms: the catalog.
#include <algorithm>
#include <iostream>

#include "commands.hpp"
#include "console.hpp"
#include "errors.hpp"
#include "json.hpp"
#include "solver_flags.hpp"
#include "svrmu/solvers.hpp"
#include "text/text.hpp"

namespace svrmu::cli {
namespace {

struct AlgorithmsFlags {
  std::string name;
  bool json = false;
};

Json entry_of(const SolverInfo& solver) {
  Json options = Json::array();
  for (const OptionInfo& option : options_of(solver.options)) options.push_back(json_of(option));
  return {
      {"name", solver.name}, {"summary", solver.summary}, {"options", options}, {"presets", solver.presets}};
}

void print_table(const std::vector<SolverInfo>& all) {
  std::size_t width = 0;
  for (const SolverInfo& solver : all) width = std::max(width, solver.name.size());
  for (const SolverInfo& solver : all)
    std::cout << solver.name << std::string(width + 2 - solver.name.size(), ' ') << solver.summary << "\n";
  std::cout << "\nsvrmu algorithms NAME shows its options; svrmu fit --algorithm auto chooses one.\n";
}

void print_options(const SolverInfo& solver) {
  std::cout << solver.name << ": " << solver.summary << "\n";
  if (!solver.presets.empty()) std::cout << "\n  --preset " << list_text(solver.presets) << "\n";
  for (const OptionInfo& option : options_of(solver.options)) {
    std::cout << "\n  " << flag_of(option.name);
    if (option.type == "boolean") std::cout << ", --no-" << flag_of(option.name).substr(2);
    if (option.type == "choice") std::cout << " " << list_text(option.choices);
    if (option.type == "integer" || option.type == "number")
      std::cout << " " << option.type << " from " << short_number(option.least) << " to "
                << short_number(option.most);
    std::cout << "  [" << option.value << "]\n      " << option.help << "\n";
  }
}

}  // namespace

Run add_algorithms(CLI::App& program) {
  CLI::App& app = *program.add_subcommand("algorithms", "The algorithms and their options");
  const auto flags = std::make_shared<AlgorithmsFlags>();
  app.description(
      "The algorithms, or the options of one of them.\n\n"
      "Examples:\n"
      "  svrmu algorithms\n"
      "  svrmu algorithms svrmu-acc\n"
      "  svrmu algorithms --json\n");
  app.add_option("NAME", flags->name, "the one whose options to show");
  add_json_flag(app, flags->json);
  return [flags] {
    std::vector<SolverInfo> all = catalog();
    if (!flags->name.empty()) {
      solver_named(flags->name);
      std::erase_if(all, [&](const SolverInfo& solver) { return solver.name != flags->name; });
    }
    if (flags->json) {
      Json json = Json::array();
      for (const SolverInfo& solver : all) json.push_back(entry_of(solver));
      std::cout << dump(json);
    } else if (flags->name.empty()) {
      print_table(all);
    } else {
      print_options(all.front());
    }
    return int{done};
  };
}

}  // namespace svrmu::cli
