// What is automatic until V is known, and what shared options mean.
#pragma once

#include <string>
#include <vector>

#include "fit/scan.hpp"
#include "solvers/algorithm.hpp"
#include "svrmu/choose.hpp"
#include "svrmu/fit.hpp"

namespace svrmu {

// The algorithm and the start: what Auto chooses, or what was named.
template <class Scalar>
Choice choose_for(const SolverOptions& solver, const FitOptions<Scalar>& options, const Shape& shape);

// The solver with its automatic choices filled in, and what the caller should know about them.
template <class Scalar>
SolverOptions resolve(SolverOptions solver, const FitOptions<Scalar>& options, const Shape& shape,
                      const Scan& scan, std::vector<std::string>& warnings);

// Loss, penalties and outliers in working units.
template <class Scalar>
DataTerm<Scalar> make_term(const SolverOptions& solver, const Loss& loss, const Penalties& working_penalties,
                           double v_scale);

// Of a multiplicative ratio: the largest with which no step can raise the loss (Fevotte & Idier 2011).
double descent_exponent(const Loss& loss);

// Bytes beyond V that the fit holds at its peak.
double memory_needed(const SolverOptions& solver, Start start, const Shape& shape, std::size_t scalar_size);

bool keeps_R(const SolverOptions& resolved);
// What `factor` leaves of the step ratio in the next epoch, after that many epochs and W steps.
StepRatio step_of(const SolverOptions& solver, double factor, Index epochs, Index& w_steps);
bool has_safeguard(const SolverOptions& solver);

}  // namespace svrmu
