// Small symmetric matrices (K x K) that are sums of x x' over the items of a factor: what follows from them
// alone. Computed in double.
#pragma once

#include "linalg/kernels.hpp"
#include "svrmu/matrix.hpp"

namespace svrmu {

// (G + ridge)^-1, the ridge being `relative` of G's mean diagonal plus the penalty l2. H = max(0, that times
// W'V) is where sweeps over an unknown H begin, with G = W'W; and W alike.
template <class Real>
Matrix<Real> ridge_inverse(const Matrix<Real>& G, Shrink<Real> shrink, double relative);

// G inverted in its leading directions: those above `drop` of the largest.
Matrix<double> pseudo_inverse(const Matrix<double>& G, double drop);

// The squared distance of each vector from the span of the others (K x 1), G holding their inner products.
Matrix<double> squared_distances(const Matrix<double>& G);

}  // namespace svrmu
