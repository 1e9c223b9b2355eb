// A prepared problem: V scanned once, everything checked and resolved once, then any number of runs.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "fit/scan.hpp"
#include "solvers/algorithm.hpp"
#include "svrmu/choose.hpp"
#include "svrmu/fit.hpp"

namespace svrmu {

// What one rank and one start make of the options: automatic choices are filled in.
struct Setting {
  Shape shape;
  SolverOptions solver;
  Start start = Start::automatic;
  std::vector<std::string> warnings;
};

// One run: what is not said is as the options have it.
struct RunRequest {
  std::uint64_t seed = 0;
  int number = 0;  // of the restarts
  std::optional<Index> rank{};
  std::optional<Start> start{};
  std::optional<double> seconds_left{};  // of the time limit
};

template <class Scalar>
class Problem {
 public:
  // Throws InvalidInput, InvalidData, ResourceLimit or Cancelled, on every member of the team. V, the options
  // and the team must outlive the problem.
  Problem(const MatrixSource<Scalar>& V, const SolverOptions& solver, const FitOptions<Scalar>& options,
          const Team& team);
  // To go on from a result.
  Problem(const MatrixSource<Scalar>& V, const FitResult<Scalar>& previous, const FitOptions<Scalar>& options,
          const Team& team);
  // The same V with another solver and other options: what was scanned is not scanned again.
  Problem(const Problem& other, const SolverOptions& solver, const FitOptions<Scalar>& options);

  FitResult<Scalar> run(const RunRequest& request) const;
  FitResult<Scalar> go_on_from(const FitResult<Scalar>& previous, double seconds_left) const;

  const MatrixSource<Scalar>& source() const { return V_; }
  const Team& team() const { return team_; }
  const Scan& scan() const { return scan_; }
  const Choice& choice() const { return choice_; }
  const Setting& setting() const { return setting_; }
  const FitOptions<Scalar>& options() const { return options_; }
  // As in FitResult; every member of the team asks for it. NaN where it was interrupted.
  double null_cost(const std::function<bool()>& interrupted = {}) const;

 private:
  Setting setting_for(Index rank, Start start) const;
  FitResult<Scalar> run_other(const RunRequest& request) const;

  const MatrixSource<Scalar>& V_;
  const Team& team_;
  FitOptions<Scalar> options_;
  Shape shape_;
  Choice choice_;
  Scan scan_;
  Setting setting_;
  mutable std::optional<double> null_cost_;  // once it was asked for
};

}  // namespace svrmu
