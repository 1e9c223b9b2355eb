// What must hold between the parts of a model before it may be written, or used after it was read.
#pragma once

#include <vector>

#include "solvers/algorithm.hpp"
#include "svrmu/io/model.hpp"

namespace svrmu::io {

// What the solver of a fit shows of its state, as the fit's checkpoint has it so far: a file is held against
// it.
template <class Scalar>
std::vector<StatePart> state_parts(const FitResult<Scalar>& fit);

// Throws InvalidInput if an automatic choice is still open: a fit fills in all of them.
void check_resolved(const SolverOptions& solver, Index samples);

// Each throws InvalidInput with the part that is wrong: "dataset /H: ...".
template <class Scalar>
void check_factors(const FitResult<Scalar>& fit);
template <class Scalar>
void check_model(const Model<Scalar>& model);

}  // namespace svrmu::io
