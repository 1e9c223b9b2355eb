// Zeros of a start that a multiplicative step could not leave.
#pragma once

#include <algorithm>

#include "data/factors.hpp"
#include "data/feed.hpp"
#include "linalg/shrink.hpp"

namespace svrmu {
namespace lifting {

constexpr double lifted = 1e-2;  // of the mean of the component

// Component k of each item is x[k]; `totals` are the sums of the components over all `count` items.
template <class M>
void lift(M& x, Index K, const Matrix<double>& totals, double count) {
  using Scalar = typename M::Scalar;
  const double all = totals.sum() / static_cast<double>(K);
  for (Index k = 0; k < K; ++k) {
    // A component without any value begins again.
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

}  // namespace lifting

// Every entry of W and H to at least a hundredth of the mean of its component.
template <class Scalar>
void lift_zeros(const ColumnFeed<Scalar>& feed, Factors<Scalar>& f) {
  const Index K = f.W.cols();
  Matrix<double> in_H = lifting::component_sums(f.H, K);
  for (Index k = 0; k < K; ++k) in_H(k, 0) = feed.total(in_H(k, 0));
  lifting::lift(f.W, K, lifting::component_sums(f.W, K), static_cast<double>(f.W.rows()));
  lifting::lift(f.H, K, in_H, static_cast<double>(feed.total_samples()));
}

}  // namespace svrmu
