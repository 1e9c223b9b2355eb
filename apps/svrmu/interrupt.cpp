#include "interrupt.hpp"

#include <fcntl.h>
#include <signal.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <climits>
#include <csignal>
#include <filesystem>
#include <mutex>
#include <string_view>
#include <system_error>
#include <thread>

#include "errors.hpp"

namespace svrmu::cli {
namespace {

struct State {
  std::mutex mutex;
  std::function<void()> stop;  // set while a fit runs
  bool asked = false;
  int writing = 0;
  std::string temporary;  // a folder to remove
};

State& state() {
  static State& the_state = *new State;  // the watching thread may outlive main()
  return the_state;
}

// What the handler of a crash removes: made beforehand, because it may not even look at State, whose mutex or
// memory may be what crashed.
struct Prepared {
  std::array<char, PATH_MAX> folder{};
  std::array<char, PATH_MAX> file{};
  volatile std::sig_atomic_t set = 0;
};
constinit Prepared prepared;

int signal_pipe[2];  // what the handler says to the thread that waits

void arrived() {
  State& s = state();
  const std::lock_guard lock(s.mutex);
  if (s.writing > 0) return;
  if (s.stop && !s.asked) {
    s.asked = true;
    s.stop();
    return;
  }
  remove_temporary_folder();
  constexpr std::string_view message = "\nsvrmu: interrupted; nothing was written\n";
  [[maybe_unused]] const ssize_t written = ::write(STDERR_FILENO, message.data(), message.size());
  ::_exit(interrupted);
}

}  // namespace

void remove_temporary_folder() {
  std::error_code ignored;
  if (!state().temporary.empty()) std::filesystem::remove_all(state().temporary, ignored);
}

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
  }
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) {
    struct sigaction before {};
    if (sigaction(signal, nullptr, &before) == 0 && before.sa_handler != SIG_IGN)
      sigaction(signal, &action, nullptr);
  }
}

void remove_at_interrupt(const std::string& folder, const std::string& file) {
  const std::lock_guard lock(state().mutex);
  state().temporary = folder;
  prepared.set = 0;
  if (folder.empty() || folder.size() >= PATH_MAX || file.size() >= PATH_MAX) return;
  prepared.folder[folder.copy(prepared.folder.data(), folder.size())] = '\0';
  prepared.file[file.copy(prepared.file.data(), file.size())] = '\0';
  prepared.set = 1;
}

void remove_temporary_file() noexcept {
  if (!prepared.set) return;
  ::unlink(prepared.file.data());
  ::rmdir(prepared.folder.data());
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

NoInterrupts::NoInterrupts() {
  const std::lock_guard lock(state().mutex);
  ++state().writing;
}

NoInterrupts::~NoInterrupts() {
  const std::lock_guard lock(state().mutex);
  --state().writing;
}

}  // namespace svrmu::cli
