// A start for HALS: WH scaled to fit V best, components balanced.
#pragma once

#include "solvers/solver.hpp"

namespace svrmu {

// W <- W <V, WH> / ||WH||^2, then ||W_k|| = ||H_k|| for every component.
template <class Scalar>
void scale_start(const DataTerm<Scalar>& term, ColumnFeed<Scalar>& feed, Factors<Scalar>& f);

}  // namespace svrmu
