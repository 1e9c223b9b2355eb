// Loops over runs of numbers inside a tile, by their names in mathematics. Which kernel runs, and for which
// processor, is decided behind them.
#pragma once

#include "linalg/kernels.hpp"
#include "linalg/shrink.hpp"
#include "svrmu/matrix.hpp"

namespace svrmu {

// y <- y + a x
template <class Scalar>
void add_scaled(Scalar* y, Scalar a, const Scalar* x, Index n) {
  kernels<Scalar>().add_scaled(y, a, x, n);
}

template <class Scalar>
Scalar dot(const Scalar* a, const Scalar* b, Index n) {
  return kernels<Scalar>().dot(a, b, n);
}

// out <- a x, but 0 where x is at the floor
template <class Scalar>
void scale_above_floor(Scalar a, const Scalar* x, Index n, Scalar* out) {
  kernels<Scalar>().scale_above_floor(a, x, n, out);
}

// x <- max(floor, x (up / (down + l1 + l2 x))^g); the second also returns the squared change.
template <class Scalar>
void ratio_step(Scalar* x, const Scalar* up, const Scalar* down, Index n, Shrink<Scalar> shrink,
                double exponent) {
  kernels<Scalar>().ratio(x, up, down, n, shrink, Scalar(1), static_cast<Scalar>(exponent));
}
template <class Scalar>
double measured_ratio_step(Scalar* x, const Scalar* up, const Scalar* down, Index n, Shrink<Scalar> shrink,
                           double exponent) {
  return kernels<Scalar>().ratio_change(x, up, down, n, shrink, static_cast<Scalar>(exponent));
}

// One HALS sweep over a single item x with Gram matrix G and products A.
template <class Scalar>
void hals_item(Scalar* x, const Scalar* A, const Matrix<Scalar>& G, Shrink<Scalar> shrink) {
  kernels<Scalar>().hals_sweep(x, A, 1, G.data(), G.rows(), shrink);
}

// out <- W'v for one dense column, in the order of the features.
template <class Scalar>
void weigh_rows(const RowMatrix<Scalar>& W, const Scalar* v, Scalar* out) {
  kernels<Scalar>().gather_dense(v, 1, W.rows(), W.data(), W.cols(), Scalar(1), out);
}

// minus <- v / x (Kullback-Leibler); minus <- v / x^2 and plus <- 1 / x (Itakura-Saito). x is floored. minus
// may be v or x, and plus x.
template <class Scalar>
void kl_parts(const Scalar* v, const Scalar* x, Index n, Scalar* minus) {
  kernels<Scalar>().kl_parts(v, x, n, minus, nullptr);
}
template <class Scalar>
void is_parts(const Scalar* v, const Scalar* x, Index n, Scalar* minus, Scalar* plus) {
  kernels<Scalar>().is_parts(v, x, n, minus, plus);
}

// The divergences of v from x and ||v - x||^2, summed in double.
template <class Scalar>
Losses kl_loss(const Scalar* v, const Scalar* x, Index n) {
  return kernels<Scalar>().kl_loss(v, x, n);
}
template <class Scalar>
Losses is_loss(const Scalar* v, const Scalar* x, Index n) {
  return kernels<Scalar>().is_loss(v, x, n);
}

}  // namespace svrmu
