// What the library throws. A numerical outcome is never an exception: see StopReason.
#pragma once

#include <stdexcept>
#include <string>

namespace svrmu {

// The caller's mistake: names the parameter, its value, and what to do.
class InvalidInput : public std::invalid_argument {
 public:
  using std::invalid_argument::invalid_argument;
};

// V itself cannot be used: values that are not there, not finite or negative, or content that makes no sense.
class InvalidData : public InvalidInput {
 public:
  using InvalidInput::InvalidInput;
};

// The work does not fit: memory that the machine does not have.
class ResourceLimit : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// transform() was asked to stop: there is no half of its answer.
class Cancelled : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

}  // namespace svrmu
