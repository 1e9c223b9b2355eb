/// \file
/// Options of the algorithms that move W after every mini-batch.
#pragma once

#include <optional>
#include <string_view>
#include <tuple>

#include "svrmu/solvers/shared.hpp"

namespace svrmu {

/// Stochastic multiplicative updates.
struct SmuOptions {
  Index batch_size = 0;                                 ///< columns per step of W; 0: chosen
  int h_repeats = 1;                                    ///< h steps per batch with h_rule fixed
  HRule h_rule = HRule::fixed;                          ///< what ends the h steps on a batch
  int h_rule_limit = 0;                                 ///< most steps; 0: by h_rule_limit_rule
  HRuleLimit h_rule_limit_rule = HRuleLimit::balanced;  ///< what chooses them
  double h_rule_share = 1;                              ///< share of the paper's formula for them
  double h_rule_tolerance = 0.1;                        ///< relative size of the step that ends them
  double step = 1;                                      ///< step ratio a
  double step_decay = 0;                                ///< c of the step a/(1 + c t)^p
  double step_decay_power = 1;                          ///< p of that step
  StepClock step_decay_clock = StepClock::epoch;        ///< what t counts in it
  Order order = Order::permute_once;                    ///< in which order batches visit the columns
  bool safeguard = true;                                ///< undo an epoch that ends badly
  Exponent exponent = Exponent::mm;                     ///< power of the ratio for beta losses

  static constexpr std::string_view name = "smu";  ///< of the algorithm
  /// The list of its options.
  static constexpr auto fields() {
    using O = SmuOptions;
    return std::tuple_cat(fields::batches<O>(), fields::repeats<O>(), fields::step<O>(),
                          fields::exponent<O>());
  }
};

/// Stochastic variance-reduced multiplicative updates (Kasai 2018), Algorithm 1 in mini-batches; h_repeats >
/// 1 is Algorithm 2 (SVRMU-ACC).
struct SvrmuOptions {
  Index batch_size = 0;                           ///< columns per step of W; 0: chosen
  int inner_passes = 0;                           ///< passes over V per snapshot; 0: one, or by inner_steps
  Index inner_steps = 0;                          ///< W steps per snapshot (m_s); 0: by inner_passes
  Correction correction = Correction::automatic;  ///< how a batch corrects the snapshot's sums
  int h_repeats = 1;                              ///< h steps per batch with h_rule fixed
  HRule h_rule = HRule::fixed;                    ///< what ends the h steps on a batch
  int h_rule_limit = 0;                           ///< most steps; 0: by h_rule_limit_rule
  HRuleLimit h_rule_limit_rule = HRuleLimit::balanced;  ///< what chooses them
  double h_rule_share = 1;                              ///< share of the paper's formula for them
  double h_rule_tolerance = 0.1;                        ///< relative size of the step that ends them
  double step = 1;                                      ///< step ratio a
  double step_decay = 0;                                ///< c of the step a/(1 + c t)^p
  double step_decay_power = 1;                          ///< p of that step
  StepClock step_decay_clock = StepClock::epoch;        ///< what t counts in it
  Order order = Order::permute_once;                    ///< in which order batches visit the columns
  bool safeguard = true;                                ///< undo an epoch that ends badly
  Exponent exponent = Exponent::mm;                     ///< power of the ratio for beta losses

  static constexpr std::string_view name = "svrmu";  ///< of the algorithm
  /// The list of its options.
  static constexpr auto fields() {
    using O = SvrmuOptions;
    return std::tuple_cat(fields::batches<O>(), fields::inner_loop<O>(), fields::repeats<O>(),
                          fields::step<O>(), fields::exponent<O>());
  }
};

/// SVRMU with L1 outliers, V ~ WH + R (Kasai 2018).
struct RSvrmuOptions {
  Index batch_size = 0;                           ///< columns per step of W; 0: chosen
  int inner_passes = 0;                           ///< passes over V per snapshot; 0: one, or by inner_steps
  Index inner_steps = 0;                          ///< W steps per snapshot (m_s); 0: by inner_passes
  Correction correction = Correction::automatic;  ///< how a batch corrects the snapshot's sums
  int h_repeats = 1;                              ///< h steps per batch with h_rule fixed
  HRule h_rule = HRule::fixed;                    ///< what ends the h steps on a batch
  int h_rule_limit = 0;                           ///< most steps; 0: by h_rule_limit_rule
  HRuleLimit h_rule_limit_rule = HRuleLimit::balanced;        ///< what chooses them
  double h_rule_share = 1;                                    ///< share of the paper's formula for them
  double h_rule_tolerance = 0.1;                              ///< relative size of the step that ends them
  double step = 1;                                            ///< step ratio a
  double step_decay = 0;                                      ///< c of the step a/(1 + c t)^p
  double step_decay_power = 1;                                ///< p of that step
  StepClock step_decay_clock = StepClock::epoch;              ///< what t counts in it
  Order order = Order::permute_once;                          ///< in which order batches visit the columns
  bool safeguard = true;                                      ///< undo an epoch that ends badly
  std::optional<double> outlier_penalty{};                    ///< lambda; unset: 0.02 max(V)
  OutlierStart outlier_start = OutlierStart::scaled_uniform;  ///< where R begins
  OutlierStep outlier_step = OutlierStep::simultaneous;       ///< which h the step of R sees
  OutlierUpdate outlier_update = OutlierUpdate::automatic;    ///< how R moves

