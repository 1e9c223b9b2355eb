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

/// Stochastic variance-reduced multiplicative updates (Kasai 2018), Algorithm 1 in mini-batches; h_repeats >
/// 1 is Algorithm 2 (SVRMU-ACC).
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

/// SVRMU with L1 outliers, V ~ WH + R (Kasai 2018).
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

/// Online multiplicative updates (after Zhao & Tan 2016 and Bucak & Gunsel 2009).
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

/// Online multiplicative updates with L1 outliers.
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

/// Incremental multiplicative updates (Bucak & Gunsel 2009).
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

/// Multiplicative updates with an exponential average of gradients (Serizel, Essid & Richard 2016).
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

/// Multiplicative updates with a table of per-batch gradients (SAGA form); stores 2 F K numbers per batch.
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

/// Incremental multiplicative updates with exact statistics: mini-batches, and yet monotone.
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

/// Incremental HALS with exact statistics: mini-batches, and yet monotone.
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

}  // namespace svrmu
