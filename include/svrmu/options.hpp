/// \file
/// Options as lists. A struct of options lists its fields once, with range and help. The command line, model
/// files, checks, error messages and documentation are made from that list.
#pragma once

#include <array>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <typeinfo>
#include <utility>
#include <vector>

#include "svrmu/export.hpp"
#include "svrmu/loss.hpp"
#include "svrmu/matrix.hpp"

namespace svrmu {

/// What an option means to the library, whatever it is called. An option of the algorithm alone has its `own`
/// meaning.
enum class Meaning {
  own,                ///< known to the algorithm alone
  batch_size,         ///< columns per step of W; 0 is filled in before the fit
  safeguard,          ///< whether an epoch that ends badly is undone
  step,               ///< the step ratio
  step_decay,         ///< how fast the step ratio falls
  step_decay_power,   ///< the power with which it falls
  step_decay_clock,   ///< what it falls with: epochs, or steps of W
  h_repeats,          ///< h steps per batch
  h_rule,             ///< what ends the h steps on a batch
  h_rule_limit,       ///< most h steps; 0 is filled in before the fit
  h_rule_limit_rule,  ///< what that limit is filled in by
  h_rule_share,       ///< a factor of that rule
  h_rule_tolerance,   ///< relative size of the last h step
  exponent,           ///< power of a multiplicative ratio
  outlier_penalty,    ///< weight of the outliers; unset is filled in before the fit
  outlier_start,      ///< where R begins
  outlier_step,       ///< which h the step of R sees
  outlier_update,     ///< how R moves; automatic is filled in before the fit
};

/// One option of a struct. Numbers lie in [least, most].
template <class Options, class Value>
struct Field {
  std::string_view name;           ///< as the member is called
  Value Options::*member;          ///< where it is
  double least;                    ///< the smallest number that is allowed
  double most;                     ///< the largest number that is allowed
  std::string_view help;           ///< a clause for people
  Meaning meaning = Meaning::own;  ///< what the library knows of it
  std::string_view flag = {};      ///< its name on the command line, where that differs
};

/// A struct that lists its fields.
template <class Options>
concept ListsFields = requires {
  Options::fields();
};

/// An option with its present value, for people and programs.
struct OptionInfo {
  std::string name;                  ///< as set_option() takes it
  std::string type;                  ///< "integer", "number", "boolean", "choice" or "text"
  std::string value;                 ///< the present value as text
  std::vector<std::string> choices;  ///< the values of a choice
  double least = 0;                  ///< the smallest number that is allowed
  double most = 0;                   ///< the largest number that is allowed
  std::string help;                  ///< a clause for people
  std::string flag;                  ///< its name on the command line, without dashes in front
};

/// Groups of fields that many structs share, and bounds.
namespace fields {
constexpr double huge = 1e15;                                    ///< beyond any count, exact in a double
constexpr double positive = std::numeric_limits<double>::min();  ///< the bound "above 0"
constexpr double above_half = 0.5 + 0x1p-53;                     ///< the bound "above 0.5"
constexpr double largest = std::numeric_limits<double>::max();   ///< the bound "finite"
constexpr double unlimited = std::numeric_limits<double>::infinity();  ///< no bound
}  // namespace fields

/// Machinery behind the lists.
namespace detail {

/// A field without the type of its struct.
struct OptionRow {
  std::string_view name;
  std::string_view type;
  std::span<const std::string_view> choices;
  double least;
  double most;
  std::string_view help;
  Meaning meaning;
  std::string_view flag;
  const std::type_info* value_type;
  void* (*address)(void* object);
  std::string (*text)(const void* object);
  double (*number)(const void* object);         ///< NaN where there is none
  void (*assign)(void* object, double number);  ///< a number in range, or the place of a choice
};

SVRMU_API std::string option_number_text(double number);

template <class Value>
constexpr std::string_view type_name() {
  if constexpr (std::is_same_v<Value, bool>)
    return "boolean";
  else if constexpr (std::is_enum_v<Value>)
    return "choice";
  else if constexpr (std::is_same_v<Value, Loss>)
    return "text";
  else if constexpr (std::is_integral_v<Value>)
    return "integer";
  else
    return "number";
}

template <class Value>
inline constexpr auto choice_names = [] {
  if constexpr (std::is_enum_v<Value>)
    return choices(Value{});
  else
    return std::array<std::string_view, 0>{};
}();

template <class Value>
std::string value_text(const Value& value) {
  if constexpr (std::is_same_v<Value, bool>)
    return value ? "true" : "false";
  else if constexpr (std::is_enum_v<Value>)
    return std::string(choices(value)[static_cast<std::size_t>(value)]);
  else if constexpr (std::is_same_v<Value, Loss>)
    return to_string(value);
  else if constexpr (std::is_integral_v<Value>)
    return std::to_string(value);
  else if constexpr (std::is_same_v<Value, std::optional<double>>)
    return value ? option_number_text(*value) : "automatic";
  else
    return option_number_text(value);
}

template <class Value>
double value_number(const Value& value) {
  if constexpr (std::is_same_v<Value, std::optional<double>>)
    return value.value_or(std::numeric_limits<double>::quiet_NaN());
  else if constexpr (std::is_same_v<Value, Loss>)
    return value.beta;
  else
    return static_cast<double>(value);
}

template <class Value>
void assign_number(Value& value, double number) {
  if constexpr (std::is_same_v<Value, bool>)
    value = number != 0;
  else if constexpr (std::is_enum_v<Value>)
    value = static_cast<Value>(static_cast<int>(number));
  else if constexpr (std::is_same_v<Value, std::optional<double>>) {
    if (number == number)
      value = number;
    else
      value.reset();
  } else if constexpr (std::is_same_v<Value, Loss>)
    value.beta = number;
  else
    value = static_cast<Value>(number);
}

template <class Options, std::size_t I>
OptionRow option_row() {
  static constexpr auto field = std::get<I>(Options::fields());
  using Value = std::decay_t<decltype(std::declval<Options>().*(field.member))>;
  return {field.name,
          type_name<Value>(),
          choice_names<Value>,
          field.least,
          field.most,
          field.help,
          field.meaning,
          field.flag,
          &typeid(Value),
          [](void* o) -> void* { return &(static_cast<Options*>(o)->*(field.member)); },
          [](const void* o) { return value_text(static_cast<const Options*>(o)->*(field.member)); },
          [](const void* o) { return value_number(static_cast<const Options*>(o)->*(field.member)); },
          [](void* o, double x) { assign_number(static_cast<Options*>(o)->*(field.member), x); }};
}

/// All fields of a struct, in their order.
template <ListsFields Options>
std::span<const OptionRow> option_rows() {
  constexpr std::size_t count = std::tuple_size_v<decltype(Options::fields())>;
  static const auto rows = []<std::size_t... I>(std::index_sequence<I...>) {
    return std::array<OptionRow, count>{option_row<Options, I>()...};
  }
  (std::make_index_sequence<count>());
  return rows;
}

/// Options of some struct: its name for messages, its rows, and where it lies.
struct OptionView {
  std::string_view owner;  ///< "svrmu"; empty for options of the fit itself
  std::span<const OptionRow> rows;
  void* object;
};

SVRMU_API void set_option(const OptionView& options, std::string_view name, std::string_view value);
SVRMU_API std::vector<OptionInfo> list_options(const OptionView& options);
SVRMU_API void check_ranges(const OptionView& options);

template <ListsFields Options>
OptionView option_view(Options& options) {
  std::string_view owner;
  if constexpr (requires { Options::name; }) owner = Options::name;
  return {owner, option_rows<Options>(), &options};
}

}  // namespace detail

/// Sets one option of a struct from text. A name that it does not have, or a value out of range, is
/// InvalidInput.
template <ListsFields Options>
void set_option(Options& options, std::string_view name, std::string_view value) {
  detail::set_option(detail::option_view(options), name, value);
}

/// The options of a struct with their present values.
template <ListsFields Options>
std::vector<OptionInfo> options_of(Options options) {
  return detail::list_options(detail::option_view(options));
}

/// Throws InvalidInput when a value is out of its field's range.
template <ListsFields Options>
void check_ranges(Options options) {
  detail::check_ranges(detail::option_view(options));
}

}  // namespace svrmu
