// Exit codes, and what leads to each.
#pragma once

#include <stdexcept>
#include <string>

#include "crash.hpp"
#include "svrmu/error.hpp"

namespace svrmu::cli {

enum ExitCode {
  done = 0,
  internal_error = 1,
  usage = 2,              // the command line, or options that do not fit each other or the data
  bad_input = 3,          // what is in a file makes no sense or cannot be factorized
  cannot_read_write = 4,  // a file that does not exist, may not be read or written, or exists already
  numerical_failure = 5,
  out_of_resources = 6,
  interrupted = 130,  // by Ctrl-C; the result so far is saved
};

class UsageError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// What a reader of this file refuses is bad input, whatever it calls it.
template <class Body>
auto reading(const std::string& path, const Body& body) {
  try {
    const CrashWhileReading watch(path);
    return body();
  } catch (const InvalidData&) {
    throw;
  } catch (const InvalidInput& error) {
    throw InvalidData(error.what());
  }
}

}  // namespace svrmu::cli
