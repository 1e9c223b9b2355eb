// Any list of options by name and text.
#include "svrmu/options.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>

#include "options/parse.hpp"
#include "svrmu/error.hpp"
#include "text/text.hpp"

namespace svrmu::detail {
namespace {

std::string spoken(const OptionView& options, std::string_view name) {
  if (options.owner.empty()) return std::string(name);
  return "option " + std::string(name) + " of " + std::string(options.owner);
}

std::string range_text(const OptionRow& row) {
  const bool bounded = row.most < fields::huge;
  if (row.least == fields::positive || row.least == fields::above_half) {
    const std::string least = row.least == fields::positive ? "0" : "0.5";
    return bounded ? "lie above " + least + " and at most " + number_text(row.most) : "be above " + least;
  }
  if (bounded) return "lie between " + number_text(row.least) + " and " + number_text(row.most);
  const std::string finite = row.most < fields::unlimited && row.type == "number" ? "be finite and " : "";
  if (row.least == 0) return finite.empty() ? "not be negative" : finite + "not negative";
  return (finite.empty() ? "be " : finite) + "at least " + number_text(row.least);
}

void check_range(const OptionView& options, const OptionRow& row, double value) {
  if (value >= row.least && value <= row.most) return;
  const bool whole = row.type == "integer" && std::abs(value) < fields::huge;
  const std::string text = whole ? std::to_string(static_cast<Index>(value)) : number_text(value);
  throw InvalidInput(spoken(options, row.name) + " is " + text + "; it must " + range_text(row));
}

bool is_numeric(const OptionRow& row) { return row.type == "integer" || row.type == "number"; }

// A name tells its unit.
bool is_time(const OptionRow& row) { return row.name.ends_with("_seconds"); }

double parse_boolean(std::string_view text, const std::string& what) {
  if (text == "true" || text == "on" || text == "1") return 1;
  if (text == "false" || text == "off" || text == "0") return 0;
  throw InvalidInput(what + " is '" + std::string(text) + "'; it must be true or false");
}

double parse_choice(const OptionRow& row, std::string_view text, const std::string& what) {
  const auto found = std::find(row.choices.begin(), row.choices.end(), underscored(text));
  if (found == row.choices.end())
    throw InvalidInput(what + " is '" + std::string(text) + "'; choose one of " + list_text(row.choices));
  return static_cast<double>(found - row.choices.begin());
}

void assign_text(const OptionView& options, const OptionRow& row, std::string_view text) {
  const std::string what = spoken(options, row.name);
  if (row.type == "boolean") return row.assign(options.object, parse_boolean(text, what));
  if (row.type == "choice") return row.assign(options.object, parse_choice(row, text, what));
  if (row.type == "text") return row.assign(options.object, parse_loss(text).beta);
  if (*row.value_type == typeid(std::optional<double>) && text == "automatic")
    return row.assign(options.object, std::numeric_limits<double>::quiet_NaN());
  if (*row.value_type == typeid(std::uint64_t)) {  // a double would not hold all of them
    auto& value = *static_cast<std::uint64_t*>(row.address(options.object));
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error == std::errc() && end == text.data() + text.size()) return;
    throw InvalidInput(what + " is '" + std::string(text) +
                       "'; it must be a whole number from 0 to 2^64 - 1");
  }
  const double value = is_time(row) ? parse_duration(text, what) : parse_number(text, what);
  if (row.type == "integer" && value != std::floor(value))
    throw InvalidInput(what + " is " + std::string(text) + "; it must be a whole number");
  check_range(options, row, value);
  row.assign(options.object, value);
}

}  // namespace

std::string option_number_text(double number) { return number_text(number); }

void set_option(const OptionView& options, std::string_view name, std::string_view value) {
  const std::string wanted = underscored(name);
  std::vector<std::string> names;
  for (const OptionRow& row : options.rows) {
    if (row.name == wanted) return assign_text(options, row, value);
    names.emplace_back(row.name);
  }
  const std::string owner = options.owner.empty() ? "there is" : std::string(options.owner) + " has";
  throw InvalidInput(owner + " no option " + wanted + "; " + nearest_text(wanted, names));
}

std::vector<OptionInfo> list_options(const OptionView& options) {
  std::vector<OptionInfo> list;
  for (const OptionRow& row : options.rows) {
    std::string flag(row.flag.empty() ? row.name : row.flag);
    std::replace(flag.begin(), flag.end(), '_', '-');
    list.push_back({.name = std::string(row.name),
                    .type = std::string(row.type),
                    .value = row.text(options.object),
                    .choices = {row.choices.begin(), row.choices.end()},
                    .least = row.least,
                    .most = row.most,
                    .help = std::string(row.help),
                    .flag = std::move(flag)});
  }
  return list;
}

void check_ranges(const OptionView& options) {
  for (const OptionRow& row : options.rows) {
    if (row.type == "text" && !std::isfinite(row.number(options.object)))
      throw InvalidInput("beta of the loss is " + number_text(row.number(options.object)) +
                         "; it must be finite");
    const bool unset =
        *row.value_type == typeid(std::optional<double>) && row.text(options.object) == "automatic";
    if (is_numeric(row) && !unset) check_range(options, row, row.number(options.object));
  }
}

}  // namespace svrmu::detail
