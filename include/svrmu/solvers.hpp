// The catalogue: one options struct per algorithm, and the variant of them that fit() takes. Each struct
// lists its fields once, with range and help; command line, Python, checks and documentation are made from
// that list.
#pragma once

#include <array>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <variant>
#include <vector>

#include "svrmu/export.hpp"
#include "svrmu/matrix.hpp"

namespace svrmu {

// In which order the mini-batches visit the columns of V.
enum class Order {
  cyclic,            // as stored, the same blocks in every epoch
  permute_once,      // one random permutation for the whole run
  reshuffle,         // a new permutation for every pass
  with_replacement,  // every batch drawn anew; a column drawn twice is updated once and counts twice
};

// How often the h step is repeated on a batch before W moves.
enum class HRule {
  fixed,   // h_repeats times
  paper,   // until ||h_l - h_(l-1)|| <= tolerance ||h_l - h_0||, at most h_rule_limit times
  gillis,  // until ||h_l - h_(l-1)|| < tolerance ||h_1 - h_0||, at most h_rule_limit times
};

enum class Exponent { mm, heuristic };  // power of the ratio when beta != 2: the descent-proof one, or 1
enum class UpdateFirst { h, w };        // which factor moves first in an epoch
enum class Statistics { reset, accumulate, replace };
enum class OutlierStart { scaled_uniform, uniform, residual };
enum class OutlierStep { simultaneous, sequential };
enum class OutlierUpdate { automatic, multiplicative, closed_form };

constexpr auto choices(Order) {
  return std::array<std::string_view, 4>{"cyclic", "permute_once", "reshuffle", "with_replacement"};
}
constexpr auto choices(HRule) { return std::array<std::string_view, 3>{"fixed", "paper", "gillis"}; }
constexpr auto choices(Exponent) { return std::array<std::string_view, 2>{"mm", "heuristic"}; }
constexpr auto choices(UpdateFirst) { return std::array<std::string_view, 2>{"h", "w"}; }
constexpr auto choices(Statistics) {
  return std::array<std::string_view, 3>{"reset", "accumulate", "replace"};
}
constexpr auto choices(OutlierStart) {
  return std::array<std::string_view, 3>{"scaled_uniform", "uniform", "residual"};
}
constexpr auto choices(OutlierStep) { return std::array<std::string_view, 2>{"simultaneous", "sequential"}; }
constexpr auto choices(OutlierUpdate) {
  return std::array<std::string_view, 3>{"automatic", "multiplicative", "closed_form"};
}

// One option of a solver. Numbers lie in [least, most].
template <class Options, class Value>
struct Field {
  std::string_view name;
  Value Options::*member;
  double least;
  double most;
  std::string_view help;
};

namespace fields {

constexpr double huge = 1e15;
constexpr double positive = std::numeric_limits<double>::min();

template <class O>
constexpr auto batches() {
  return std::tuple{
      Field<O, Index>{"batch_size", &O::batch_size, 0, huge,
                      "columns per update of W; 0 chooses min(N, max(5K, 256)), fewer than 5K are noisy"},
      Field<O, Order>{"order", &O::order, 0, 0, "order in which batches visit the columns"},
      Field<O, bool>{"safeguard", &O::safeguard, 0, 0,
                     "keep the best factors and undo an epoch that ends badly; off is the published method"}};
}
template <class O>
constexpr auto step() {
  return std::tuple{Field<O, double>{"step", &O::step, positive, 1,
                                     "step ratio a of W <- (1-a) W + a W.*P./Q; 1 is the plain rule"},
                    Field<O, double>{"step_decay", &O::step_decay, 0, 1e6,
                                     "c of the diminishing step a/(1 + c s) in epoch s"}};
}
template <class O>
constexpr auto repeats() {
  return std::tuple{
      Field<O, int>{"h_repeats", &O::h_repeats, 1, 1e6,
                    "h steps per batch with h_rule fixed: the X-acc forms use 5"},
      Field<O, HRule>{"h_rule", &O::h_rule, 0, 0, "what ends the h steps on a batch"},
      Field<O, int>{
          "h_rule_limit", &O::h_rule_limit, 0, 1e6,
          "most h steps with h_rule paper or gillis; 0 balances their cost with the W step, at most 20"},
      Field<O, double>{"h_rule_tolerance", &O::h_rule_tolerance, 0, 1,
                       "relative size of the last h step that ends them"}};
}
template <class O>
constexpr auto exponent() {
  return std::tuple{
      Field<O, Exponent>{"exponent", &O::exponent, 0, 0,
                         "power of the ratio for beta losses: mm (proven descent) or heuristic (1)"}};
}
template <class O>
constexpr auto sweeps() {
  return std::tuple{
      Field<O, double>{
          "work_ratio", &O::work_ratio, 0, 1e6,
          "inner updates per factor: at most 1 + work_ratio times (cost of products / cost of one)"},
      Field<O, int>{"h_rule_limit", &O::h_rule_limit, 0, 1e6,
                    "most inner updates per factor; 0 lets work_ratio decide"},
      Field<O, double>{"h_rule_tolerance", &O::h_rule_tolerance, 0, 1,
                       "end the inner updates when one moves the factor less than this share of the first"},
      Field<O, UpdateFirst>{"update_first", &O::update_first, 0, 0, "which factor moves first in an epoch"}};
}
template <class O>
constexpr auto inner_sweeps() {
  return Field<O, int>{"sweeps", &O::sweeps, 0, 1e6,
                       "sweeps over a factor per product with V; 0 chooses 2, 4 or 8 by shape and density"};
}
template <class O>
constexpr auto outliers() {
  return std::tuple{
      Field<O, std::optional<double>>{"outlier_penalty", &O::outlier_penalty, positive, 1e300,
                                      "lambda: residuals above it count as outliers; unset: 0.02 max(V)"},
      Field<O, OutlierStart>{
          "outlier_start", &O::outlier_start, 0, 0,
          "R before the first multiplicative step: uniform(0,1) mean(V), uniform(0,1), or what "
          "the start leaves unexplained"},
      Field<O, OutlierStep>{"outlier_step", &O::outlier_step, 0, 0,
                            "multiplicative R sees h from before or after its own step"},
      Field<O, OutlierUpdate>{
          "outlier_update", &O::outlier_update, 0, 0,
          "R by its multiplicative rule or in closed form max(V - WH - lambda, 0), which keeps "
          "no R; automatic: closed form unless R's start is given"}};
}

}  // namespace fields

// Batch multiplicative updates (Lee & Seung 2001; beta: Fevotte & Idier 2011).
struct MuOptions {
  Exponent exponent = Exponent::mm;
  UpdateFirst update_first = UpdateFirst::h;

