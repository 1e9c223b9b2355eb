#include "interrupt.hpp"

#include <fcntl.h>
#include <unistd.h>
#include <csignal>

#include <cerrno>
#include <exception>
#include <mutex>
#include <new>
#include <string>
#include <system_error>
#include <thread>

#include "errors.hpp"
#include "written_files.hpp"

namespace svrmu::cli {
namespace {

struct State {
  std::mutex mutex;
  std::function<void()> stop;  // set while a fit runs
  bool asked = false;
  bool saving = false;
  bool late = false;  // an interrupt waits until all is saved
};

State& state() {
  static State& the_state = *new State;  // the watching thread may outlive main()
  return the_state;
}

int signal_pipe[2];  // what the handler says to the thread that waits

[[noreturn]] void end_program() {
  const std::string message = "\nsvrmu: " + WrittenFiles::get().end() + "\n";
  [[maybe_unused]] const ssize_t written = ::write(STDERR_FILENO, message.data(), message.size());
  ::_exit(interrupted);
}

void arrived() {
  State& s = state();
  const std::lock_guard lock(s.mutex);
  if (s.saving) {
    s.late = true;
    return;
  }
  if (s.stop && !s.asked) {
    s.asked = true;
    s.stop();
    return;
  }
  end_program();
}

}  // namespace

// Blocking the signals and waiting for them would not do: libraries start threads before main(), and these
// would take the signal and die of it. A handler may run in any of them.
void watch_for_interrupts() {
  if (::pipe2(signal_pipe, O_CLOEXEC) != 0) return;  // then signals end the program, as they do by default
  struct sigaction action {};
  action.sa_handler = [](int) {
    const int error = errno;
    const char byte = 0;
    [[maybe_unused]] const ssize_t written = ::write(signal_pipe[1], &byte, 1);
    errno = error;
  };
  action.sa_flags = SA_RESTART;
  try {
    std::thread([] {
      for (;;) {
        char byte = 0;
        const ssize_t count = ::read(signal_pipe[0], &byte, 1);
        if (count == 1) arrived();
        if (count == 0 || (count < 0 && errno != EINTR)) return;
      }
    }).detach();
  } catch (const std::system_error&) {
    return;  // no thread to be had: as above
  } catch (const std::bad_alloc&) {
    return;
  }
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) {
    struct sigaction before {};
    if (sigaction(signal, nullptr, &before) == 0 && before.sa_handler != SIG_IGN)
      sigaction(signal, &action, nullptr);
  }
}

GentleInterrupts::GentleInterrupts(std::function<void()> stop) {
  const std::lock_guard lock(state().mutex);
  state().stop = std::move(stop);
  state().asked = false;
}

GentleInterrupts::~GentleInterrupts() {
  const std::lock_guard lock(state().mutex);
  state().stop = nullptr;
}

LateInterrupts::LateInterrupts() {
  const std::lock_guard lock(state().mutex);
  state().saving = true;
}

LateInterrupts::~LateInterrupts() {
  const std::lock_guard lock(state().mutex);
  state().saving = false;
  if (state().late && std::uncaught_exceptions() == 0) end_program();
}

}  // namespace svrmu::cli
