#include "fit/frobenius_start.hpp"

#include <algorithm>

#include "fit/evaluate.hpp"
#include "fit/validate.hpp"
#include "solvers/solver.hpp"

namespace svrmu {
namespace {

constexpr int most_epochs = 20;
constexpr double settled = 1e-2;  // fall of the objective per epoch at which the other loss takes over
constexpr double lifted = 1e-2;   // of the mean of the component

// Component k of each item is `x[k]`; `totals` are the sums of the components over all `count` items.
template <class M>
void lift_zeros(M& x, Index K, const Matrix<double>& totals, double count) {
  using Scalar = typename M::Scalar;
  const double all = totals.sum() / static_cast<double>(K);
  for (Index k = 0; k < K; ++k) {
    // A component that died shall live again.
    const double sum = totals(k, 0) > 0 ? totals(k, 0) : all;
    const auto least = std::max(static_cast<Scalar>(lifted * sum / count), floor_value<Scalar>);
    for (Index i = k; i < x.size(); i += K) x.data()[i] = std::max(x.data()[i], least);
  }
}

template <class M>
Matrix<double> component_sums(const M& x, Index K) {
  Matrix<double> sums = Matrix<double>::Zero(K, 1);
  for (Index i = 0; i < x.size(); ++i) sums(i % K, 0) += static_cast<double>(x.data()[i]);
  return sums;
}

}  // namespace

template <class Scalar>
void descend_frobenius(const MatrixSource<Scalar>& source, const Team& team, const Scan& scan,
                       const Scaling& scaling, ColumnFeed<Scalar>& feed, Factors<Scalar>& f) {
  const FastOptions fast;
  const auto term = make_term<Scalar>(fast, Loss::frobenius(), {}, scaling.v);
  const auto solver = make_solver<Scalar>(fast, term);
  Evaluator<Scalar> objective(source, team, term, Loss::frobenius(), scan, scaling);
  solver->prepare(feed, f);
  double last = objective(f, solver->sums()).objective;
  for (int epoch = 1; epoch <= most_epochs; ++epoch) {
    const Factors<Scalar> start = f;
    feed.begin_epoch(epoch);
    solver->epoch(feed, f, {1, start});
    const double now = objective(f, solver->sums()).objective;
    const bool done = !(now < (1 - settled) * last);
    last = now;
    if (done) break;
  }
  const Index K = f.W.cols();
  Matrix<double> in_H = component_sums(f.H, K);
  for (Index k = 0; k < K; ++k) in_H(k, 0) = feed.total(in_H(k, 0));
  lift_zeros(f.W, K, component_sums(f.W, K), static_cast<double>(f.W.rows()));
  lift_zeros(f.H, K, in_H, static_cast<double>(feed.total_samples()));
}

template void descend_frobenius<float>(const MatrixSource<float>&, const Team&, const Scan&, const Scaling&,
                                       ColumnFeed<float>&, Factors<float>&);
template void descend_frobenius<double>(const MatrixSource<double>&, const Team&, const Scan&, const Scaling&,
                                        ColumnFeed<double>&, Factors<double>&);

}  // namespace svrmu
