#include "progress.hpp"

#include <algorithm>
#include <cmath>

#include "console.hpp"

namespace svrmu::cli {

Progress::Progress(const Stopping& stopping, const Loss& loss)
    : stopping_(stopping), frobenius_(loss.is_frobenius()) {}

ProgressLine::Parts Progress::parts(const EpochRecord& record, double now) const {
  ProgressLine::Parts parts = {
      "epoch " + std::to_string(record.epoch) + "/" + std::to_string(stopping_.max_epochs),
      frobenius_ ? "error " + short_number(record.relative_error)
                 : "divergence " + short_number(record.cost)};
  if (!std::isnan(record.relative_change)) parts.push_back("change " + short_number(record.relative_change));
  const auto epochs = static_cast<double>(record.epoch - first_epoch_);
  if (epochs > 0 && now > 0) {
    const double rate = epochs / now;
    double left = static_cast<double>(stopping_.max_epochs - record.epoch) / rate;
    left = std::min(left, stopping_.time_limit_seconds - record.solver_seconds);
    parts.push_back(short_number(rate) + " epochs/s");
    parts.push_back("at most " + duration(left < 10 ? left : std::round(left)) + " left");
  }
  parts.push_back("objective " + short_number(record.objective));
  return parts;
}

void Progress::show(const EpochRecord& record) {
  if (first_epoch_ < 0 || record.epoch < last_epoch_) {  // a run begins
    first_epoch_ = record.epoch;
    line_.begin();
  }
  last_epoch_ = record.epoch;
  line_.show([&](double now) { return parts(record, now); });
}

}  // namespace svrmu::cli
