// What an algorithm is like on a stream.
#pragma once

#include <string>
#include <vector>

#include "solvers/algorithm.hpp"
#include "svrmu/choose.hpp"
#include "svrmu/update.hpp"

namespace svrmu {

// The algorithm and its options as they are used on a stream of so many features, at this rank. Auto chooses
// one, and says why.
Choice choose_for_stream(const SolverOptions& solver, StreamOptionsOf whose, const Loss& loss, Index features,
                         Index rank, std::vector<std::string>& warnings);

// Whether it keeps sums over the columns that it has seen.
bool has_statistics(const SolverOptions& solver);
// InvalidInput where there is nothing to forget.
void check_forgetting(const SolverOptions& solver, double forget_factor);

}  // namespace svrmu
