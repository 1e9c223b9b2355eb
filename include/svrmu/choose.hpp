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
  Index features = 0;     ///< rows of V
  Index samples = 0;      ///< columns of V
  Index rank = 0;         ///< K
  double stored = 0;      ///< entries held: features x samples when dense
  bool sparse = false;    ///< V is stored as sparse
  Loss loss{};            ///< how far WH is from V
  Penalties penalties{};  ///< what is added to the loss
  bool robust = false;    ///< V ~ WH + R is wanted
};

/// An algorithm, and why it is the one.
struct Choice {
  std::string name;                ///< as solver_named() takes it
  SolverOptions solver;            ///< its options
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
