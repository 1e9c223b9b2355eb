/// @file
/// What the library throws. A numerical outcome is never an exception: see StopReason.
#pragma once

#include <stdexcept>
#include <string>

namespace svrmu {

/// The caller's mistake. The message names the parameter, its value, and what to do.
class InvalidInput : public std::invalid_argument {
 public:
  using std::invalid_argument::invalid_argument;
};

/// V itself cannot be used: values are missing, not finite or negative, or its content makes no sense.
class InvalidData : public InvalidInput {
 public:
  using InvalidInput::InvalidInput;
};

/// The work needs more memory than the machine has.
class ResourceLimit : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// transform() was asked to stop. It has no partial answer.
class Cancelled : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

}  // namespace svrmu