  static constexpr std::string_view name = "r-svrmu";  ///< of the algorithm
  /// The list of its options.
  static constexpr auto fields() {
    using O = RSvrmuOptions;
    return std::tuple_cat(fields::batches<O>(), fields::inner_loop<O>(), fields::repeats<O>(),
                          fields::step<O>(), fields::outliers<O>());
  }
};

/// Online multiplicative updates (after Zhao & Tan 2016 and Bucak & Gunsel 2009).
struct OnmfOptions {
  Index batch_size = 0;                                 ///< columns per step of W; 0: chosen
  int h_repeats = 1;                                    ///< h steps per batch with h_rule fixed
  HRule h_rule = HRule::fixed;                          ///< what ends the h steps on a batch
  int h_rule_limit = 0;                                 ///< most steps; 0: by h_rule_limit_rule
  HRuleLimit h_rule_limit_rule = HRuleLimit::balanced;  ///< what chooses them
  double h_rule_share = 1;                              ///< share of the paper's formula for them
  double h_rule_tolerance = 0.1;                        ///< relative size of the step that ends them
  int w_repeats = 1;                                    ///< W steps per batch
  Statistics statistics = Statistics::reset;            ///< what becomes of sums over past batches
  double step = 1;                                      ///< step ratio a
  double step_decay = 0;                                ///< c of the step a/(1 + c t)^p
  double step_decay_power = 1;                          ///< p of that step
  StepClock step_decay_clock = StepClock::epoch;        ///< what t counts in it
  Order order = Order::permute_once;                    ///< in which order batches visit the columns
  bool safeguard = true;                                ///< undo an epoch that ends badly

  static constexpr std::string_view name = "onmf";  ///< of the algorithm
  /// The list of its options.
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

/// Online multiplicative updates with L1 outliers.
struct ROnmfOptions {
  Index batch_size = 0;                                       ///< columns per step of W; 0: chosen
  int h_repeats = 1;                                          ///< h steps per batch with h_rule fixed
  HRule h_rule = HRule::fixed;                                ///< what ends the h steps on a batch
  int h_rule_limit = 0;                                       ///< most steps; 0: by h_rule_limit_rule
  HRuleLimit h_rule_limit_rule = HRuleLimit::balanced;        ///< what chooses them
  double h_rule_share = 1;                                    ///< share of the paper's formula for them
  double h_rule_tolerance = 0.1;                              ///< relative size of the step that ends them
  int w_repeats = 1;                                          ///< W steps per batch
  double step = 1;                                            ///< step ratio a
  double step_decay = 0;                                      ///< c of the step a/(1 + c t)^p
  double step_decay_power = 1;                                ///< p of that step
  StepClock step_decay_clock = StepClock::epoch;              ///< what t counts in it
  Order order = Order::permute_once;                          ///< in which order batches visit the columns
  bool safeguard = true;                                      ///< undo an epoch that ends badly
  std::optional<double> outlier_penalty{};                    ///< lambda; unset: 0.02 max(V)
  OutlierStart outlier_start = OutlierStart::scaled_uniform;  ///< where R begins
  OutlierStep outlier_step = OutlierStep::sequential;         ///< which h the step of R sees
  OutlierUpdate outlier_update = OutlierUpdate::automatic;    ///< how R moves

  static constexpr std::string_view name = "r-onmf";  ///< of the algorithm
  /// The list of its options.
  static constexpr auto fields() {
    using O = ROnmfOptions;
    return std::tuple_cat(fields::batches<O>(), fields::repeats<O>(),
                          std::tuple{Field<O, int>{"w_repeats", &O::w_repeats, 1, 1e6, "W steps per batch"}},
                          fields::step<O>(), fields::outliers<O>());
  }
};

/// Incremental multiplicative updates (Bucak & Gunsel 2009).
struct InmfOptions {
  Index batch_size = 0;                           ///< columns per step of W; 0: chosen
  double past_weight = 0.5;                       ///< weight of the sums so far (beta)
  double new_weight = 0.5;                        ///< weight of the batch (alpha)
  int inner_iterations = 1;                       ///< most h and W steps on one batch
  double inner_tolerance = 1e-8;                  ///< fall of the residual that ends them
  double step = 1;                                ///< step ratio a
  double step_decay = 0;                          ///< c of the step a/(1 + c t)^p
  double step_decay_power = 1;                    ///< p of that step
  StepClock step_decay_clock = StepClock::epoch;  ///< what t counts in it
  Order order = Order::permute_once;              ///< in which order batches visit the columns
  bool safeguard = true;                          ///< undo an epoch that ends badly

