// Everything that can be refused before the work begins.
#pragma once

#include "data/factors.hpp"
#include "fit/scan.hpp"
#include "solvers/algorithm.hpp"
#include "svrmu/fit.hpp"

namespace svrmu {

// Options that contradict each other, the shape, the loss or the solver: InvalidInput, by name.
template <class Scalar>
void check_options(const SolverOptions& solver, const FitOptions<Scalar>& options, const Shape& shape);

// More components than the smaller side of V: InvalidInput.
SVRMU_API void check_rank(Index rank, Index features, Index samples);

// Zeros where the loss is infinite: InvalidData.
void check_zeros(const Loss& loss, const Scan& scan);

// What can only be judged with the values of V at hand.
void check_data(const SolverOptions& solver, const Loss& loss, const Scan& scan);

// Outliers of a sparse V live where V has entries: a given R with others was made for another V, or for the
// same with its samples in another order. They could not be kept, and a run without them is not the one asked
// for: InvalidInput, with their number and the first place.
template <class Scalar>
void check_given_outliers(const MatrixSource<Scalar>& V, const GivenStart<Scalar>& given);

// The outliers of a run that goes on were made for its V: they must fit this one.
template <class Scalar>
void check_outliers(const Outliers<Scalar>& R, bool kept, const Shape& shape);

// ResourceLimit when this process cannot have so many bytes.
void check_memory(double bytes);

}  // namespace svrmu
