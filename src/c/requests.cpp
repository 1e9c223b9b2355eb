#include "c/requests.hpp"

#include <algorithm>

#include "c/lists.hpp"
#include "text/text.hpp"

namespace svrmu::c {
namespace {

struct Refused {
  const char* name;
  const char* flag;
  const char* why;
};

constexpr const char* seen_once = "each column is seen once";
constexpr const char* no_h = "H is not kept";

constexpr Refused not_for_streams[] = {
    {"restarts", "restarts", seen_once},
    {"max_epochs", "epochs", seen_once},
    {"relative_change", "tol", seen_once},
    {"kkt", "kkt_tol", seen_once},
    {"gradient_budget", "grad_budget", seen_once},
    {"evaluate_every", "evaluate_every", seen_once},
    {"preset", "preset", "the paper's algorithms read V again and again"},
    {"normalize", "normalize", no_h},
    {"init_h", "init_h", no_h},
    {"init_r", "init_r", "no algorithm models outliers on a stream"},
};

}  // namespace

SolverRequest take_solver(Settings& settings, bool robust) {
  SolverRequest request;
  request.name = settings.take_text("algorithm").value_or(std::string(Auto::name));
  const std::optional<std::string> preset = settings.take_text("preset");
  request.solver = solver_named(request.name);
  const OptionNames& options = option_names(request.name);
  for (const OptionName& option : options) settings.add_known(option.name);
  OptionValues rest = settings.take_rest();
  for (auto& [name, value] : rest) {
    const std::string wanted = underscored(name);
    const bool known = std::any_of(options.begin(), options.end(),
                                   [&](const OptionName& option) { return option.name == wanted; });
    if (!known && some_algorithm_has(wanted))
      throw InvalidInput(request.name + " has no option " + wanted + "; " + list_place(request.name));
    if (!known) settings.refuse_unknown(name);
    name = wanted;
    robust = robust || wanted.starts_with("outlier");
  }
  // What is said of outliers asks for an algorithm that has some, as on the command line.
  if (request.name == Auto::name && robust) set_option(request.solver, "robust", "true");
  for (const auto& [name, value] : rest) set_option(request.solver, name, value);
  if (preset) request.solver = solver_by_preset(request.name, *preset, rest);
  return request;
}

void refuse_for_stream(const Settings& settings) {
  for (const Refused& refused : not_for_streams) settings.refuse(refused.name, refused.flag, refused.why);
}

}  // namespace svrmu::c
