// Names, options by name, and what each solver is for.
#include <algorithm>
#include <charconv>
#include <cmath>
#include <numeric>
#include <type_traits>

#include "svrmu/error.hpp"
#include "svrmu/loss.hpp"
#include "svrmu/solvers.hpp"
#include "text/text.hpp"

namespace svrmu {
namespace {

template <class T>
inline constexpr bool is_optional = false;
template <class T>
inline constexpr bool is_optional<std::optional<T>> = true;

// Calls body(field) for each field of the solver.
template <class Options, class Body>
void for_fields(Options& options, const Body& body) {
  std::apply([&](const auto&... field) { (body(field, options.*(field.member)), ...); },
             std::decay_t<Options>::fields());
}

std::string spoken(std::string_view solver, std::string_view option) {
  return "option " + std::string(option) + " of " + std::string(solver);
}

double parse_number(std::string_view text, const std::string& what) {
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() || !std::isfinite(value))
    throw InvalidInput(what + " is '" + std::string(text) + "', which is not a number");
  return value;
}

template <class Field>
void check_range(const Field& field, double value, std::string_view solver) {
  if (value >= field.least && value <= field.most) return;
  std::string range = "between " + number_text(field.least) + " and " + number_text(field.most);
  if (field.least == fields::positive) range = "above 0 and at most " + number_text(field.most);
  throw InvalidInput(spoken(solver, field.name) + " is " + number_text(value) + "; it must lie " + range);
}

template <class Value>
std::string value_text(const Value& value) {
  if constexpr (std::is_same_v<Value, bool>) {
    return value ? "true" : "false";
  } else if constexpr (std::is_enum_v<Value>) {
    return std::string(choices(value)[static_cast<std::size_t>(value)]);
  } else if constexpr (is_optional<Value>) {
    return value ? number_text(*value) : "automatic";
  } else {
    return number_text(static_cast<double>(value));
  }
}

template <class Field, class Value>
void assign(const Field& field, Value& member, std::string_view text, std::string_view solver) {
  const std::string what = spoken(solver, field.name);
  if constexpr (std::is_same_v<Value, bool>) {
    if (text == "true" || text == "on" || text == "1")
      member = true;
    else if (text == "false" || text == "off" || text == "0")
      member = false;
    else
      throw InvalidInput(what + " is '" + std::string(text) + "'; it must be true or false");
  } else if constexpr (std::is_enum_v<Value>) {
    const auto names = choices(Value{});
    std::string wanted(text);
    std::replace(wanted.begin(), wanted.end(), '-', '_');
    const auto found = std::find(names.begin(), names.end(), wanted);
    if (found == names.end())
      throw InvalidInput(what + " is '" + std::string(text) + "'; choose one of " + list_text(names));
    member = static_cast<Value>(found - names.begin());
  } else if constexpr (is_optional<Value>) {
    if (text == "automatic") {
      member.reset();
      return;
    }
    const double value = parse_number(text, what);
    check_range(field, value, solver);
    member = value;
  } else {
    const double value = parse_number(text, what);
    if (std::is_integral_v<Value> && value != std::floor(value))
      throw InvalidInput(what + " is " + std::string(text) + "; it must be a whole number");
    check_range(field, value, solver);
    member = static_cast<Value>(value);
  }
}

template <class Options>
Options accelerated(Options options) {
  options.h_repeats = 5;
  return options;
}

}  // namespace

std::vector<SolverInfo> catalogue() {
  return {
      {"mu", "batch multiplicative updates; every loss; slow and steady", MuOptions{}},
      {"mu-acc", "mu with inner repeats; a good batch method without settings", MuAccOptions{}},
      {"mu-ext", "mu from extrapolated factors; every loss; the first to try for kl and is", MuExtOptions{}},
      {"r-nmf", "mu with outliers, V ~ WH + R", RNmfOptions{}},
      {"hals", "hierarchical alternating least squares; fast per epoch", HalsOptions{}},
      {"hals-acc", "hals with inner sweeps; the best of the classical methods in memory", HalsAccOptions{}},
      {"hals-ext", "hals with inner sweeps and extrapolation; one visit of V per epoch", HalsExtOptions{}},
      {"fast", "subset, sketch and surrogate: a good factorization in a handful of visits of V",
       FastOptions{}},
      {"smu", "stochastic multiplicative updates; fast at first, has a noise floor", SmuOptions{}},
      {"smu-acc", "smu with 5 h steps per batch", accelerated(SmuOptions{})},
      {"svrmu", "variance-reduced stochastic updates: no noise floor", SvrmuOptions{}},
      {"svrmu-acc", "svrmu with 5 h steps per batch: the paper's best", accelerated(SvrmuOptions{})},
      {"r-svrmu", "svrmu with outliers, V ~ WH + R", RSvrmuOptions{}},
      {"r-svrmu-acc", "r-svrmu with 5 h steps per batch", accelerated(RSvrmuOptions{})},
      {"onmf", "online updates from sums over batches; for one-pass streams", OnmfOptions{}},
      {"onmf-acc", "onmf with 5 h steps per batch", accelerated(OnmfOptions{})},
      {"r-onmf", "onmf with outliers, V ~ WH + R", ROnmfOptions{}},
      {"r-onmf-acc", "r-onmf with 5 (h, r) steps per batch", accelerated(ROnmfOptions{})},
      {"inmf", "incremental updates with an average of past batches", InmfOptions{}},
      {"asag-mu", "stochastic updates with averaged gradients; every loss", AsagMuOptions{}},
      {"sag-mu", "variance-reduced by a stored gradient per batch; needs 2 F K numbers for each",
       SagMuOptions{}},
      {"sag-mu-acc", "sag-mu with 5 h steps per batch", accelerated(SagMuOptions{})},
      {"inc-mu", "mini-batches with exact statistics: monotone, no step to choose", IncMuOptions{}},
      {"inc-mu-acc", "inc-mu with 5 h steps per batch: the first mini-batch method to try",
       accelerated(IncMuOptions{})},
      {"inc-hals", "hals in mini-batches with exact statistics: monotone, for streams", IncHalsOptions{}},
  };
}

