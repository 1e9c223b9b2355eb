#include "svrmu/stopping.hpp"

#include <algorithm>
#include <cmath>

namespace svrmu {
namespace {

// What scikit-learn calls the error of any beta-divergence; ||V - WH|| for the Frobenius loss.
double error_of(const EpochRecord& record) { return std::sqrt(2 * std::max(record.cost, 0.0)); }

}  // namespace

std::string_view to_string(StopReason reason) {
  switch (reason) {
    case StopReason::relative_change:
      return "relative_change";
    case StopReason::kkt:
      return "kkt";
    case StopReason::violation:
      return "violation";
    case StopReason::error_fall:
      return "error_fall";
    case StopReason::epoch_limit:
      return "epoch_limit";
    case StopReason::gradient_budget:
      return "gradient_budget";
    case StopReason::time_limit:
      return "time_limit";
    case StopReason::cancelled:
      return "cancelled";
    case StopReason::numerical_failure:
      return "numerical_failure";
    case StopReason::end_of_stream:
      return "end_of_stream";
  }
  return "unknown";
}

std::optional<StopReason> should_stop(const Stopping& stopping, std::span<const EpochRecord> history) {
  if (history.empty()) return std::nullopt;
  const EpochRecord& now = history.back();
  // An epoch that was undone has not moved, which is not the same as having arrived.
  if (!now.rolled_back) {
    if (stopping.kkt > 0 && now.kkt <= stopping.kkt) return StopReason::kkt;
    if (stopping.violation > 0 && now.violation <= stopping.violation) return StopReason::violation;
    if (history.size() > 1 && stopping.error_fall > 0) {
      const double fall = error_of(history[history.size() - 2]) - error_of(now);
      if (fall < stopping.error_fall * error_of(history.front())) return StopReason::error_fall;
    }
    if (history.size() > 1 && stopping.relative_change > 0) {
      const EpochRecord& before = history[history.size() - 2];
      const bool fell = now.objective <= before.objective;
      if (fell && now.relative_change < stopping.relative_change) return StopReason::relative_change;
    }
  }
  if (stopping.gradient_budget > 0 && now.gradient_count >= stopping.gradient_budget)
    return StopReason::gradient_budget;
  if (now.solver_seconds >= stopping.time_limit_seconds) return StopReason::time_limit;
  if (now.epoch >= stopping.max_epochs) return StopReason::epoch_limit;
  return std::nullopt;
}

}  // namespace svrmu
