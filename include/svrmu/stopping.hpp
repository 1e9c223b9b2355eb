// When a fit ends, as a pure function of what has been reported.
#pragma once

#include <limits>
#include <optional>
#include <span>
#include <string_view>

#include "svrmu/history.hpp"

namespace svrmu {

enum class StopReason {
  relative_change,  // the objective fell by less than the tolerance between two evaluations, or V is met
                    // exactly
  kkt,              // the projected gradient fell below the tolerance
  epoch_limit,
  gradient_budget,
  time_limit,
  cancelled,          // by the stop token or the observer
  numerical_failure,  // an objective that is not finite; the last good factors are returned
};

std::string_view to_string(StopReason reason);

struct Stopping {
  Index max_epochs = 200;
  double relative_change = 1e-4;  // 0: off
  double kkt = 0;                 // 0: off; on, each evaluation costs one more visit of V
  double time_limit_seconds = std::numeric_limits<double>::infinity();  // solver time, evaluation apart
  double gradient_budget = 0;  // entries of V that enter gradients of W (the author's count); 0: off
};

// The reason to stop after the last of these reports, if there is one.
std::optional<StopReason> should_stop(const Stopping& stopping, std::span<const EpochRecord> history);

}  // namespace svrmu
