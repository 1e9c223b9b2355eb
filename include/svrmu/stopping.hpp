/// @file
/// When a fit ends, as a pure function of its history.
#pragma once

#include <limits>
#include <optional>
#include <span>
#include <string_view>
#include <tuple>

#include "svrmu/export.hpp"
#include "svrmu/history.hpp"
#include "svrmu/options.hpp"

namespace svrmu {

/// Why a fit ended.
enum class StopReason {
  relative_change,    ///< The objective fell by less than the tolerance, or WH equals V up to rounding.
  kkt,                ///< The projected gradient fell below the tolerance.
  violation,          ///< The violation of coordinate descent fell below the tolerance.
  error_fall,         ///< The error fell by less than the tolerance.
  epoch_limit,        ///< Stopping::max_epochs was reached.
  gradient_budget,    ///< Stopping::gradient_budget was used up.
  time_limit,         ///< Stopping::time_limit_seconds was used up.
  cancelled,          ///< By the stop token or the observer.
  numerical_failure,  ///< The objective is not finite. The last good factors are returned.
  end_of_stream,      ///< There were no more columns.
};

/// The name of the enumerator.
SVRMU_API std::string_view to_string(StopReason reason);

/// What ends a fit: whichever comes first.
struct Stopping {
  Index max_epochs = 200;         ///< most epochs
  double relative_change = 1e-4;  ///< fall of the objective between two evaluations; 0: off
  /// projected gradient over that of the start; 0: off; on, each evaluation costs one more pass over V
  double kkt = 0;
  /// EpochRecord::violation: scikit-learn's rule for coordinate descent; 0: off. `hals` alone measures it.
  double violation = 0;
  /// fall of the error sqrt(2 cost) between two evaluations, as a share of that of the start; a rise is a
  /// fall below 0. With evaluate_every = 10 scikit-learn's rule for multiplicative updates. 0: off
  double error_fall = 0;
  double time_limit_seconds = svrmu::fields::unlimited;  ///< solver time, evaluation apart
  double gradient_budget = 0;  ///< entries of V that enter gradients of W (the author's count); 0: off

  /// The list of its options.
  static constexpr auto fields() {
    using S = Stopping;
    return std::tuple{
        Field<S, Index>{"max_epochs", &S::max_epochs, 0, 0x1p62, "most epochs", Meaning::own, "epochs"},
        Field<S, double>{"relative_change", &S::relative_change, 0, svrmu::fields::unlimited,
                         "stop when the objective falls by less than this share; 0: never", Meaning::own,
                         "tol"},
        Field<S, double>{"kkt", &S::kkt, 0, svrmu::fields::unlimited,
                         "stop when the projected gradient falls to this share of its start; 0: never",
                         Meaning::own, "kkt_tol"},
        Field<S, double>{"violation", &S::violation, 0, svrmu::fields::unlimited,
                         "hals: stop when the projected gradients met in an epoch fall to this share of the "
                         "first epoch's; 0: never",
                         Meaning::own, "violation_tol"},
        Field<S, double>{"error_fall", &S::error_fall, 0, svrmu::fields::unlimited,
                         "stop when sqrt(2 loss) falls by less than this share of its start; 0: never",
                         Meaning::own, "error_tol"},
        Field<S, double>{"time_limit_seconds", &S::time_limit_seconds, 0, svrmu::fields::unlimited,
                         "most time in the solver", Meaning::own, "time_limit"},
        Field<S, double>{"gradient_budget", &S::gradient_budget, 0, svrmu::fields::unlimited,
                         "most entries of V that enter gradients of W; 0: no limit", Meaning::own,
                         "grad_budget"}};
  }
};

/// The reason to stop after the last entry of the history, if there is one.
SVRMU_API std::optional<StopReason> should_stop(const Stopping& stopping,
                                                std::span<const EpochRecord> history);

}  // namespace svrmu