SolverOptions solver_named(std::string_view name) {
  std::vector<std::string> names;
  for (SolverInfo& info : catalogue()) {
    if (info.name == name) return info.options;
    names.push_back(info.name);
  }
  throw InvalidInput("there is no algorithm '" + std::string(name) + "'; " + nearest_text(name, names));
}

std::string_view name_of(const SolverOptions& solver) {
  return std::visit([](const auto& options) { return std::decay_t<decltype(options)>::name; }, solver);
}

bool has_outliers(const SolverOptions& solver) {
  return std::visit(
      [](const auto& options) {
        return requires { options.outlier_penalty; };
      },
      solver);
}

void set_option(SolverOptions& solver, std::string_view option, std::string_view value) {
  std::string wanted(option);
  std::replace(wanted.begin(), wanted.end(), '-', '_');
  std::visit(
      [&](auto& options) {
        bool found = false;
        std::vector<std::string> names;
        for_fields(options, [&](const auto& field, auto& member) {
          names.emplace_back(field.name);
          if (field.name != wanted) return;
          found = true;
          assign(field, member, value, options.name);
        });
        if (!found)
          throw InvalidInput(std::string(options.name) + " has no option " + wanted + "; " +
                             nearest_text(wanted, names));
      },
      solver);
}

std::vector<OptionInfo> options_of(const SolverOptions& solver) {
  std::vector<OptionInfo> list;
  std::visit(
      [&](const auto& options) {
        for_fields(options, [&](const auto& field, const auto& member) {
          using Value = std::decay_t<decltype(member)>;
          OptionInfo info{.name = std::string(field.name),
                          .type = "number",
                          .value = value_text(member),
                          .choices = {},
                          .least = field.least,
                          .most = field.most,
                          .help = std::string(field.help)};
          if constexpr (std::is_same_v<Value, bool>) {
            info.type = "boolean";
          } else if constexpr (std::is_enum_v<Value>) {
            info.type = "choice";
            for (const std::string_view choice : choices(Value{})) info.choices.emplace_back(choice);
          } else if constexpr (std::is_integral_v<Value>) {
            info.type = "integer";
          }
          list.push_back(std::move(info));
        });
      },
      solver);
  return list;
}

void check_ranges(const SolverOptions& solver) {
  std::visit(
      [](const auto& options) {
        for_fields(options, [&](const auto& field, const auto& member) {
          using Value = std::decay_t<decltype(member)>;
          if constexpr (is_optional<Value>) {
            if (member) check_range(field, *member, options.name);
          } else if constexpr (std::is_arithmetic_v<Value> && !std::is_same_v<Value, bool>) {
            check_range(field, static_cast<double>(member), options.name);
          }
        });
      },
      solver);
}

Loss parse_loss(std::string_view text) {
  if (text == "frobenius") return Loss::frobenius();
  if (text == "kl") return Loss::kullback_leibler();
  if (text == "is") return Loss::itakura_saito();
  if (text.starts_with("beta:"))
    return Loss::beta_divergence(parse_number(text.substr(5), "beta of the loss"));
  throw InvalidInput("there is no loss '" + std::string(text) + "'; choose frobenius, kl, is or beta:X");
}

std::string to_string(const Loss& loss) {
  if (loss.beta == 2) return "frobenius";
  if (loss.beta == 1) return "kl";
  if (loss.beta == 0) return "is";
  return "beta:" + number_text(loss.beta);
}

}  // namespace svrmu
