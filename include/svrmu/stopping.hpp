/// @file
/// When a fit ends, as a pure function of its history.
#pragma once

#include <limits>
#include <optional>
#include <span>
#include <string_view>

#include "svrmu/export.hpp"
#include "svrmu/history.hpp"

namespace svrmu {

/// Why a fit ended.
enum class StopReason {
  relative_change,    ///< The objective fell by less than the tolerance between two evaluations, or WH equals
                      ///< V.
  kkt,                ///< The projected gradient fell below the tolerance.
  epoch_limit,        ///< Stopping::max_epochs was reached.
  gradient_budget,    ///< Stopping::gradient_budget was used up.
  time_limit,         ///< Stopping::time_limit_seconds was used up.
  cancelled,          ///< By the stop token or the observer.
  numerical_failure,  ///< The objective is not finite. The last good factors are returned.
};

/// The name of the enumerator.
SVRMU_API std::string_view to_string(StopReason reason);

/// When a fit ends: at the first of these limits.
struct Stopping {
  Index max_epochs = 200;         ///< Epochs.
  double relative_change = 1e-4;  ///< Relative fall of the objective between two evaluations. 0: off.
  double kkt =
      0;  ///< Projected gradient relative to the start. 0: off. On, an evaluation costs one more pass over V.
  /// Time in the solver, evaluations not counted.
  double time_limit_seconds = std::numeric_limits<double>::infinity();
  double gradient_budget = 0;  ///< Entries of V that enter gradients of W, as the author counts. 0: off.
};

/// The reason to stop after the last entry of the history, if there is one.
SVRMU_API std::optional<StopReason> should_stop(const Stopping& stopping,
                                                std::span<const EpochRecord> history);

}  // namespace svrmu
