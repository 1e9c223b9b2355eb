#include "svrmu/plan.hpp"

#include "fit/scan.hpp"
#include "fit/validate.hpp"
#include "linalg/parallel.hpp"

namespace svrmu {
namespace {

Occurrence occurrence(const Finding& finding) { return {finding.count, finding.row, finding.column}; }

template <class Scalar>
DataSummary summarise(const MatrixSource<Scalar>& V, const Scan& scan) {
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
  return summarise(V, scan(V, Team()));
}

template <class Scalar>
FitPlan plan_fit(const MatrixSource<Scalar>& V, const SolverOptions& solver,
                 const FitOptions<Scalar>& options) {
  const Shape shape{.features = V.features(),
                    .samples = V.samples(),
                    .local_samples = V.samples(),
                    .rank = options.rank,
                    .stored = static_cast<double>(V.stored()),
                    .sparse = V.is_sparse()};
  check_options(solver, options, shape);
  const ThreadScope threads(options.threads);
  const Scan scanned = scan(V, Team());
  check_data(solver, options.loss, scanned);
  FitPlan result;
  result.data = summarise(V, scanned);
  result.solver = resolve(solver, options, shape, scanned, result.warnings);
  result.bytes = memory_needed(result.solver, options.start, shape, sizeof(Scalar));
  return result;
}

#define SVRMU_INSTANTIATE(S)                                     \
  template DataSummary describe<S>(const MatrixSource<S>&, int); \
  template FitPlan plan_fit<S>(const MatrixSource<S>&, const SolverOptions&, const FitOptions<S>&);
SVRMU_INSTANTIATE(float)
SVRMU_INSTANTIATE(double)
#undef SVRMU_INSTANTIATE

}  // namespace svrmu
