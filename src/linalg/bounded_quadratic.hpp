// Quadratics 1/2 y'Qy - a'y + l1 |y| + l2/2 ||y||^2 over entries at the floor or above: what one column of H
// minimizes, or a model of that.
#pragma once

#include "linalg/shrink.hpp"
#include "svrmu/matrix.hpp"

namespace svrmu {

// Q is K x K, symmetric, and positive semidefinite where it has to be minimized.
template <class Scalar>
struct Quadratic {
  const Scalar* Q;
  const Scalar* a;
  Index K;
  Shrink<Scalar> shrink;
};

// Sweeps find out which entries are at the floor, but creep where the columns of W are alike. So every so
// many of them a jump goes to the minimum over the entries that are above it.
constexpr int sweeps_per_jump(Index K) { return 10 + static_cast<int>(K / 8); }

// y <- the minimum over the entries of y above the floor, or as far toward it as the floor permits. Nothing
// happens where rounding leaves no minimum.
template <class Scalar>
void jump(const Quadratic<Scalar>& q, Scalar* y);

// y <- about the minimum, by sweeps and jumps from y: until a sweep changes y by `tolerance` of what the
// first one did, or max_sweeps are made.
template <class Scalar>
void minimize(const Quadratic<Scalar>& q, double tolerance, int max_sweeps, Scalar* y);

// Whether it has a single minimum, with some room for rounding.
template <class Scalar>
bool positive_definite(const Quadratic<Scalar>& q);

}  // namespace svrmu
