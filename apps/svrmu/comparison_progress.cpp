#include "comparison_progress.hpp"

#include <cstdio>

#include "console.hpp"

namespace svrmu::cli {
namespace {

constexpr double seconds_on_terminal = 0.1;  // between two lines
constexpr double seconds_elsewhere = 10;

}  // namespace

ComparisonProgress::~ComparisonProgress() { clear(); }

void ComparisonProgress::show(const experiment::ComparisonStep& step) {
  const Console& console = Console::get();
  if (console.verbosity == Verbosity::quiet) return;
  const auto now = std::chrono::steady_clock::now();
  const double wait = console.terminal ? seconds_on_terminal : seconds_elsewhere;
  if (std::chrono::duration<double>(now - last_).count() < wait) return;
  last_ = now;
  std::string line = "run " + std::to_string(step.run + 1) + "/" + std::to_string(step.runs) + "  seed " +
                     std::to_string(step.seed) + "  " + printable(step.label) + "  epoch " +
                     std::to_string(step.record->epoch) + "  objective " +
                     short_number(step.record->objective);
  if (!console.terminal) return say(line);
  // A line that wraps cannot be rewritten.
  line.resize(std::min(line.size(), static_cast<std::size_t>(std::max(terminal_width() - 1, 1))));
  std::fprintf(stderr, "\r%s\x1b[K", line.c_str());
  std::fflush(stderr);
  line_there_ = true;
}

void ComparisonProgress::clear() {
  if (!line_there_) return;
  std::fputs("\r\x1b[K", stderr);
  std::fflush(stderr);
  line_there_ = false;
}

}  // namespace svrmu::cli
