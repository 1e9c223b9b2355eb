#include "crash.hpp"

#include <signal.h>
#include <unistd.h>

#include <array>

#include "console.hpp"
#include "errors.hpp"
#include "interrupt.hpp"

namespace svrmu::cli {
namespace {

// A sanitizer has more to say about a crash than we have.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr bool watching = false;
#else
constexpr bool watching = true;
#endif

constexpr std::array signals = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT};
std::array<struct sigaction, signals.size()> before;
std::string message;                          // made beforehand: a handler may not allocate
alignas(16) std::array<char, 1 << 16> stack;  // the crash may be that the other one is full

void crashed(int) {
  [[maybe_unused]] const ssize_t written = ::write(STDERR_FILENO, message.data(), message.size());
  ::alarm(1);  // should the next line hang in a damaged heap
  remove_temporary_folder();
  ::_exit(bad_input);
}

}  // namespace

CrashWhileReading::CrashWhileReading(const std::string& path) {
  if (!watching) return;
  message = "svrmu: " + printable(path) +
            ": a library crashed while reading it: the file is damaged, or it was changed meanwhile\n";
  stack_t alternate{};
  alternate.ss_sp = stack.data();
  alternate.ss_size = stack.size();
  ::sigaltstack(&alternate, nullptr);
  struct sigaction action {};
  action.sa_handler = crashed;
  action.sa_flags = SA_ONSTACK | SA_RESETHAND;
  for (std::size_t i = 0; i < signals.size(); ++i) ::sigaction(signals[i], &action, &before[i]);
}

CrashWhileReading::~CrashWhileReading() {
  if (!watching) return;
  for (std::size_t i = 0; i < signals.size(); ++i) ::sigaction(signals[i], &before[i], nullptr);
}

}  // namespace svrmu::cli
