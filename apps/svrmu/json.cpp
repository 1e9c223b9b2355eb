#include "json.hpp"

#include <array>
#include <cstdio>

#include "console.hpp"
#include "solver_flags.hpp"
#include "text/utf8.hpp"

namespace svrmu::cli {
namespace {

// As JSON's own types: options are kept as text.
Json value_of(const OptionInfo& option) {
  if (option.type == "boolean") return option.value == "true";
  if (option.type == "choice") return option.value;
  const Json number = Json::parse(option.value, nullptr, false);
  return number.is_number() ? number : Json(option.value);
}

std::string unit_text(char32_t unit) {
  std::array<char, 16> text;
  std::snprintf(text.data(), text.size(), "\\u%04x", static_cast<unsigned>(unit));
  return text.data();
}

// What could deceive who looks at it, within strings: JSON itself has no such characters elsewhere.
std::string escaped(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  while (!text.empty()) {
    const auto [code, bytes, valid] = first_character(text);
    if (code < 0x7f || !is_hidden(code))
      out += text.substr(0, bytes);
    else if (code < 0x10000)
      out += unit_text(code);
    else  // as two halves
      out += unit_text(0xD800 + ((code - 0x10000) >> 10)) + unit_text(0xDC00 + (code & 0x3FF));
    text.remove_prefix(bytes);
  }
  return out;
}

}  // namespace

Json json_of(const EpochRecord& r) {
  return {{"epoch", r.epoch},
          {"objective", number_or_null(r.objective)},
          {"cost", number_or_null(r.cost)},
          {"relative_error", number_or_null(r.relative_error)},
          {"relative_change", number_or_null(r.relative_change)},
          {"kkt", number_or_null(r.kkt)},
          {"violation", number_or_null(r.violation)},
          {"gradient_count", r.gradient_count},
          {"columns_read", r.columns_read},
          {"columns_evaluated", r.columns_evaluated},
          {"solver_seconds", r.solver_seconds},
          {"evaluate_seconds", r.evaluate_seconds},
          {"step", r.step},
          {"rollbacks", r.rollbacks},
          {"rolled_back", r.rolled_back},
          {"estimated", r.estimated},
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
  return escaped(json.dump(indent, ' ', false, Json::error_handler_t::replace)) + "\n";
}

}  // namespace svrmu::cli
