#include "json.hpp"

#include "solver_flags.hpp"

namespace svrmu::cli {
namespace {

// As JSON's own types: options are kept as text.
Json value_of(const OptionInfo& option) {
  if (option.type == "boolean") return option.value == "true";
  if (option.type == "choice") return option.value;
  const Json number = Json::parse(option.value, nullptr, false);
  return number.is_number() ? number : Json(option.value);
}

}  // namespace

Json json_of(const EpochRecord& r) {
  return {{"epoch", r.epoch},
          {"objective", number_or_null(r.objective)},
          {"cost", number_or_null(r.cost)},
          {"relative_error", number_or_null(r.relative_error)},
          {"relative_change", number_or_null(r.relative_change)},
          {"kkt", number_or_null(r.kkt)},
          {"gradient_count", r.gradient_count},
          {"columns_read", r.columns_read},
          {"solver_seconds", r.solver_seconds},
          {"evaluate_seconds", r.evaluate_seconds},
          {"step", r.step},
          {"rollbacks", r.rollbacks},
          {"rolled_back", r.rolled_back},
          {"partial", r.partial}};
}

Json json_of(const OptionInfo& option) {
  Json json = {{"name", option.name},
               {"flag", flag_of(option.name)},
               {"type", option.type},
               {"default", value_of(option)},
               {"help", option.help}};
  if (option.type == "choice") json["choices"] = option.choices;
  if (option.type == "integer" || option.type == "number") {
    json["least"] = option.least;
    json["most"] = option.most;
  }
  return json;
}

Json values_of(const SolverOptions& solver) {
  Json json = Json::object();
  for (const OptionInfo& option : options_of(solver)) json[option.name] = value_of(option);
  return json;
}

std::string dump(const Json& json, int indent) {
  return json.dump(indent, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace svrmu::cli
