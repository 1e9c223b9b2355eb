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
constexpr auto choices(Exponent) { return std::array<std::string_view, 2>{"mm", "heuristic"}; }
/// The names of the enumerators.
constexpr auto choices(UpdateFirst) { return std::array<std::string_view, 2>{"h", "w"}; }
/// The names of the enumerators.
constexpr auto choices(Statistics) {
  return std::array<std::string_view, 3>{"reset", "accumulate", "replace"};
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
      Field<O, double>{"step_decay", &O::step_decay, 0, 1e6,
                       "c of the diminishing step a/(1 + c s) in epoch s", Meaning::step_decay}};
}
/// How often the h step is repeated.
template <class O>
constexpr auto repeats() {
  return std::tuple{
      Field<O, int>{"h_repeats", &O::h_repeats, 1, 1e6,
                    "h steps per batch with h_rule fixed: the X-acc forms use 5", Meaning::h_repeats},
      Field<O, HRule>{"h_rule", &O::h_rule, 0, 0, "what ends the h steps on a batch", Meaning::h_rule},
      Field<O, int>{
          "h_rule_limit", &O::h_rule_limit, 0, 1e6,
          "most h steps with h_rule paper or gillis; 0 balances their cost with the W step, at most 20",
          Meaning::h_rule_limit},
      Field<O, double>{"h_rule_tolerance", &O::h_rule_tolerance, 0, 1,
                       "relative size of the last h step that ends them", Meaning::h_rule_tolerance}};
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
