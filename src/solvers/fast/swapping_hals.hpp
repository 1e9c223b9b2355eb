// HALS with extrapolation on V that leaves poor local minima: where its iterations gain little, components
// are swapped for others. Steps 9 to 11 of fast.cpp.
#pragma once

#include "solvers/extrapolated_hals.hpp"

namespace svrmu::fast {

template <class Scalar, class Real = Scalar>
class SwappingHals : public ExtrapolatedHals<Scalar, Real> {
 public:
  explicit SwappingHals(const DataTerm<Real>& term) : ExtrapolatedHals<Scalar, Real>(term) {}

  // 9. The first iteration, from W alone: H by least squares and sweeps, in single precision; then W.
  void iterate_from_W(ColumnFeed<Scalar>& feed, Factors<Real>& f, const RowMatrix<float>& W, int sweeps);

  // 10. Several iterations; then 11. swaps, where asked for.
  void epoch(ColumnFeed<Scalar>& feed, Factors<Real>& f, int sweeps, bool swap);

 private:
  void swap_components(ColumnFeed<Scalar>& feed, Factors<Real>& f, int sweeps, double gained);
  bool gets_below(double goal, ColumnFeed<Scalar>& feed, Factors<Real>& f, int sweeps);

  Factors<Real> before_;  // within an epoch: what an iteration begins with, or a swap may have to restore
};

}  // namespace svrmu::fast