  static constexpr std::string_view name = "mu";
  static constexpr auto fields() {
    return std::tuple_cat(fields::exponent<MuOptions>(), std::tuple{Field<MuOptions, UpdateFirst>{
                                                             "update_first", &MuOptions::update_first, 0, 0,
                                                             "which factor moves first in an epoch"}});
  }
};

// Multiplicative updates from extrapolated factors, for every loss (after Hien, Leplat & Gillis 2024).
struct MuExtOptions {
  Exponent exponent = Exponent::mm;

  static constexpr std::string_view name = "mu-ext";
  static constexpr auto fields() { return fields::exponent<MuExtOptions>(); }
};

// Multiplicative updates with inner repeats (Gillis & Glineur 2012).
struct MuAccOptions {
  double work_ratio = 2;
  int h_rule_limit = 0;
  double h_rule_tolerance = 0.1;
  UpdateFirst update_first = UpdateFirst::h;

  static constexpr std::string_view name = "mu-acc";
  static constexpr auto fields() { return fields::sweeps<MuAccOptions>(); }
};

// Batch multiplicative updates with L1 outliers (R-NMF of the paper's comparison).
struct RNmfOptions {
  std::optional<double> outlier_penalty{};
  OutlierStart outlier_start = OutlierStart::scaled_uniform;
  OutlierStep outlier_step = OutlierStep::sequential;
  OutlierUpdate outlier_update = OutlierUpdate::automatic;

  static constexpr std::string_view name = "r-nmf";
  static constexpr auto fields() { return fields::outliers<RNmfOptions>(); }
};

// Hierarchical alternating least squares (Cichocki & Phan 2009).
struct HalsOptions {
  bool initial_scaling = true;

