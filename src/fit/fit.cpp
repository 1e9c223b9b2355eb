// fit(), fit_all() and resume(): runs of a prepared problem.
#include "svrmu/fit.hpp"

#include <optional>
#include <utility>

#include "fit/problem.hpp"
#include "linalg/parallel.hpp"

namespace svrmu {
namespace {

// body(result) for the run of each seed. The time limit is for all runs together; a run that was cancelled is
// the last.
template <class Scalar, class Body>
void for_restarts(const MatrixSource<Scalar>& V, const SolverOptions& solver,
                  const FitOptions<Scalar>& options, const Team& team, const Body& body) {
  const ThreadScope threads(options.threads);
  const Problem<Scalar> problem(V, solver, options, team);
  double left = options.stopping.time_limit_seconds;
  for (int i = 0; i < options.restarts && (i == 0 || left > 0); ++i) {
    FitResult<Scalar> result =
        problem.run({.seed = options.seed + static_cast<std::uint64_t>(i), .seconds_left = left});
    left -= result.history.back().solver_seconds;
    const bool cancelled = result.reason == StopReason::cancelled;
    body(std::move(result));
    if (cancelled) return;
  }
}

}  // namespace

template <class Scalar>
FitResult<Scalar> fit(const MatrixSource<Scalar>& V, const SolverOptions& solver,
                      const FitOptions<Scalar>& options, const Team& team) {
  std::optional<FitResult<Scalar>> best;
  for_restarts(V, solver, options, team, [&](FitResult<Scalar> result) {
    const bool cancelled = result.reason == StopReason::cancelled;
    if (!best || result.record().objective < best->record().objective) best = std::move(result);
    if (cancelled) best->reason = StopReason::cancelled;
  });
  return *std::move(best);
}

template <class Scalar>
std::vector<FitResult<Scalar>> fit_all(const MatrixSource<Scalar>& V, const SolverOptions& solver,
                                       const FitOptions<Scalar>& options, const Team& team) {
  std::vector<FitResult<Scalar>> results;
  for_restarts(V, solver, options, team,
               [&](FitResult<Scalar> result) { results.push_back(std::move(result)); });
  return results;
}

template <class Scalar>
FitResult<Scalar> resume(const MatrixSource<Scalar>& V, const FitResult<Scalar>& previous,
                         const FitOptions<Scalar>& options, const Team& team) {
  const ThreadScope threads(options.threads);
  return Problem<Scalar>(V, previous, options, team).go_on_from(previous);
}

#define SVRMU_INSTANTIATE(S)                                                                         \
  template FitResult<S> fit<S>(const MatrixSource<S>&, const SolverOptions&, const FitOptions<S>&,   \
                               const Team&);                                                         \
  template std::vector<FitResult<S>> fit_all<S>(const MatrixSource<S>&, const SolverOptions&,        \
                                                const FitOptions<S>&, const Team&);                  \
  template FitResult<S> resume<S>(const MatrixSource<S>&, const FitResult<S>&, const FitOptions<S>&, \
                                  const Team&);
SVRMU_INSTANTIATE(float)
SVRMU_INSTANTIATE(double)
#undef SVRMU_INSTANTIATE

}  // namespace svrmu
