// The loops behind Kernels. Included by one file per instruction set, each with its own SVRMU_KERNEL_SET:
// nothing here may be shared between them, so only raw loops and libm are used.
#include <cstdint>

#include "linalg/kernels.hpp"

namespace svrmu::SVRMU_KERNEL_SET {
namespace {

using Size = std::int64_t;

// Numbers in one pair of vector registers.
template <class S>
constexpr int lanes = 64 / static_cast<int>(sizeof(S));

// Keeps 0/0 out of the factors without moving any ratio that matters.
template <class S>
constexpr S tiny = sizeof(S) == 8 ? S(0x1p-1000) : S(0x1p-120);

template <class S>
inline S at_least_floor(S x) {
  return x > floor_value<S> ? x : floor_value<S>;
}

// libm itself: an inline wrapper compiled for one instruction set could be linked into code for another.
inline double power(double x, double y) { return __builtin_pow(x, y); }
inline float power(float x, float y) { return __builtin_powf(x, y); }

template <class S>
inline S quotient(S up, S down) {
  return up / (down > tiny<S> ? down : tiny<S>);
}

template <class S>
S dot(const S* a, const S* b, Size n) {
  constexpr int L = lanes<S> / 2;
  S sum[L] = {};
  Size i = 0;
  for (; i + L <= n; i += L)
    for (int l = 0; l < L; ++l) sum[l] += a[i + l] * b[i + l];
  S rest = 0;
  for (; i < n; ++i) rest += a[i] * b[i];
  for (int width = L / 2; width > 0; width /= 2)
    for (int l = 0; l < width; ++l) sum[l] += sum[l + width];
  return sum[0] + rest;
}

template <class S>
void ratio(S* __restrict x, const S* __restrict up, const S* __restrict down, Size n, Shrink<S> shrink,
           S step, S exponent) {
  if (exponent == S(1)) {
    const S keep = 1 - step;
    for (Size i = 0; i < n; ++i)
      x[i] = at_least_floor(keep * x[i] +
                            step * (x[i] * quotient(up[i], down[i] + shrink.l1 + shrink.l2 * x[i])));
    return;
  }
  for (Size i = 0; i < n; ++i) {
    const S factor = power(quotient(up[i], down[i] + shrink.l1 + shrink.l2 * x[i]), exponent);
    x[i] = at_least_floor((1 - step) * x[i] + step * (x[i] * factor));
  }
}

template <class S>
double ratio_change(S* __restrict x, const S* __restrict up, const S* __restrict down, Size n,
                    Shrink<S> shrink, S exponent) {
  double change = 0;
  for (Size i = 0; i < n; ++i) {
    const S factor = quotient(up[i], down[i] + shrink.l1 + shrink.l2 * x[i]);
    const S next = at_least_floor(x[i] * (exponent == S(1) ? factor : power(factor, exponent)));
    const double d = static_cast<double>(next) - static_cast<double>(x[i]);
    change += d * d;
    x[i] = next;
  }
  return change;
}

template <class S>
double hals_sweep(S* x, const S* A, Size count, const S* G, Size K, Shrink<S> shrink) {
  double change = 0;
  for (Size i = 0; i < count; ++i, x += K, A += K) {
    for (Size k = 0; k < K; ++k) {
      const S pivot = G[k * K + k] + shrink.l2;
      if (!(pivot > tiny<S>)) continue;  // a component without weight cannot be improved
      const S gradient = dot(G + k * K, x, K) - A[k] + shrink.l1 + shrink.l2 * x[k];
      const S next = at_least_floor(x[k] - gradient / pivot);
      const double d = static_cast<double>(next) - static_cast<double>(x[k]);
      change += d * d;
      x[k] = next;
    }
  }
  return change;
}

template <class S>
void add_scaled(S* __restrict y, S a, const S* __restrict x, Size n) {
  for (Size i = 0; i < n; ++i) y[i] += a * x[i];
}

// A block of k stays in registers while all entries of the column pass by.
template <class S, int Width, class Row>
inline void gather_block(Row row, const S* values, Size stride, Size n, const S* W, Size K, S scale, S* out) {
  S sum[Width] = {};
  for (Size p = 0; p < n; ++p) {
    const S v = values[p * stride];
    const S* w = W + row(p) * K;
    for (int l = 0; l < Width; ++l) sum[l] += v * w[l];
  }
  for (int l = 0; l < Width; ++l) out[l] = scale * sum[l];
}

template <class S, class Row>
inline void gather(Row row, const S* values, Size stride, Size n, const S* W, Size K, S scale, S* out) {
  constexpr int L = lanes<S>;
  Size k = 0;
  for (; k + 2 * L <= K; k += 2 * L) gather_block<S, 2 * L>(row, values, stride, n, W + k, K, scale, out + k);
  for (; k + L / 2 <= K; k += L / 2) gather_block<S, L / 2>(row, values, stride, n, W + k, K, scale, out + k);
  for (; k < K; ++k) gather_block<S, 1>(row, values, stride, n, W + k, K, scale, out + k);
}

template <class S, class I>
void gather_sparse(const I* rows, const S* values, Size n, const S* W, Size K, S scale, S* out) {
  gather([rows](Size p) { return static_cast<Size>(rows[p]); }, values, 1, n, W, K, scale, out);
}

template <class S>
void gather_dense(const S* v, Size stride, Size features, const S* W, Size K, S scale, S* out) {
  gather([](Size p) { return p; }, v, stride, features, W, K, scale, out);
}

template <class S, class I>
void scatter(const I* rows, const S* values, Size n, const S* __restrict h, Size K, S scale,
             S* __restrict out) {
  for (Size p = 0; p < n; ++p) {
    const S v = scale * values[p];
    S* to = out + static_cast<Size>(rows[p]) * K;
    for (Size k = 0; k < K; ++k) to[k] += v * h[k];
  }
}

template <class S, class I>
void sample(const I* rows, Size n, const S* W, const S* h, Size K, S* x) {
  for (Size p = 0; p < n; ++p) x[p] = dot(W + static_cast<Size>(rows[p]) * K, h, K);
}

template <class S>
constexpr Kernels<S> table_of{
    .ratio = ratio<S>,
    .ratio_change = ratio_change<S>,
    .hals_sweep = hals_sweep<S>,
    .add_scaled = add_scaled<S>,
    .dot = dot<S>,
    .gather32 = gather_sparse<S, std::int32_t>,
    .gather64 = gather_sparse<S, std::int64_t>,
    .scatter32 = scatter<S, std::int32_t>,
    .scatter64 = scatter<S, std::int64_t>,
    .sample32 = sample<S, std::int32_t>,
    .sample64 = sample<S, std::int64_t>,
    .gather_dense = gather_dense<S>,
};

}  // namespace

extern const Kernels<float> table_float;
extern const Kernels<double> table_double;
const Kernels<float> table_float = table_of<float>;
const Kernels<double> table_double = table_of<double>;

}  // namespace svrmu::SVRMU_KERNEL_SET
