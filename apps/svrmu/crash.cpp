#include "crash.hpp"

#include <unistd.h>
#include <csignal>

#include <array>
#include <exception>
#include <new>

#include "console.hpp"
#include "errors.hpp"

namespace svrmu::cli {
namespace {

// A sanitizer reports a crash in more detail.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr bool watching = false;
#else
constexpr bool watching = true;
#endif

constexpr std::array crash_signals = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT};
std::array<struct sigaction, crash_signals.size()> handlers_before;
std::string last_words;                       // made beforehand: a handler may not allocate
alignas(16) std::array<char, 1 << 16> stack;  // the crash may be that the other one is full

void crashed(int) {
  [[maybe_unused]] const ssize_t written = ::write(STDERR_FILENO, last_words.data(), last_words.size());
  ::_exit(bad_input);
}

}  // namespace

bool is_ending_without_memory() noexcept {
  try {
    if (const std::exception_ptr error = std::current_exception()) std::rethrow_exception(error);
  } catch (const std::bad_alloc&) {
    return true;
  } catch (...) {
  }
  return false;
}

CrashWhileReading::CrashWhileReading(const std::string& path) {
  if (!watching) return;
  last_words = "svrmu: " + printable(path) +
               ": a library crashed while reading it: the file is damaged, or it was changed meanwhile\n";
  stack_t alternate{};
  alternate.ss_sp = stack.data();
  alternate.ss_size = stack.size();
  ::sigaltstack(&alternate, nullptr);
  struct sigaction action {};
  action.sa_handler = crashed;
  action.sa_flags = SA_ONSTACK | SA_RESETHAND;
  for (std::size_t i = 0; i < crash_signals.size(); ++i)
    ::sigaction(crash_signals[i], &action, &handlers_before[i]);
}

CrashWhileReading::~CrashWhileReading() {
  if (!watching) return;
  for (std::size_t i = 0; i < crash_signals.size(); ++i)
    ::sigaction(crash_signals[i], &handlers_before[i], nullptr);
}

}  // namespace svrmu::cli
