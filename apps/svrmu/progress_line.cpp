#include "progress_line.hpp"

#include <algorithm>
#include <cstdio>

#include "console.hpp"

namespace svrmu::cli {
namespace {

constexpr double seconds_on_terminal = 0.1;  // between two lines
constexpr double seconds_elsewhere = 10;

std::string line_of(const ProgressLine::Parts& parts, std::size_t room) {
  std::string text;
  for (const std::string& part : parts) {
    const std::string longer = text + (text.empty() ? "" : "  ") + part;
    if (longer.size() > room) break;
    text = longer;
  }
  return text;
}

}  // namespace

void ProgressLine::begin() {
  begin_ = std::chrono::steady_clock::now();
  last_shown_ = -1;
}

double ProgressLine::seconds() const {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin_).count();
}

void ProgressLine::show(const std::function<Parts(double)>& parts) {
  const Console& console = Console::get();
  if (console.verbosity == Verbosity::quiet) return;
  const double now = seconds();
  constexpr std::size_t any = 1000;
  if (console.verbosity == Verbosity::verbose) {
    say("  " + line_of(parts(now), any));
    return;
  }
  const double wait = console.terminal ? seconds_on_terminal : seconds_elsewhere;
  const double since = now - std::max(last_shown_, 0.0);
  if (since < wait && !(console.terminal && last_shown_ < 0)) return;
  last_shown_ = now;
  if (!console.terminal) {
    say(line_of(parts(now), any));
    return;
  }
  // A line that wraps cannot be rewritten.
  const std::string text = line_of(parts(now), static_cast<std::size_t>(std::max(terminal_width() - 1, 1)));
  std::fprintf(stderr, "\r%s\x1b[K", text.c_str());
  std::fflush(stderr);
  line_there_ = true;
}

void ProgressLine::clear() {
  if (!line_there_) return;
  std::fputs("\r\x1b[K", stderr);
  std::fflush(stderr);
  line_there_ = false;
}

}  // namespace svrmu::cli
