// Where a run of `fast` stands. Both roads move it, and a checkpoint keeps it.
#pragma once

#include "solvers/fast/swapping_hals.hpp"
#include "solvers/solver.hpp"

namespace svrmu::fast {

enum class Phase {   // stored as these numbers
  first = 0,         // no epoch made yet
  on_surrogate = 1,  // dense road: epochs iterate on the surrogate
  on_V = 2,          // epochs iterate on V itself, in its own precision
  in_single = 3      // sparse road: on V itself, in single precision
};

template <class Scalar>
struct Progress {
  explicit Progress(const DataTerm<Scalar>& term) : hals(term) {}

  Phase phase = Phase::first;
  double objective = 0;       // of the present factors, without 1/2||V||^2
  Sums<Scalar> sums;          // at the present factors, unless Fast::sums() chooses those of `hals`
  SwappingHals<Scalar> hals;  // iterations on V itself, in its own precision
};

}  // namespace svrmu::fast