  static constexpr std::string_view name = "hals";
  static constexpr auto fields() {
    return std::tuple{Field<HalsOptions, bool>{"initial_scaling", &HalsOptions::initial_scaling, 0, 0,
                                               "scale the start to fit V and balance its components"}};
  }
};

// HALS with inner sweeps (Gillis & Glineur 2012).
struct HalsAccOptions {
  bool initial_scaling = true;
  double work_ratio = 0.5;
  int h_rule_limit = 0;
  double h_rule_tolerance = 0.1;
  UpdateFirst update_first = UpdateFirst::h;

  static constexpr std::string_view name = "hals-acc";
  static constexpr auto fields() {
    return std::tuple_cat(
        std::tuple{Field<HalsAccOptions, bool>{"initial_scaling", &HalsAccOptions::initial_scaling, 0, 0,
                                               "scale the start to fit V and balance its components"}},
        fields::sweeps<HalsAccOptions>());
  }
};

// HALS with inner sweeps and extrapolation (Ang & Gillis 2019).
struct HalsExtOptions {
  int sweeps = 0;

  static constexpr std::string_view name = "hals-ext";
  static constexpr auto fields() { return std::tuple{fields::inner_sweeps<HalsExtOptions>()}; }
};

// Column subset, sketch and a surrogate that is made consistent with V at each visit.
struct FastOptions {
  Index subset_size = 0;
  Index sketch_size = 0;
  int sweeps = 0;

  static constexpr std::string_view name = "fast";
  static constexpr auto fields() {
    using O = FastOptions;
    return std::tuple{
        Field<O, Index>{
            "subset_size", &O::subset_size, 0, fields::huge,
            "columns that W is learned on at first; 0 chooses at least max(1000, 50K), at most N/2"},
        Field<O, Index>{"sketch_size", &O::sketch_size, 0, 46340,
                        "dimension to which V is compressed; 0 chooses 1.5K, or none where V is small"},
        fields::inner_sweeps<O>()};
  }
};

// Stochastic multiplicative updates.
struct SmuOptions {
  Index batch_size = 0;
  int h_repeats = 1;
  HRule h_rule = HRule::fixed;
  int h_rule_limit = 0;
  double h_rule_tolerance = 0.1;
  double step = 1;
  double step_decay = 0;
  Order order = Order::permute_once;
  bool safeguard = true;
  Exponent exponent = Exponent::mm;

  static constexpr std::string_view name = "smu";
  static constexpr auto fields() {
    using O = SmuOptions;
    return std::tuple_cat(fields::batches<O>(), fields::repeats<O>(), fields::step<O>(),
                          fields::exponent<O>());
  }
};

// Stochastic variance-reduced multiplicative updates (Kasai 2018), Algorithm 1 in mini-batches; h_repeats > 1
// is Algorithm 2 (SVRMU-ACC).
struct SvrmuOptions {
  Index batch_size = 0;
  int inner_passes = 1;
  int h_repeats = 1;
  HRule h_rule = HRule::fixed;
  int h_rule_limit = 0;
  double h_rule_tolerance = 0.1;
  double step = 1;
  double step_decay = 0;
  Order order = Order::permute_once;
  bool safeguard = true;
  Exponent exponent = Exponent::mm;

  static constexpr std::string_view name = "svrmu";
  static constexpr auto fields() {
    using O = SvrmuOptions;
    return std::tuple_cat(
        fields::batches<O>(),
        std::tuple{Field<O, int>{"inner_passes", &O::inner_passes, 1, 1e6, "passes over V per snapshot"}},
        fields::repeats<O>(), fields::step<O>(), fields::exponent<O>());
  }
};

// SVRMU with L1 outliers, V ~ WH + R (Kasai 2018).
struct RSvrmuOptions {
  Index batch_size = 0;
  int inner_passes = 1;
  int h_repeats = 1;
  HRule h_rule = HRule::fixed;
  int h_rule_limit = 0;
  double h_rule_tolerance = 0.1;
  double step = 1;
  double step_decay = 0;
  Order order = Order::permute_once;
  bool safeguard = true;
  std::optional<double> outlier_penalty{};
  OutlierStart outlier_start = OutlierStart::scaled_uniform;
  OutlierStep outlier_step = OutlierStep::simultaneous;
  OutlierUpdate outlier_update = OutlierUpdate::automatic;

