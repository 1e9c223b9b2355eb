/// \file
/// The algorithms: one plain struct of options for each, and SolverOptions, which holds any of them.
#pragma once

#include <concepts>
#include <memory>
#include <string>
#include <string_view>
#include <tuple>
#include <typeinfo>
#include <utility>
#include <vector>

#include "svrmu/export.hpp"
#include "svrmu/options.hpp"
#include "svrmu/solvers/batch.hpp"
#include "svrmu/solvers/stochastic.hpp"

namespace svrmu {

/// Options by name, as set_option() takes them.
using OptionValues = std::vector<std::pair<std::string, std::string>>;

/// Lets the library choose the algorithm, and the start that goes with it.
struct Auto {
  bool robust = false;      ///< V ~ WH + R is wanted: the choice is an algorithm with outliers
  OptionValues settings{};  ///< options of whatever is chosen; InvalidInput if it does not have one of them

  static constexpr std::string_view name = "auto";  ///< as solver_named() takes it
  /// The list of its options.
  static constexpr auto fields() {
    return std::tuple{
        Field<Auto, bool>{"robust", &Auto::robust, 0, 0, "choose an algorithm with outliers, V ~ WH + R"}};
  }
};

/// The options of one algorithm: any struct that has a `name` and lists its fields.
template <class Options>
concept AlgorithmOptions = ListsFields<Options> && std::default_initializable<Options> &&
    std::copy_constructible<Options> && requires {
  { Options::name } -> std::convertible_to<std::string_view>;
};

/// An algorithm with its options: `SvrmuOptions{.batch_size = 512}`, `solver_named("svrmu-acc")`, or Auto.
class SolverOptions {
 public:
  /// Auto.
  SolverOptions() : SolverOptions(Auto{}) {}
  /// The options of one algorithm.
  template <AlgorithmOptions Options>
  SolverOptions(Options options) : held_(std::make_unique<Holder<Options>>(std::move(options))) {}
  /// Copies are independent.
  SolverOptions(const SolverOptions& other) : held_(other.held_->copy()) {}
  /// What is moved from may only be assigned to or destroyed.
  SolverOptions(SolverOptions&&) noexcept = default;
  /// Takes over the other's algorithm and options.
  SolverOptions& operator=(SolverOptions other) noexcept {
    held_ = std::move(other.held_);
    return *this;
  }
  ~SolverOptions() = default;

  /// The options, if they are of that type, else null.
  template <AlgorithmOptions Options>
  const Options* get_if() const {
    return held_->type() == typeid(Options) ? static_cast<const Options*>(held_->object()) : nullptr;
  }
  /// The options, which must be of that type: std::bad_cast if they are not.
  template <AlgorithmOptions Options>
  const Options& get() const {
    if (const Options* options = get_if<Options>()) return *options;
    throw std::bad_cast();
  }

  /// The base name of the algorithm: "svrmu" for svrmu and svrmu-acc.
  std::string_view name() const { return held_->name(); }
  /// The same algorithm with the defaults of its struct.
  SolverOptions defaults() const { return SolverOptions(held_->fresh()); }

  /// The option with that meaning, or null if the algorithm has none.
  template <class Value>
  const Value* find(Meaning meaning) const {
    return const_cast<SolverOptions*>(this)->find<Value>(meaning);
  }
  /// The same, to be changed.
  template <class Value>
  Value* find(Meaning meaning) {
    for (const detail::OptionRow& row : held_->rows())
      if (row.meaning == meaning && *row.value_type == typeid(Value))
        return static_cast<Value*>(row.address(held_->object()));
    return nullptr;
  }

  /// For the functions that work on any list of options.
  detail::OptionView view() const { return {held_->name(), held_->rows(), held_->object()}; }

 private:
  struct Held {
    virtual ~Held() = default;
    virtual std::unique_ptr<Held> copy() const = 0;
    virtual std::unique_ptr<Held> fresh() const = 0;
    virtual std::string_view name() const = 0;
    virtual std::span<const detail::OptionRow> rows() const = 0;
    virtual const std::type_info& type() const = 0;
    virtual void* object() = 0;
  };
  template <class Options>
  struct Holder final : Held {
    explicit Holder(Options o) : options(std::move(o)) {}
    std::unique_ptr<Held> copy() const override { return std::make_unique<Holder>(options); }
    std::unique_ptr<Held> fresh() const override { return std::make_unique<Holder>(Options{}); }
    std::string_view name() const override { return Options::name; }
    std::span<const detail::OptionRow> rows() const override { return detail::option_rows<Options>(); }
    const std::type_info& type() const override { return typeid(Options); }
    void* object() override { return &options; }
    Options options;
  };
  explicit SolverOptions(std::unique_ptr<Held> held) : held_(std::move(held)) {}

  std::unique_ptr<Held> held_;
};

/// "auto", "svrmu", "svrmu-acc", ... with that name's defaults. Unknown: InvalidInput, with the nearest name.
SVRMU_API SolverOptions solver_named(std::string_view name);

/// An algorithm of the catalog with the options of a preset that it lists. "paper" is Kasai's (2018)
/// Algorithm 1 as printed, with Algorithm 2 for the -acc forms. What `settings` say wins. InvalidInput if the
/// algorithm has no such preset.
SVRMU_API SolverOptions solver_by_preset(std::string_view name, std::string_view preset,
                                         const OptionValues& settings = {});

/// The base name of the algorithm: "svrmu" for svrmu and svrmu-acc.
SVRMU_API std::string_view name_of(const SolverOptions& solver);

/// True for V ~ WH + R.
SVRMU_API bool has_outliers(const SolverOptions& solver);

/// Sets one option from text. A name that the solver does not have, or a value out of range, is InvalidInput.
/// What is set for Auto is for the algorithm that it chooses.
SVRMU_API void set_option(SolverOptions& solver, std::string_view option, std::string_view value);

/// The options of a solver with their present values.
SVRMU_API std::vector<OptionInfo> options_of(const SolverOptions& solver);

/// An algorithm of the catalog.
struct SolverInfo {
  std::string name;                       ///< as solver_named() takes it
  std::string summary;                    ///< what it is, and when to use it
  SolverOptions options;                  ///< with its defaults
  std::vector<std::string> presets = {};  ///< as solver_by_preset() takes them
};

/// Every algorithm by name, in the order of the documentation.
SVRMU_API std::vector<SolverInfo> catalog();

/// Throws InvalidInput when a value is out of its field's range.
SVRMU_API void check_ranges(const SolverOptions& solver);

}  // namespace svrmu
