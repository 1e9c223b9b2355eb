// onmf with statistics = replace is inc-mu that starts without having seen anything.
#pragma once

#include <memory>

#include "solvers/solver.hpp"

namespace svrmu {

template <class Scalar>
std::unique_ptr<Solver<Scalar>> make_online_replace(const OnmfOptions& options, const DataTerm<Scalar>& term);

}  // namespace svrmu