  static constexpr std::string_view name = "r-svrmu";
  static constexpr auto fields() {
    using O = RSvrmuOptions;
    return std::tuple_cat(
        fields::batches<O>(),
        std::tuple{Field<O, int>{"inner_passes", &O::inner_passes, 1, 1e6, "passes over V per snapshot"}},
        fields::repeats<O>(), fields::step<O>(), fields::outliers<O>());
  }
};

// Online multiplicative updates (after Zhao & Tan 2016 and Bucak & Gunsel 2009).
struct OnmfOptions {
  Index batch_size = 0;
  int h_repeats = 1;
  HRule h_rule = HRule::fixed;
  int h_rule_limit = 0;
  double h_rule_tolerance = 0.1;
  int w_repeats = 1;
  Statistics statistics = Statistics::reset;
  double step = 1;
  double step_decay = 0;
  Order order = Order::permute_once;
  bool safeguard = true;

  static constexpr std::string_view name = "onmf";
  static constexpr auto fields() {
    using O = OnmfOptions;
    return std::tuple_cat(
        fields::batches<O>(), fields::repeats<O>(),
        std::tuple{
            Field<O, int>{"w_repeats", &O::w_repeats, 1, 1e6, "W steps per batch"},
            Field<O, Statistics>{"statistics", &O::statistics, 0, 0,
                                 "sums over past batches: reset each epoch, accumulate for ever (one-pass "
                                 "streams), or replace a batch's own part"}},
        fields::step<O>());
  }
};

// Online multiplicative updates with L1 outliers.
struct ROnmfOptions {
  Index batch_size = 0;
  int h_repeats = 1;
  HRule h_rule = HRule::fixed;
  int h_rule_limit = 0;
  double h_rule_tolerance = 0.1;
  int w_repeats = 1;
  double step = 1;
  double step_decay = 0;
  Order order = Order::permute_once;
  bool safeguard = true;
  std::optional<double> outlier_penalty{};
  OutlierStart outlier_start = OutlierStart::scaled_uniform;
  OutlierStep outlier_step = OutlierStep::sequential;
  OutlierUpdate outlier_update = OutlierUpdate::automatic;

  static constexpr std::string_view name = "r-onmf";
  static constexpr auto fields() {
    using O = ROnmfOptions;
    return std::tuple_cat(fields::batches<O>(), fields::repeats<O>(),
                          std::tuple{Field<O, int>{"w_repeats", &O::w_repeats, 1, 1e6, "W steps per batch"}},
                          fields::step<O>(), fields::outliers<O>());
  }
};

// Incremental multiplicative updates (Bucak & Gunsel 2009).
struct InmfOptions {
  Index batch_size = 0;
  double past_weight = 0.5;
  double new_weight = 0.5;
  int inner_iterations = 1;
  double inner_tolerance = 1e-8;
  double step = 1;
  double step_decay = 0;
  Order order = Order::permute_once;
  bool safeguard = true;

  static constexpr std::string_view name = "inmf";
  static constexpr auto fields() {
    using O = InmfOptions;
    return std::tuple_cat(
        fields::batches<O>(),
        std::tuple{
            Field<O, double>{"past_weight", &O::past_weight, 0, 1e6, "weight of the sums so far (beta)"},
            Field<O, double>{"new_weight", &O::new_weight, fields::positive, 1e6,
                             "weight of the batch (alpha)"},
            Field<O, int>{"inner_iterations", &O::inner_iterations, 1, 1e6,
                          "most h and W steps on one batch"},
            Field<O, double>{"inner_tolerance", &O::inner_tolerance, 0, 1,
                             "relative fall of the batch's residual that ends them"}},
        fields::step<O>());
  }
};

// Multiplicative updates with an exponential average of gradients (Serizel, Essid & Richard 2016).
struct AsagMuOptions {
  Index batch_size = 0;
  double memory_weight = 0.5;
  double step = 1;
  double step_decay = 0;
  Order order = Order::permute_once;
  bool safeguard = true;
  Exponent exponent = Exponent::mm;

