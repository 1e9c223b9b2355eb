// Damaged files that crash a library: an error like any other, where that is possible.
#pragma once

#include <string>

namespace svrmu::cli {

// While one lives, a crash ends the program with one line that names the file, and with the exit code of bad
// input. Nothing has been written by then.
class CrashWhileReading {
 public:
  explicit CrashWhileReading(const std::string& path);
  ~CrashWhileReading();
  CrashWhileReading(const CrashWhileReading&) = delete;
  CrashWhileReading& operator=(const CrashWhileReading&) = delete;
};

// For a handler of std::terminate: the exception that nobody may catch is std::bad_alloc.
bool is_ending_without_memory() noexcept;

}  // namespace svrmu::cli
