// Element loops over raw memory, compiled once per instruction set and chosen at run time. Items are runs of
// K contiguous numbers: rows of W or columns of H.
#pragma once

#include <cstdint>
#include <limits>

#include "linalg/shrink.hpp"

namespace svrmu {

// Of a run of numbers. NaN is in the sum alone.
struct Summary {
  double sum = 0;
  double squared = 0;
  double least = std::numeric_limits<double>::infinity();
  double max = -std::numeric_limits<double>::infinity();
  double nonzeros = 0;
};

struct Losses {
  double loss = 0;
  double squared = 0;  // ||v - x||^2
};

// A product of small matrices: rows of K numbers, `x_stride` and `out_stride` apart.
template <class Scalar>
struct Product {
  std::int64_t items;
  std::int64_t terms;
  std::int64_t K;
  const Scalar* X;
  std::int64_t x_stride;
  const Scalar* T;
  std::int64_t term_stride;
  std::int64_t item_stride;
  Scalar* out;
  std::int64_t out_stride;
};

template <class Scalar>
struct Kernels {
  using Size = std::int64_t;

  // x <- max(floor, (1-a) x + a x (up / (down + l1 + l2 x))^g); returns the squared change when asked to.
  void (*ratio)(Scalar* x, const Scalar* up, const Scalar* down, Size n, Shrink<Scalar> shrink, Scalar step,
                Scalar exponent);
  double (*ratio_change)(Scalar* x, const Scalar* up, const Scalar* down, Size n, Shrink<Scalar> shrink,
                         Scalar exponent);
  // One HALS sweep, item by item: for few of them. Returns the squared change.
  double (*hals_sweep)(Scalar* x, const Scalar* A, Size count, const Scalar* G, Size K,
                       Shrink<Scalar> shrink);
  // HALS sweeps over `count` items with Gram matrix G and products A; returns the squared change of the last.
  // They take a block of `lanes` items at a time into `work`, which has room for hals_work(lanes, K) numbers.
  Size lanes;
  double (*hals_sweeps)(Scalar* x, const Scalar* A, Size count, const Scalar* G, Size K,
                        Shrink<Scalar> shrink, int sweeps, Scalar* work);
  // One such sweep; returns the sum of |projected gradient| over all coordinates, each when its turn comes.
  double (*hals_violation)(Scalar* x, const Scalar* A, Size count, const Scalar* G, Size K,
                           Shrink<Scalar> shrink, Scalar* work);
  // minus <- v / x for the Kullback-Leibler loss, v / x^2 and plus <- 1 / x for Itakura-Saito, x being
  // floored. minus may be v, and plus x.
  void (*kl_parts)(const Scalar* v, const Scalar* x, Size n, Scalar* minus, Scalar* plus);
  void (*is_parts)(const Scalar* v, const Scalar* x, Size n, Scalar* minus, Scalar* plus);
  // The divergences of v from x, summed in double.
  Losses (*kl_loss)(const Scalar* v, const Scalar* x, Size n);
  Losses (*is_loss)(const Scalar* v, const Scalar* x, Size n);
  // y <- y + a x
  void (*add_scaled)(Scalar* y, Scalar a, const Scalar* x, Size n);
  // out <- a x, but 0 where x is at the floor
  void (*scale_above_floor)(Scalar a, const Scalar* x, Size n, Scalar* out);
  Scalar (*dot)(const Scalar* a, const Scalar* b, Size n);
  // The same in double.
  double (*inner_product)(const Scalar* a, const Scalar* b, Size n);
  Summary (*summarize)(const Scalar* x, Size n);
  // out <- scale x in single precision
  void (*round)(const Scalar* x, Scalar scale, Size n, float* out);

  // out <- scale sum_p values[p] W[rows[p], :]; `readable` (at least n) entries of `rows` may be read.
  void (*gather32)(const std::int32_t* rows, const Scalar* values, Size n, Size readable, const Scalar* W,
                   Size K, Scalar scale, Scalar* out);
  void (*gather64)(const std::int64_t* rows, const Scalar* values, Size n, Size readable, const Scalar* W,
                   Size K, Scalar scale, Scalar* out);
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
  // out[c, :] += sum_i T[c * item_stride + i * term_stride] X[i, :]
  void (*add_product)(const Product<Scalar>& product);

  // Numbers in a vector.
  Size width;
  // sum[k, l] += sum_i x[i, k] x[i, l] for k <= l at least, with rows of gram_stride(width, K) numbers.
  // `panel` has room for gram_panel such rows.
  void (*add_gram)(const Scalar* x, Size count, Size K, Scalar* panel, double* sum);

  // out[k] <- size * Random::uniform(item, k) for k < K, with the very bits of that.
  void (*uniform)(const std::uint32_t* key, std::uint64_t item, Size K, double size, Scalar* out);
};

constexpr std::int64_t hals_work(std::int64_t lanes, std::int64_t K) { return (2 * lanes + 1) * K + 16; }

constexpr std::int64_t gram_panel = 64;
constexpr std::int64_t gram_stride(std::int64_t width, std::int64_t K) {
  const std::int64_t step = width > 8 ? width : 8;
  return (K + step - 1) / step * step;
}

// The table for this processor.
template <class Scalar>
const Kernels<Scalar>& kernels();

}  // namespace svrmu