  static constexpr std::string_view name = "asag-mu";
  static constexpr auto fields() {
    using O = AsagMuOptions;
    return std::tuple_cat(fields::batches<O>(),
                          std::tuple{Field<O, double>{"memory_weight", &O::memory_weight, fields::positive, 1,
                                                      "weight of the newest batch in the average (lambda)"}},
                          fields::step<O>(), fields::exponent<O>());
  }
};

// Multiplicative updates with a table of per-batch gradients (SAGA form); stores 2 F K numbers per batch.
struct SagMuOptions {
  Index batch_size = 0;
  int h_repeats = 1;
  HRule h_rule = HRule::fixed;
  int h_rule_limit = 0;
  double h_rule_tolerance = 0.1;
  double step = 1;
  double step_decay = 0;
  Order order = Order::permute_once;
  bool safeguard = true;

  static constexpr std::string_view name = "sag-mu";
  static constexpr auto fields() {
    using O = SagMuOptions;
    return std::tuple_cat(fields::batches<O>(), fields::repeats<O>(), fields::step<O>());
  }
};

// Incremental multiplicative updates with exact statistics: mini-batches, and yet monotone.
struct IncMuOptions {
  Index batch_size = 0;
  int h_repeats = 1;
  HRule h_rule = HRule::fixed;
  int h_rule_limit = 0;
  double h_rule_tolerance = 0.1;
  Order order = Order::permute_once;
  bool safeguard = true;

  static constexpr std::string_view name = "inc-mu";
  static constexpr auto fields() {
    using O = IncMuOptions;
    return std::tuple_cat(fields::batches<O>(), fields::repeats<O>());
  }
};

// Incremental HALS with exact statistics: mini-batches, and yet monotone.
struct IncHalsOptions {
  Index batch_size = 0;
  int sweeps = 2;
  Order order = Order::permute_once;
  bool safeguard = true;

  static constexpr std::string_view name = "inc-hals";
  static constexpr auto fields() {
    using O = IncHalsOptions;
    return std::tuple_cat(
        fields::batches<O>(),
        std::tuple{Field<O, int>{"sweeps", &O::sweeps, 1, 1e6, "sweeps over h and over W per batch"}});
  }
};

// The variant is the registry: an algorithm is in the library when its options are here.
using SolverOptions =
    std::variant<MuOptions, MuExtOptions, MuAccOptions, RNmfOptions, HalsOptions, HalsAccOptions,
                 HalsExtOptions, FastOptions, SmuOptions, SvrmuOptions, RSvrmuOptions, OnmfOptions,
                 ROnmfOptions, InmfOptions, AsagMuOptions, SagMuOptions, IncMuOptions, IncHalsOptions>;

// "svrmu", "svrmu-acc", ... with that name's defaults. Unknown: InvalidInput, with the nearest name.
SVRMU_API SolverOptions solver_named(std::string_view name);

// The base name of the algorithm: "svrmu" for svrmu and svrmu-acc.
SVRMU_API std::string_view name_of(const SolverOptions& solver);

// True for V ~ WH + R.
SVRMU_API bool has_outliers(const SolverOptions& solver);

// Sets one option from text; a name that the solver does not have, or a value out of range, is InvalidInput.
SVRMU_API void set_option(SolverOptions& solver, std::string_view option, std::string_view value);

struct OptionInfo {
  std::string name;
  std::string type;  // "integer", "number", "boolean" or "choice"
  std::string value;
  std::vector<std::string> choices;
  double least = 0;
  double most = 0;
  std::string help;
};

// The options of a solver with their present values.
SVRMU_API std::vector<OptionInfo> options_of(const SolverOptions& solver);

struct SolverInfo {
  std::string name;
  std::string summary;
  SolverOptions options;
};

// Every name that solver_named() takes, in the order of the documentation.
SVRMU_API std::vector<SolverInfo> catalogue();

// Throws InvalidInput when a value is out of its field's range.
SVRMU_API void check_ranges(const SolverOptions& solver);

}  // namespace svrmu
