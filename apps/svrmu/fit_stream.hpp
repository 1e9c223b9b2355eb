// svrmu fit --stream.
#pragma once

#include <string>

#include "fit_flags.hpp"
#include "solver_flags.hpp"

namespace svrmu::cli {

// Learns from columns that are seen once, and returns the exit code. `command` as it was typed.
int fit_stream(const FitFlags& flags, const SolverFlags& solver_flags, const std::string& command);

}  // namespace svrmu::cli
