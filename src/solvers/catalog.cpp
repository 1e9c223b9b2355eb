// The list of all algorithms, and options of any of them by name.
#include <algorithm>

#include "options/parse.hpp"
#include "solvers/algorithm.hpp"
#include "text/text.hpp"

// One line for each algorithm, in the order of the documentation. Its source file defines NAME_algorithm().
#define SVRMU_FOR_ALL_ALGORITHMS(ALGORITHM) \
  ALGORITHM(mu)                             \
  ALGORITHM(mu_acc)                         \
  ALGORITHM(mu_ext)                         \
  ALGORITHM(r_nmf)                          \
  ALGORITHM(hals)                           \
  ALGORITHM(hals_acc)                       \
  ALGORITHM(hals_ext)                       \
  ALGORITHM(fast)                           \
  ALGORITHM(smu)                            \
  ALGORITHM(svrmu)                          \
  ALGORITHM(r_svrmu)                        \
  ALGORITHM(onmf)                           \
  ALGORITHM(r_onmf)                         \
  ALGORITHM(inmf)                           \
  ALGORITHM(asag_mu)                        \
  ALGORITHM(sag_mu)                         \
  ALGORITHM(inc_mu)                         \
  ALGORITHM(inc_hals)

namespace svrmu {

#define SVRMU_DECLARE(NAME) const Algorithm& NAME##_algorithm();
SVRMU_FOR_ALL_ALGORITHMS(SVRMU_DECLARE)
#undef SVRMU_DECLARE

namespace {

std::vector<const Algorithm*>& registry() {
#define SVRMU_LIST(NAME) &NAME##_algorithm(),
  static std::vector<const Algorithm*> all{SVRMU_FOR_ALL_ALGORITHMS(SVRMU_LIST)};
#undef SVRMU_LIST
  return all;
}

}  // namespace

std::vector<const Algorithm*> algorithms() { return registry(); }

const Algorithm& algorithm_of(const SolverOptions& solver) {
  for (const Algorithm* algorithm : registry())
    if (algorithm->name() == solver.name()) return *algorithm;
  throw InvalidInput("there is no algorithm with the name '" + std::string(solver.name()) +
                     "' of these options");
}

AddedAlgorithm::AddedAlgorithm(const Algorithm& algorithm) { registry().push_back(&algorithm); }
AddedAlgorithm::~AddedAlgorithm() { registry().pop_back(); }

std::vector<SolverInfo> catalog() {
  std::vector<SolverInfo> all;
  for (const Algorithm* algorithm : registry())
    for (SolverInfo& entry : algorithm->entries()) all.push_back(std::move(entry));
  return all;
}

SolverOptions solver_named(std::string_view name) {
  if (name == Auto::name) return Auto{};
  std::vector<std::string> names;
  for (SolverInfo& info : catalog()) {
    if (info.name == name) return info.options;
    names.push_back(info.name);
  }
  throw InvalidInput("there is no algorithm '" + std::string(name) + "'; " + nearest_text(name, names));
}

SolverOptions solver_by_preset(std::string_view name, std::string_view preset, const OptionValues& settings) {
  const auto has = [&](const SolverInfo& info) {
    return std::find(info.presets.begin(), info.presets.end(), preset) != info.presets.end();
  };
  SolverOptions solver = solver_named(name);  // refuses an unknown name
  std::vector<std::string> others;
  for (const SolverInfo& info : catalog()) {
    if (has(info)) others.push_back(info.name);
    if (info.name != name || !has(info)) continue;
    for (const auto& [option, value] : settings) set_option(solver, option, value);
    const Given given = [&](std::string_view option) {
      return std::any_of(settings.begin(), settings.end(),
                         [&](const auto& setting) { return underscored(setting.first) == option; });
    };
    algorithm_of(solver).apply_preset(preset, info, given, solver);
    return solver;
  }
  if (others.empty()) throw InvalidInput("there is no preset '" + std::string(preset) + "'");
  throw InvalidInput(std::string(name) + " has no preset " + std::string(preset) + "; " + list_text(others) +
                     " have it");
}

std::string_view name_of(const SolverOptions& solver) { return solver.name(); }

bool has_outliers(const SolverOptions& solver) {
  if (const Auto* open = solver.get_if<Auto>()) return open->robust;
  return algorithm_of(solver).traits().robust;
}

void set_option(SolverOptions& solver, std::string_view option, std::string_view value) {
  if (const Auto* open = solver.get_if<Auto>(); open != nullptr && option != "robust") {
    Auto next = *open;
    next.settings.emplace_back(underscored(option), value);
    solver = std::move(next);
    return;
  }
  detail::set_option(solver.view(), option, value);
}

std::vector<OptionInfo> options_of(const SolverOptions& solver) {
  return detail::list_options(solver.view());
}

void check_ranges(const SolverOptions& solver) { detail::check_ranges(solver.view()); }

}  // namespace svrmu
