// HALS on the items of one factor (columns of H, rows of W). On the columns of a batch, the products of V
// with the other factor are formed and swept over tile by tile, while they are in the cache.
#pragma once

#include "linalg/kernels.hpp"
#include "svrmu/matrix.hpp"
#include "svrmu/source.hpp"

namespace svrmu {

// Sweeps over x >= 0 toward the minimum of 1/2 x'Gx - a'x and penalties, item by item. For a column h of H, G
// is W'W and a is W'v.
template <class Real>
struct HalsStep {
  Matrix<Real> G;
  Shrink<Real> shrink;
  int sweeps = 1;
  // (G + ridge)^-1: sweeps begin at max(0, inverse a), whatever x was. Empty: they begin at x.
  Matrix<Real> inverse = {};
};

// Where the columns of H for a batch begin; they follow each other in blocks of the feed.
template <class M, class Scalar>
auto* columns_of(M& H, const Batch<Scalar>& v) {
  return H.data() + v.sample(0) * H.rows();
}

// h <- the step with a = W'v, in single precision, for a step that has an inverse. h is only written.
template <class Scalar, class Out>
void solve_h(const HalsStep<float>& step, const RowMatrix<float>& W, const Batch<Scalar>& v, Out* h);

// Hn <- the step from h with a = W'v;   h <- Hn + weight (Hn - last),   last <- Hn.
template <class Scalar, class Real>
void move_h_beyond(const HalsStep<Real>& step, const RowMatrix<Real>& W, const Batch<Scalar>& v,
                   double weight, Real* h, Real* last);

// next <- next + weight (next - last),   last <- what next was.
template <class Real>
void extrapolate(RowMatrix<Real>& next, RowMatrix<Real>& last, double weight);

// X <- max(floor, A inverse), row by row: the least-squares solution of X G = A, made nonnegative.
template <class Real>
void solve_rows(const Matrix<Real>& inverse, const RowMatrix<Real>& A, RowMatrix<Real>& X);

// X <- max(floor, inverse A) for `count` items. For use inside a tile.
template <class Real>
void solve_tile(const Matrix<Real>& inverse, const Real* A, Index count, Real* X);

}  // namespace svrmu