  static constexpr std::string_view name = "inmf";  ///< of the algorithm
  /// The list of its options.
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

/// Multiplicative updates with an exponential average of gradients (Serizel, Essid & Richard 2016).
struct AsagMuOptions {
  Index batch_size = 0;                           ///< columns per step of W; 0: chosen
  double memory_weight = 0.5;                     ///< weight of the newest batch (lambda)
  double step = 1;                                ///< step ratio a
  double step_decay = 0;                          ///< c of the step a/(1 + c t)^p
  double step_decay_power = 1;                    ///< p of that step
  StepClock step_decay_clock = StepClock::epoch;  ///< what t counts in it
  Order order = Order::permute_once;              ///< in which order batches visit the columns
  bool safeguard = true;                          ///< undo an epoch that ends badly
  Exponent exponent = Exponent::mm;               ///< power of the ratio for beta losses

  static constexpr std::string_view name = "asag-mu";  ///< of the algorithm
  /// The list of its options.
  static constexpr auto fields() {
    using O = AsagMuOptions;
    return std::tuple_cat(fields::batches<O>(),
                          std::tuple{Field<O, double>{"memory_weight", &O::memory_weight, fields::positive, 1,
                                                      "weight of the newest batch in the average (lambda)"}},
                          fields::step<O>(), fields::exponent<O>());
  }
};

/// Multiplicative updates with a table of per-batch gradients (SAGA form); stores 2 F K numbers per batch.
struct SagMuOptions {
  Index batch_size = 0;                                 ///< columns per step of W; 0: chosen
  int h_repeats = 1;                                    ///< h steps per batch with h_rule fixed
  HRule h_rule = HRule::fixed;                          ///< what ends the h steps on a batch
  int h_rule_limit = 0;                                 ///< most steps; 0: by h_rule_limit_rule
  HRuleLimit h_rule_limit_rule = HRuleLimit::balanced;  ///< what chooses them
  double h_rule_share = 1;                              ///< share of the paper's formula for them
  double h_rule_tolerance = 0.1;                        ///< relative size of the step that ends them
  double step = 1;                                      ///< step ratio a
  double step_decay = 0;                                ///< c of the step a/(1 + c t)^p
  double step_decay_power = 1;                          ///< p of that step
  StepClock step_decay_clock = StepClock::epoch;        ///< what t counts in it
  Order order = Order::permute_once;                    ///< in which order batches visit the columns
  bool safeguard = true;                                ///< undo an epoch that ends badly

  static constexpr std::string_view name = "sag-mu";  ///< of the algorithm
  /// The list of its options.
  static constexpr auto fields() {
    using O = SagMuOptions;
    return std::tuple_cat(fields::batches<O>(), fields::repeats<O>(), fields::step<O>());
  }
};

/// Incremental multiplicative updates with exact statistics: mini-batches, and yet monotone.
struct IncMuOptions {
  Index batch_size = 0;                                 ///< columns per step of W; 0: chosen
  int h_repeats = 1;                                    ///< h steps per batch with h_rule fixed
  HRule h_rule = HRule::fixed;                          ///< what ends the h steps on a batch
  int h_rule_limit = 0;                                 ///< most steps; 0: by h_rule_limit_rule
  HRuleLimit h_rule_limit_rule = HRuleLimit::balanced;  ///< what chooses them
  double h_rule_share = 1;                              ///< share of the paper's formula for them
  double h_rule_tolerance = 0.1;                        ///< relative size of the step that ends them
  Order order = Order::permute_once;                    ///< in which order batches visit the columns
  bool safeguard = true;                                ///< undo an epoch that ends badly

  static constexpr std::string_view name = "inc-mu";  ///< of the algorithm
  /// The list of its options.
  static constexpr auto fields() {
    using O = IncMuOptions;
    return std::tuple_cat(fields::batches<O>(), fields::repeats<O>());
  }
};

/// Incremental HALS with exact statistics: mini-batches, and yet monotone.
struct IncHalsOptions {
  Index batch_size = 0;               ///< columns per step of W; 0: chosen
  int sweeps = 2;                     ///< sweeps over a factor per product with V; 0: chosen
  Order order = Order::permute_once;  ///< in which order batches visit the columns
  bool safeguard = true;              ///< undo an epoch that ends badly

  static constexpr std::string_view name = "inc-hals";  ///< of the algorithm
  /// The list of its options.
  static constexpr auto fields() {
    using O = IncHalsOptions;
    return std::tuple_cat(
        fields::batches<O>(),
        std::tuple{Field<O, int>{"sweeps", &O::sweeps, 1, 1e6, "sweeps over h and over W per batch"}});
  }
};

}  // namespace svrmu
