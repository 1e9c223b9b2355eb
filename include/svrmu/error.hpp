/// @file
/// What the library throws. A numerical outcome is never an exception: see StopReason.
#pragma once

#include <stdexcept>
#include <string>

#include "svrmu/export.hpp"

namespace svrmu {

/// The caller's mistake. The message names the parameter, its value, and what to do.
class SVRMU_API InvalidInput : public std::invalid_argument {
 public:
  using std::invalid_argument::invalid_argument;
};

/// V itself cannot be used: values are missing, not finite or negative, or its content makes no sense.
class SVRMU_API InvalidData : public InvalidInput {
 public:
  using InvalidInput::InvalidInput;
};

/// The work needs more memory than the machine has.
class SVRMU_API ResourceLimit : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// The work was asked to stop before there was anything to return: transform(), which has no partial answer,
/// and fit() before the start was evaluated.
class SVRMU_API Cancelled : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

}  // namespace svrmu
