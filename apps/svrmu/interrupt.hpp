// Ctrl-C and termination: a fit is ended gently, anything else at once.
#pragma once

#include <functional>
#include <string>

namespace svrmu::cli {

// From now on SIGINT, SIGTERM and SIGHUP are taken by a thread of its own, unless they are ignored already.
void watch_for_interrupts();

// A temporary folder, and the file in it, that neither an interrupt nor a crash must leave behind; empty:
// none.
void remove_at_interrupt(const std::string& folder, const std::string& file);
void remove_temporary_folder();
// For the handler of a crash, whatever state the program is in: calls nothing that locks or allocates.
void remove_temporary_file() noexcept;

// While one lives, the first interrupt calls `stop` (from the watching thread) and the second ends the
// program.
class GentleInterrupts {
 public:
  explicit GentleInterrupts(std::function<void()> stop);
  ~GentleInterrupts();
  GentleInterrupts(const GentleInterrupts&) = delete;
  GentleInterrupts& operator=(const GentleInterrupts&) = delete;
};

// While one lives, interrupts do nothing: what is being written is written.
class NoInterrupts {
 public:
  NoInterrupts();
  ~NoInterrupts();
  NoInterrupts(const NoInterrupts&) = delete;
  NoInterrupts& operator=(const NoInterrupts&) = delete;
};

}  // namespace svrmu::cli
