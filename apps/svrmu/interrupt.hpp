// Ctrl-C and termination: a fit is ended gently, anything else at once.
#pragma once

#include <functional>

namespace svrmu::cli {

// From now on SIGINT and SIGTERM are taken by a thread of its own.
void watch_for_interrupts();

// While one lives, the first interrupt calls `stop` (from the watching thread) and the second ends the
// program.
class GentleInterrupts {
 public:
  explicit GentleInterrupts(std::function<void()> stop);
  ~GentleInterrupts();
  GentleInterrupts(const GentleInterrupts&) = delete;
  GentleInterrupts& operator=(const GentleInterrupts&) = delete;
};

// While one lives, interrupts wait: what is being written is written whole.
class NoInterrupts {
 public:
  NoInterrupts();
  ~NoInterrupts();
  NoInterrupts(const NoInterrupts&) = delete;
  NoInterrupts& operator=(const NoInterrupts&) = delete;
};

}  // namespace svrmu::cli
