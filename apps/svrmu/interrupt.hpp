// Ctrl-C and termination: a fit is ended gently, anything else at once.
#pragma once

#include <functional>

namespace svrmu::cli {

// From now on SIGINT, SIGTERM and SIGHUP are taken by a thread of its own, unless they are ignored already.
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

// While one lives, interrupts wait: what is being written is written. Then they end the program, unless an
// error is on its way to do so.
class LateInterrupts {
 public:
  LateInterrupts();
  ~LateInterrupts();
  LateInterrupts(const LateInterrupts&) = delete;
  LateInterrupts& operator=(const LateInterrupts&) = delete;
};

}  // namespace svrmu::cli
