/// \file
/// Choices and groups of options that several algorithms share. Each struct of options spells out its members
/// all the same: only so can they be named where it is made, `SvrmuOptions{.batch_size = 512}`.
#pragma once

#include <array>
#include <optional>
#include <string_view>
#include <tuple>

#include "svrmu/options.hpp"

namespace svrmu {

/// In which order the mini-batches visit the columns of V.
enum class Order {
  cyclic,            ///< as stored, the same blocks in every epoch
  permute_once,      ///< one random permutation for the whole run
  reshuffle,         ///< a new permutation for every pass
  with_replacement,  ///< every batch drawn anew; a column drawn twice is updated once and counts twice
};

/// How often the h step is repeated on a batch before W moves.
enum class HRule {
  fixed,   ///< h_repeats times
  paper,   ///< until ||h_l - h_(l-1)|| <= tolerance ||h_l - h_0||, at most h_rule_limit times
  gillis,  ///< until ||h_l - h_(l-1)|| < tolerance ||h_1 - h_0||, at most h_rule_limit times
};

/// What most h steps are, with h_rule paper or gillis, unless h_rule_limit says it.
enum class HRuleLimit {
  balanced,     ///< as many as cost a quarter of the products that they reuse, at most 20
  paper,        ///< max(floor(share (3 F K + 2 F N) / (3 F K + 2 K)), 1), as printed by Kasai (2018)
  paper_batch,  ///< the same with the batch size in the place of N
};
/// What t counts in the step ratio a/(1 + c t)^p.
enum class StepClock {
  epoch,  ///< epochs before this one
  step,   ///< steps of W before this one, over the whole run
};
/// Power of the ratio when beta is not 2.
enum class Exponent {
  mm,         ///< with proven descent
  heuristic,  ///< 1
};
/// Which factor moves first in an epoch.
enum class UpdateFirst {
  h,  ///< H
  w,  ///< W
};
/// What becomes of sums over past batches.
enum class Statistics {
  reset,       ///< they begin anew in each epoch
  accumulate,  ///< they are kept for ever: for one-pass streams
  replace,     ///< a batch replaces its own part
};
/// How a batch corrects the sums of the snapshot.
enum class Correction {
  automatic,  ///< replace with the safeguard, where a snapshot is used for one pass; else unbiased
  unbiased,   ///< its change stands for that of all columns, as in the paper
  replace,    ///< it replaces its own part, made at the W of its time
};
/// R before its first multiplicative step.
enum class OutlierStart {
  scaled_uniform,  ///< uniform(0,1) times the mean of V
  uniform,         ///< uniform(0,1)
  residual,        ///< what the start leaves unexplained
};
/// Which h the multiplicative step of R sees.
enum class OutlierStep {
  simultaneous,  ///< h before its own step
  sequential,    ///< h after its own step
};
/// How R moves.
enum class OutlierUpdate {
  automatic,       ///< closed form unless R's start is given
  multiplicative,  ///< by its multiplicative rule; R is kept
  closed_form,     ///< max(V - WH - lambda, 0), which keeps no R
};

/// The names of the enumerators.
constexpr auto choices(Order) {
  return std::array<std::string_view, 4>{"cyclic", "permute_once", "reshuffle", "with_replacement"};
}
/// The names of the enumerators.
constexpr auto choices(HRule) { return std::array<std::string_view, 3>{"fixed", "paper", "gillis"}; }
/// The names of the enumerators.
constexpr auto choices(HRuleLimit) {
  return std::array<std::string_view, 3>{"balanced", "paper", "paper_batch"};
}
/// The names of the enumerators.
constexpr auto choices(StepClock) { return std::array<std::string_view, 2>{"epoch", "step"}; }
/// The names of the enumerators.
constexpr auto choices(Exponent) { return std::array<std::string_view, 2>{"mm", "heuristic"}; }
/// The names of the enumerators.
constexpr auto choices(UpdateFirst) { return std::array<std::string_view, 2>{"h", "w"}; }
/// The names of the enumerators.
constexpr auto choices(Statistics) {
  return std::array<std::string_view, 3>{"reset", "accumulate", "replace"};
}
/// The names of the enumerators.
constexpr auto choices(Correction) {
  return std::array<std::string_view, 3>{"automatic", "unbiased", "replace"};
}
/// The names of the enumerators.
constexpr auto choices(OutlierStart) {
  return std::array<std::string_view, 3>{"scaled_uniform", "uniform", "residual"};
}
/// The names of the enumerators.
constexpr auto choices(OutlierStep) { return std::array<std::string_view, 2>{"simultaneous", "sequential"}; }
/// The names of the enumerators.
constexpr auto choices(OutlierUpdate) {
  return std::array<std::string_view, 3>{"automatic", "multiplicative", "closed_form"};
}

/// Groups of fields that many structs share, and bounds.
namespace fields {

/// Batches, their order, and the safeguard.
template <class O>
constexpr auto batches() {
  return std::tuple{
      Field<O, Index>{"batch_size", &O::batch_size, 0, huge,
                      "columns per update of W; 0 chooses min(N, max(5K, 256)), fewer than 5K are noisy",
                      Meaning::batch_size},
      Field<O, Order>{"order", &O::order, 0, 0, "order in which batches visit the columns"},
      Field<O, bool>{"safeguard", &O::safeguard, 0, 0,
                     "keep the best factors and undo an epoch that ends badly; off is the published method",
                     Meaning::safeguard}};
}
/// The step ratio and its decay.
template <class O>
constexpr auto step() {
  return std::tuple{
      Field<O, double>{"step", &O::step, positive, 1,
                       "step ratio a of W <- (1-a) W + a W.*P./Q; 1 is the plain rule", Meaning::step},
      Field<O, double>{"step_decay", &O::step_decay, 0, 1e6, "c of the diminishing step a/(1 + c t)^p",
                       Meaning::step_decay},
      Field<O, double>{"step_decay_power", &O::step_decay_power, above_half, 1,
                       "p of the diminishing step a/(1 + c t)^p", Meaning::step_decay_power},
      Field<O, StepClock>{"step_decay_clock", &O::step_decay_clock, 0, 0,
                          "what t counts in it: epochs, or steps of W over the whole run",
                          Meaning::step_decay_clock}};
}
/// How often the h step is repeated.
template <class O>
constexpr auto repeats() {
  return std::tuple{
      Field<O, int>{"h_repeats", &O::h_repeats, 1, 1e6,
                    "h steps per batch with h_rule fixed: the X-acc forms use 5", Meaning::h_repeats},
      Field<O, HRule>{"h_rule", &O::h_rule, 0, 0, "what ends the h steps on a batch", Meaning::h_rule},
      Field<O, int>{"h_rule_limit", &O::h_rule_limit, 0, 1e6,
                    "most h steps with h_rule paper or gillis; 0 lets h_rule_limit_rule choose",
                    Meaning::h_rule_limit},
      Field<O, HRuleLimit>{
          "h_rule_limit_rule", &O::h_rule_limit_rule, 0, 0,
          "most h steps: balanced with the cost of the W step and at most 20, by the paper's formula "
          "max(floor(share (3FK + 2FN)/(3FK + 2K)), 1), or by that with the batch size for N",
          Meaning::h_rule_limit_rule},
      Field<O, double>{"h_rule_share", &O::h_rule_share, 0, 1,
                       "share of h_rule_limit_rule paper and paper_batch (the paper's beta)",
                       Meaning::h_rule_share},
      Field<O, double>{"h_rule_tolerance", &O::h_rule_tolerance, 0, 1,
                       "relative size of the last h step that ends them", Meaning::h_rule_tolerance}};
}
/// How long a snapshot is used.
template <class O>
constexpr auto inner_loop() {
  return std::tuple{
      Field<O, int>{"inner_passes", &O::inner_passes, 0, 1e6,
                    "passes over V per snapshot; 0 makes one, unless inner_steps is set"},
      Field<O, Index>{"inner_steps", &O::inner_steps, 0, 1e9,
                      "W steps per snapshot (m_s), any number of batches; 0 leaves it to inner_passes"},
      Field<O, Correction>{
          "correction", &O::correction, 0, 0,
          "a batch corrects the snapshot's sums by its change times N/b (unbiased, the paper's) or by it "
          "alone "
          "(replace: steps that do not go up); automatic: replace with the safeguard and one pass"}};
}
/// The power of the ratio.
template <class O>
constexpr auto exponent() {
  return std::tuple{Field<O, Exponent>{
      "exponent", &O::exponent, 0, 0,
      "power of the ratio for beta losses: mm (proven descent) or heuristic (1)", Meaning::exponent}};
}
/// Inner updates of each factor.
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
/// Sweeps per product with V.
template <class O>
constexpr auto inner_sweeps() {
  return Field<O, int>{"sweeps", &O::sweeps, 0, 1e6,
                       "sweeps over a factor per product with V; 0 chooses 2, 4 or 8 by shape and density"};
}
/// The outliers R.
template <class O>
constexpr auto outliers() {
  return std::tuple{
      Field<O, std::optional<double>>{"outlier_penalty", &O::outlier_penalty, positive, 1e300,
                                      "lambda: residuals above it count as outliers; unset: 0.02 max(V)",
                                      Meaning::outlier_penalty},
      Field<O, OutlierStart>{
          "outlier_start", &O::outlier_start, 0, 0,
          "R before the first multiplicative step: uniform(0,1) mean(V), uniform(0,1), or what "
          "the start leaves unexplained",
          Meaning::outlier_start},
      Field<O, OutlierStep>{"outlier_step", &O::outlier_step, 0, 0,
                            "multiplicative R sees h from before or after its own step",
                            Meaning::outlier_step},
      Field<O, OutlierUpdate>{
          "outlier_update", &O::outlier_update, 0, 0,
          "R by its multiplicative rule or in closed form max(V - WH - lambda, 0), which keeps "
          "no R; automatic: closed form unless R's start is given",
          Meaning::outlier_update}};
}

}  // namespace fields

}  // namespace svrmu
