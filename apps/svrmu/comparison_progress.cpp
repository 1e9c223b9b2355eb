#include "comparison_progress.hpp"

#include "console.hpp"

namespace svrmu::cli {

void ComparisonProgress::show(const experiment::ComparisonStep& step) {
  line_.show([&](double) {
    return ProgressLine::Parts{"run " + std::to_string(step.run + 1) + "/" + std::to_string(step.runs),
                               "seed " + std::to_string(step.seed), printable(step.label),
                               "epoch " + std::to_string(step.record->epoch),
                               "objective " + short_number(step.record->objective)};
  });
}

}  // namespace svrmu::cli
