#include "svrmu/plan.hpp"

#include "fit/problem.hpp"
#include "fit/resolve.hpp"
#include "linalg/parallel.hpp"

namespace svrmu {
namespace {

Occurrence occurrence(const Finding& finding) { return {finding.count, finding.row, finding.column}; }

template <class Scalar>
DataSummary summarize(const MatrixSource<Scalar>& V, const Scan& scan) {
  return {.features = V.features(),
          .samples = V.samples(),
          .stored = static_cast<double>(V.stored()),
          .nonzeros = scan.nonzeros,
          .least = scan.least,
          .most = scan.max,
          .mean = scan.mean(),
          .empty_features = scan.empty_rows,
          .empty_samples = scan.empty_columns,
          .nan = occurrence(scan.nan),
          .infinite = occurrence(scan.infinite),
          .negative = occurrence(scan.negative)};
}

}  // namespace

template <class Scalar>
DataSummary describe(const MatrixSource<Scalar>& V, int threads) {
  const ThreadScope scope(threads);
  return summarize(V, scan(V, Team()));
}

template <class Scalar>
FitPlan plan_fit(const MatrixSource<Scalar>& V, const SolverOptions& solver,
                 const FitOptions<Scalar>& options) {
  const ThreadScope threads(options.threads);
  const Team alone;
  const Problem<Scalar> problem(V, solver, options, alone);
  const Setting& setting = problem.setting();
  return {.data = summarize(V, problem.scan()),
          .choice = problem.choice(),
          .solver = setting.solver,
          .bytes = memory_needed(setting.solver, setting.start, setting.shape, sizeof(Scalar)),
          .warnings = setting.warnings};
}

#define SVRMU_INSTANTIATE(S)                                     \
  template DataSummary describe<S>(const MatrixSource<S>&, int); \
  template FitPlan plan_fit<S>(const MatrixSource<S>&, const SolverOptions&, const FitOptions<S>&);
SVRMU_INSTANTIATE(float)
SVRMU_INSTANTIATE(double)
#undef SVRMU_INSTANTIATE

}  // namespace svrmu
