// Everything that can be refused before the work begins, and the automatic choices.
#pragma once

#include <string>
#include <vector>

#include "fit/scan.hpp"
#include "objective/data_term.hpp"
#include "svrmu/fit.hpp"

namespace svrmu {

// Sizes of the problem over the whole team.
struct Shape {
  Index features = 0;
  Index samples = 0;        // over the team
  Index local_samples = 0;  // this member's
  Index rank = 0;
  double stored = 0;  // entries of V, over the team
  bool sparse = false;
};

// Options that contradict each other, the shape, the loss or the solver: InvalidInput, by name.
template <class Scalar>
void check_options(const SolverOptions& solver, const FitOptions<Scalar>& options, const Shape& shape);

// What can only be judged with the values of V at hand.
void check_data(const SolverOptions& solver, const Loss& loss, const Scan& scan);

// The solver with its automatic choices filled in, and what the caller should know about them.
template <class Scalar>
SolverOptions resolve(SolverOptions solver, const FitOptions<Scalar>& options, const Shape& shape,
                      const Scan& scan, std::vector<std::string>& warnings);

// Loss, penalties and outliers in working units.
template <class Scalar>
DataTerm<Scalar> make_term(const SolverOptions& solver, const Loss& loss, const Penalties& working_penalties,
                           double v_scale);

// Bytes beyond V that the fit holds at its peak, and ResourceLimit when this process cannot have them.
double memory_needed(const SolverOptions& solver, Start start, const Shape& shape, std::size_t scalar_size);
void check_memory(double bytes);

bool is_multiplicative(const SolverOptions& solver);  // zeros in its start stay zero
bool keeps_R(const SolverOptions& resolved);
double step_of(const SolverOptions& solver, Index epoch);
bool has_safeguard(const SolverOptions& solver);

}  // namespace svrmu
