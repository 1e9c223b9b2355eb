// Element loops over raw memory, compiled once per instruction set and chosen at run time. Items are runs of
// K contiguous numbers: rows of W or columns of H.
#pragma once

#include <cstdint>

namespace svrmu {

// Added to the denominator of a multiplicative step, subtracted in a HALS step.
template <class Scalar>
struct Shrink {
  Scalar l1 = 0;
  Scalar l2 = 0;
};

// floor 2^-52 in both precisions: 0 would absorb every later multiplicative step.
template <class Scalar>
inline constexpr Scalar floor_value = static_cast<Scalar>(0x1p-52);

template <class Scalar>
struct Kernels {
  using Size = std::int64_t;

  // x <- max(floor, (1-a) x + a x (up / (down + l1 + l2 x))^g); returns the squared change when asked to.
  void (*ratio)(Scalar* x, const Scalar* up, const Scalar* down, Size n, Shrink<Scalar> shrink, Scalar step,
                Scalar exponent);
  double (*ratio_change)(Scalar* x, const Scalar* up, const Scalar* down, Size n, Shrink<Scalar> shrink,
                         Scalar exponent);
  // One HALS sweep over `count` items with Gram matrix G and products A; returns the squared change.
  double (*hals_sweep)(Scalar* x, const Scalar* A, Size count, const Scalar* G, Size K,
                       Shrink<Scalar> shrink);
  // y <- y + a x
  void (*add_scaled)(Scalar* y, Scalar a, const Scalar* x, Size n);
  Scalar (*dot)(const Scalar* a, const Scalar* b, Size n);

  // out <- scale sum_p values[p] W[rows[p], :]
  void (*gather32)(const std::int32_t* rows, const Scalar* values, Size n, const Scalar* W, Size K,
                   Scalar scale, Scalar* out);
  void (*gather64)(const std::int64_t* rows, const Scalar* values, Size n, const Scalar* W, Size K,
                   Scalar scale, Scalar* out);
  // out[rows[p], :] += scale values[p] h
  void (*scatter32)(const std::int32_t* rows, const Scalar* values, Size n, const Scalar* h, Size K,
                    Scalar scale, Scalar* out);
  void (*scatter64)(const std::int64_t* rows, const Scalar* values, Size n, const Scalar* h, Size K,
                    Scalar scale, Scalar* out);
  // x[p] <- W[rows[p], :] h
  void (*sample32)(const std::int32_t* rows, Size n, const Scalar* W, const Scalar* h, Size K, Scalar* x);
  void (*sample64)(const std::int64_t* rows, Size n, const Scalar* W, const Scalar* h, Size K, Scalar* x);
  // out <- sum_f v[f * stride] W[f, :] for one dense column, in the order of the features
  void (*gather_dense)(const Scalar* v, Size stride, Size features, const Scalar* W, Size K, Scalar scale,
                       Scalar* out);
};

// The table for this processor.
template <class Scalar>
const Kernels<Scalar>& kernels();

}  // namespace svrmu
