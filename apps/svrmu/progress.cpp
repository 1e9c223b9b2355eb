#include "progress.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <vector>

#include "console.hpp"

namespace svrmu::cli {
namespace {

constexpr double seconds_on_terminal = 0.1;  // between two lines
constexpr double seconds_elsewhere = 10;

}  // namespace

Progress::Progress(const Stopping& stopping, const Loss& loss)
    : stopping_(stopping), frobenius_(loss.is_frobenius()), begin_(std::chrono::steady_clock::now()) {}

Progress::~Progress() { clear(); }

double Progress::seconds() const {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin_).count();
}

// The most telling first: what does not fit into the window is left out from the end.
std::string Progress::line(const EpochRecord& record, double now, std::size_t room) const {
  std::vector<std::string> parts = {
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
  std::string text;
  for (const std::string& part : parts) {
    const std::string longer = text + (text.empty() ? "" : "  ") + part;
    if (longer.size() > room) break;
    text = longer;
  }
  return text;
}

void Progress::show(const EpochRecord& record) {
  const Console& console = Console::get();
  if (console.verbosity == Verbosity::quiet) return;
  if (first_epoch_ < 0 || record.epoch < last_epoch_) {  // a run begins
    first_epoch_ = record.epoch;
    begin_ = std::chrono::steady_clock::now();
    last_shown_ = -1;
  }
  last_epoch_ = record.epoch;
  const double now = seconds();
  constexpr std::size_t any = 1000;
  if (console.verbosity == Verbosity::verbose) {
    say("  " + line(record, now, any));
    return;
  }
  const double wait = console.terminal ? seconds_on_terminal : seconds_elsewhere;
  const double since = now - std::max(last_shown_, 0.0);
  if (since < wait && !(console.terminal && last_shown_ < 0)) return;
  last_shown_ = now;
  if (!console.terminal) {
    say(line(record, now, any));
    return;
  }
  // A line that wraps cannot be rewritten.
  const std::string text = line(record, now, static_cast<std::size_t>(std::max(terminal_width() - 1, 1)));
  std::fprintf(stderr, "\r%s\x1b[K", text.c_str());
  std::fflush(stderr);
  line_there_ = true;
}

void Progress::clear() {
  if (!line_there_) return;
  std::fputs("\r\x1b[K", stderr);
  std::fflush(stderr);
  line_there_ = false;
}

}  // namespace svrmu::cli
