// fit(), fit_all() and resume(): runs of a prepared problem.
#include "svrmu/fit.hpp"

#include "fit/problem.hpp"
#include "fit/restarts.hpp"
#include "linalg/parallel.hpp"

namespace svrmu {

template <class Scalar>
FitResult<Scalar> fit(const MatrixSource<Scalar>& V, const SolverOptions& solver,
                      const FitOptions<Scalar>& options, const Team& team) {
  const ThreadScope threads(options.threads);
  return Restarts<Scalar>(Problem<Scalar>(V, solver, options, team), options).best();
}

template <class Scalar>
std::vector<FitResult<Scalar>> fit_all(const MatrixSource<Scalar>& V, const SolverOptions& solver,
                                       const FitOptions<Scalar>& options, const Team& team) {
  const ThreadScope threads(options.threads);
  return Restarts<Scalar>(Problem<Scalar>(V, solver, options, team), options).all();
}

template <class Scalar>
FitResult<Scalar> resume(const MatrixSource<Scalar>& V, const FitResult<Scalar>& previous,
                         const FitOptions<Scalar>& options, const Team& team) {
  const ThreadScope threads(options.threads);
  return Restarts<Scalar>(Problem<Scalar>(V, previous, options, team), options, previous).best();
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
