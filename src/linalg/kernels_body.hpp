// The loops behind Kernels. Included by one file per instruction set, each with its own SVRMU_KERNEL_SET:
// nothing here may be shared between them, so only raw loops and libm are used.
#include <cstddef>
#include <cstdint>
#include <utility>
#if defined(__SSE2__)
#include <immintrin.h>
#endif

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

// sum + a b, fused where the set has it: left to itself the compiler fuses or not, loop by loop.
inline double add_product_of(double a, double b, double sum) {
#if defined(__FMA__)
  return __builtin_fma(a, b, sum);
#else
  return sum + a * b;
#endif
}
inline float add_product_of(float a, float b, float sum) {
#if defined(__FMA__)
  return __builtin_fmaf(a, b, sum);
#else
  return sum + a * b;
#endif
}

template <class S>
struct VectorOf {
  using type [[gnu::vector_size(SVRMU_VECTOR_BYTES)]] = S;
};
template <class S>
using Vector = typename VectorOf<S>::type;
template <class S>
constexpr int width = SVRMU_VECTOR_BYTES / static_cast<int>(sizeof(S));

template <class S>
inline Vector<S> load(const S* from) {
  Vector<S> v;
  __builtin_memcpy(&v, from, sizeof(v));
  return v;
}
template <class S>
inline void store(S* to, Vector<S> v) {
  __builtin_memcpy(to, &v, sizeof(v));
}

#include "linalg/kernels_sums.hpp"

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
void add_scaled(S* __restrict y, S a, const S* __restrict x, Size n) {
  for (Size i = 0; i < n; ++i) y[i] += a * x[i];
}

template <class S>
void scale_above_floor(S a, const S* __restrict x, Size n, S* __restrict out) {
  for (Size i = 0; i < n; ++i) {
    const S scaled = a * x[i];
    out[i] = x[i] > floor_value<S> ? scaled : S(0);
  }
}

#include "linalg/kernels_divergence.hpp"
#include "linalg/kernels_gather.hpp"
#include "linalg/kernels_hals.hpp"
#include "linalg/kernels_products.hpp"
#include "linalg/kernels_random.hpp"

template <class S>
constexpr Kernels<S> table_of{
    .ratio = ratio<S>,
    .ratio_change = ratio_change<S>,
    .hals_sweep = hals_sweep<S>,
    .lanes = block_lanes<S>,
    .hals_sweeps = hals_sweeps<S>,
    .hals_violation = hals_violation<S>,
    .kl_parts = divergence_parts<S, Divergence::kl>,
    .is_parts = divergence_parts<S, Divergence::is>,
    .kl_loss = divergence<S, Divergence::kl>,
    .is_loss = divergence<S, Divergence::is>,
    .add_scaled = add_scaled<S>,
    .scale_above_floor = scale_above_floor<S>,
    .dot = dot<S>,
    .inner_product = inner_product<S>,
    .summarize = summarize<S>,
    .round = round<S>,
    .gather32 = gather_sparse<S, std::int32_t>,
    .gather64 = gather_sparse<S, std::int64_t>,
    .scatter32 = scatter<S, std::int32_t>,
    .scatter64 = scatter<S, std::int64_t>,
    .sample32 = sample<S, std::int32_t>,
    .sample64 = sample<S, std::int64_t>,
    .gather_dense = gather_dense<S>,
    .add_product = add_product<S>,
    .width = width<S>,
    .add_gram = add_gram<S>,
    .uniform = uniform<S>,
};

}  // namespace

extern const Kernels<float> table_float;
extern const Kernels<double> table_double;
const Kernels<float> table_float = table_of<float>;
const Kernels<double> table_double = table_of<double>;

}  // namespace svrmu::SVRMU_KERNEL_SET
