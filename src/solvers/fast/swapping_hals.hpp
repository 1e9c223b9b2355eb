// Extrapolated HALS on V that leaves poor local minima: where its iterations come to rest, components are
// swapped for others.
#pragma once

#include "solvers/extrapolated_hals.hpp"

namespace svrmu::fast {

template <class Scalar, class Real = Scalar>
class SwappingHals : public ExtrapolatedHals<Scalar, Real> {
 public:
  explicit SwappingHals(const DataTerm<Real>& term) : ExtrapolatedHals<Scalar, Real>(term) {}

  // The first iteration, from W alone: H by least squares and sweeps, in single precision; then W.
  void iterate_from_W(ColumnFeed<Scalar>& feed, Factors<Real>& f, const RowMatrix<float>& W, int sweeps);

  // Several iterations; then swaps, where asked for.
  void epoch(ColumnFeed<Scalar>& feed, Factors<Real>& f, int sweeps, bool swap);

 private:
  void swap_components(ColumnFeed<Scalar>& feed, Factors<Real>& f, int sweeps, double gained);
  bool gets_below(double goal, ColumnFeed<Scalar>& feed, Factors<Real>& f, int sweeps);

  Factors<Real> before_;  // the iterate that the next one is made from, within an epoch
};

}  // namespace svrmu::fast
