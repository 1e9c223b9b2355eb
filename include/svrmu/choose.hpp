/// \file
/// The algorithm for those who do not want to choose one.
#pragma once

#include <string>

#include "svrmu/export.hpp"
#include "svrmu/fit.hpp"
#include "svrmu/loss.hpp"
#include "svrmu/matrix.hpp"
#include "svrmu/penalties.hpp"
#include "svrmu/solvers.hpp"

namespace svrmu {

/// What the choice depends on.
struct ProblemTraits {
  Index features = 0;
  Index samples = 0;
  Index rank = 0;
  double stored = 0;  ///< entries held: features x samples when dense
  bool sparse = false;
  Loss loss{};
  Penalties penalties{};
  bool robust = false;  ///< V ~ WH + R is wanted
};

struct Choice {
  std::string name;  ///< as solver_named() takes it
  SolverOptions solver;
  std::string reason;              ///< a clause for people: "Frobenius loss, V in memory"
  Start start = Start::automatic;  ///< for FitOptions, unless W or H is given
};

/// The best algorithm that there is for such a problem. docs/algorithms/auto.md has the rules.
SVRMU_API Choice choose_solver(const ProblemTraits& traits);

/// What fit() would take for this V: the algorithm that Auto chooses, or the one that was named.
template <class Scalar>
SVRMU_API Choice choose(const MatrixSource<Scalar>& V, const SolverOptions& solver,
                        const FitOptions<Scalar>& options);

}  // namespace svrmu
