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

// Eight sums, smallest and largest values side by side, in vectors: as plain loops they become branches,
// which values at random mislead.
template <class S>
class Lanes8 {
 public:
  void take(const S* x) {
    Values v;
    __builtin_memcpy(&v, x, sizeof(v));
    const Doubles d = __builtin_convertvector(v, Doubles);
    sum_ += d;
    squared_ += d * d;
    zeros_ -= v == Values{};
    least_ = v < least_ ? v : least_;
    max_ = v > max_ ? v : max_;
  }
  void add_to(Summary& all) const {
    for (int l = 0; l < 8; ++l) {
      all.sum += sum_[l];
      all.squared += squared_[l];
      all.nonzeros -= static_cast<double>(zeros_[l]);
      if (static_cast<double>(least_[l]) < all.least) all.least = static_cast<double>(least_[l]);
      if (static_cast<double>(max_[l]) > all.max) all.max = static_cast<double>(max_[l]);
    }
  }

 private:
  typedef S Values __attribute__((vector_size(8 * sizeof(S))));
  typedef double Doubles __attribute__((vector_size(64)));
  using Counts = decltype(Values{} == Values{});

  Doubles sum_ = {};
  Doubles squared_ = {};
  Counts zeros_ = {};
  Values least_ = static_cast<S>(Summary{}.least) - Values{};
  Values max_ = static_cast<S>(Summary{}.max) - Values{};
};

template <class S>
double inner_product(const S* a, const S* b, Size n) {
  constexpr int L = 32;
  double sum[L] = {};
  Size i = 0;
  for (; i + L <= n; i += L)
    for (int l = 0; l < L; ++l) sum[l] += static_cast<double>(a[i + l]) * static_cast<double>(b[i + l]);
  double total = 0;
  for (; i < n; ++i) total += static_cast<double>(a[i]) * static_cast<double>(b[i]);
  for (int l = 0; l < L; ++l) total += sum[l];
  return total;
}

template <class S>
Summary summarize(const S* x, Size n) {
  Lanes8<S> even;
  Lanes8<S> odd;
  Size i = 0;
  for (; i + 16 <= n; i += 16) {
    even.take(x + i);
    odd.take(x + i + 8);
  }
  Summary all;
  all.nonzeros = static_cast<double>(n);
  even.add_to(all);
  odd.add_to(all);
  for (; i < n; ++i) {
    const auto value = static_cast<double>(x[i]);
    all.sum += value;
    all.squared += value * value;
    all.nonzeros -= value == 0 ? 1 : 0;
    if (value < all.least) all.least = value;
    if (value > all.max) all.max = value;
  }
  return all;
}

template <class S>
void round(const S* __restrict x, S scale, Size n, float* __restrict out) {
  for (Size i = 0; i < n; ++i) out[i] = static_cast<float>(scale * x[i]);
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

// HALS sweeps work on blocks of items side by side: x[k][lane], so that every lane makes the same step on an
// item of its own.
template <class S>
struct VectorOf {
  typedef S type __attribute__((vector_size(SVRMU_VECTOR_BYTES)));
};
template <class S>
using Vector = typename VectorOf<S>::type;
template <class S>
constexpr int width = SVRMU_VECTOR_BYTES / static_cast<int>(sizeof(S));
constexpr int block_vectors = 4;
template <class S>
constexpr Size block_lanes = block_vectors* width<S>;
// Rows of G that share each load of x; clang spills registers with three.
#if defined(__clang__)
constexpr int rows_at_once = 2;
#else
constexpr int rows_at_once = SVRMU_VECTOR_BYTES == 64 ? 4 : 3;
#endif

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

// One stage of a transposition: swaps the off-diagonal blocks of distance D in a pair of rows.
template <int D, class V, std::size_t... I>
inline void exchange(V& a, V& b, std::index_sequence<I...>) {
  constexpr int W = sizeof...(I);
  const V x = a;
  const V y = b;
  a = __builtin_shufflevector(x, y, ((I & D) == 0 ? static_cast<int>(I) : static_cast<int>(I) - D + W)...);
  b = __builtin_shufflevector(x, y, ((I & D) == 0 ? static_cast<int>(I) + D : static_cast<int>(I) + W)...);
}
template <class S, int D>
inline void transpose_stages(Vector<S>* rows) {
  if constexpr (D < width<S>) {
    for (int i = 0; i < width<S>; ++i)
      if ((i & D) == 0) exchange<D>(rows[i], rows[i + D], std::make_index_sequence<width<S>>{});
    transpose_stages<S, 2 * D>(rows);
  }
}
// to[j][i] <- from[i][j] for a square of one vector's width.
template <class S>
inline void transpose(const S* from, Size from_stride, S* to, Size to_stride) {
  Vector<S> rows[width<S>];
  for (int i = 0; i < width<S>; ++i) rows[i] = load(from + i * from_stride);
  transpose_stages<S, 1>(rows);
  for (int i = 0; i < width<S>; ++i) store(to + i * to_stride, rows[i]);
}

// The squares of a run of K numbers; the last one ends with the run and may overlap the one before.
template <class S, class Body>
inline void for_squares(Size K, const Body& body) {
  constexpr Size W = width<S>;
  Size k = 0;
  for (; k + W <= K; k += W) body(k);
  if (k < K) body(K - W);
}
template <class S>
inline void into_lanes(const S* items, Size count, Size K, S* x) {
  constexpr Size L = block_lanes<S>;
  constexpr Size W = width<S>;
  if (count < L)
    for (Size i = 0; i < K * L; ++i) x[i] = 0;
  Size c = 0;
  for (; K >= W && c + W <= count; c += W)
    for_squares<S>(K, [&](Size k) { transpose(items + c * K + k, K, x + k * L + c, L); });
  for (; c < count; ++c)
    for (Size k = 0; k < K; ++k) x[k * L + c] = items[c * K + k];
}
template <class S>
inline void out_of_lanes(const S* x, Size count, Size K, S* items) {
  constexpr Size L = block_lanes<S>;
  constexpr Size W = width<S>;
  Size c = 0;
  for (; K >= W && c + W <= count; c += W)
    for_squares<S>(K, [&](Size k) { transpose(x + k * L + c, L, items + c * K + k, K); });
  for (; c < count; ++c)
    for (Size k = 0; k < K; ++k) items[c * K + k] = x[k * L + c];
}

// The larger of each pair, and `least` where x is not a number.
template <class S>
inline Vector<S> at_least(Vector<S> x, Vector<S> least) {
#if defined(__AVX512F__)
  if constexpr (sizeof(S) == 8)
    return _mm512_mask_max_pd(x, 0xFF, x, least);
  else
    return _mm512_mask_max_ps(x, 0xFFFF, x, least);
#else
  return x > least ? x : least;
#endif
}

// Coordinates k .. k + Rows of one sweep: their gradients in one go over all of x, then corrected in turn by
// the moves of those before.
template <class S, int Rows, bool Measure>
inline void hals_rows(const S* G, Size K, Size k, S* x, const S* b, const S* inverse, Shrink<S> shrink,
                      Vector<S>* change) {
  constexpr Size L = block_lanes<S>;
  constexpr int U = block_vectors;
  Vector<S> rest[Rows][U];
  for (int i = 0; i < Rows; ++i)
    for (int u = 0; u < U; ++u)
      rest[i][u] = load(b + (k + i) * L + u * width<S>) - shrink.l2 * load(x + (k + i) * L + u * width<S>);
  for (Size l = 0; l < K; ++l) {
    Vector<S> at[U];
    for (int u = 0; u < U; ++u) at[u] = load(x + l * L + u * width<S>);
    for (int i = 0; i < Rows; ++i)
      for (int u = 0; u < U; ++u) rest[i][u] -= G[(k + i) * K + l] * at[u];
  }
  const Vector<S> least = floor_value<S> - Vector<S>{};
  Vector<S> moved[Rows][U];
  for (int i = 0; i < Rows; ++i) {
    for (int j = 0; j < i; ++j)
      for (int u = 0; u < U; ++u) rest[i][u] -= G[(k + i) * K + k + j] * moved[j][u];
    for (int u = 0; u < U; ++u) {
      S* place = x + (k + i) * L + u * width<S>;
      const Vector<S> old = load(place);
      // The move first, for the coordinates that wait for it.
      moved[i][u] = at_least<S>(rest[i][u] * inverse[k + i], least - old);
      if (Measure) change[u] += moved[i][u] * moved[i][u];
      store(place, at_least<S>(old + moved[i][u], least));
    }
  }
}

template <class S, bool Measure>
inline void hals_block(const S* G, Size K, S* x, const S* b, const S* inverse, Shrink<S> shrink,
                       Vector<S>* change) {
  Size k = 0;
  for (; k + rows_at_once <= K; k += rows_at_once)
    hals_rows<S, rows_at_once, Measure>(G, K, k, x, b, inverse, shrink, change);
  for (; k < K; ++k) hals_rows<S, 1, Measure>(G, K, k, x, b, inverse, shrink, change);
}

template <class S>
double hals_sweeps(S* items, const S* A, Size count, const S* G, Size K, Shrink<S> shrink, int sweeps,
                   S* work) {
  constexpr Size L = block_lanes<S>;
  S* x = work + (64 - reinterpret_cast<std::uintptr_t>(work) % 64) / sizeof(S);
  S* b = x + K * L;
  S* inverse = b + K * L;
  // A component whose other half lies at the floor: a step would make up for that by a huge number here.
  constexpr S without_weight = S(0x1p-60);
  for (Size k = 0; k < K; ++k) {
    const S pivot = G[k * K + k] + shrink.l2;
    inverse[k] = pivot > without_weight ? 1 / pivot : S(0);
  }
  double total = 0;
  for (Size i = 0; i < count; i += L) {
    const Size n = count - i < L ? count - i : L;
    into_lanes(items + i * K, n, K, x);
    into_lanes(A + i * K, n, K, b);
    if (shrink.l1 != S(0))
      for (Size p = 0; p < K * L; ++p) b[p] -= shrink.l1;
    Vector<S> change[block_vectors] = {};
    for (int s = 1; s < sweeps; ++s) hals_block<S, false>(G, K, x, b, inverse, shrink, change);
    hals_block<S, true>(G, K, x, b, inverse, shrink, change);
    out_of_lanes(x, n, K, items + i * K);
    for (Size lane = 0; lane < n; ++lane)
      total += static_cast<double>(change[lane / width<S>][lane % width<S>]);
  }
  return total;
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

constexpr int most_gathered = 8;

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

// V vectors of each row of W stay in registers while all entries of a column pass by. The last vector ends
// with the row, so it may overlap the one before, which does no harm.
template <class S, int V, class I>
inline void gather_vectors(const I* rows, const S* values, Size n, Size readable, const S* W, Size K,
                           Size count, S scale, S* out) {
  constexpr Size ahead = 12;  // entries between a prefetch and its use
  constexpr Size line = 64 / static_cast<Size>(sizeof(S));
  const Size last = count - width<S>;
  Vector<S> sum[V] = {};
  for (Size p = 0; p < n; ++p) {
    if (p + ahead < readable) {
      const S* next = W + static_cast<Size>(rows[p + ahead]) * K;
      for (Size i = 0; i < V * width<S>; i += line) __builtin_prefetch(next + i);
    }
    const S* w = W + static_cast<Size>(rows[p]) * K;
    for (int i = 0; i < V - 1; ++i) sum[i] += values[p] * load(w + i * width<S>);
    sum[V - 1] += values[p] * load(w + last);
  }
  for (int i = 0; i < V - 1; ++i) store(out + i * width<S>, scale * sum[i]);
  store(out + last, scale * sum[V - 1]);
}

// Tries V = 1, 2, ... for `count` numbers of each row.
template <class S, int V, class I>
inline void gather_some(const I* rows, const S* values, Size n, Size readable, const S* W, Size K, Size count,
                        S scale, S* out) {
  if (V == most_gathered || count <= V * width<S>)
    gather_vectors<S, V>(rows, values, n, readable, W, K, count, scale, out);
  else if constexpr (V < most_gathered)
    gather_some<S, V + 1>(rows, values, n, readable, W, K, count, scale, out);
}

template <class S, class I>
void gather_sparse(const I* rows, const S* values, Size n, Size readable, const S* W, Size K, S scale,
                   S* out) {
  if (K < width<S>) {
    gather([rows](Size p) { return static_cast<Size>(rows[p]); }, values, 1, n, W, K, scale, out);
    return;
  }
  constexpr Size most = most_gathered * width<S>;
  Size k = 0;
  for (; K - k > most; k += most)
    gather_vectors<S, most_gathered>(rows, values, n, readable, W + k, K, most, scale, out + k);
  if (K - k < width<S>) k = K - width<S>;
  gather_some<S, 1>(rows, values, n, readable, W + k, K, K - k, scale, out + k);
}

template <class S>
void gather_dense(const S* v, Size stride, Size features, const S* W, Size K, S scale, S* out) {
  gather([](Size p) { return p; }, v, stride, features, W, K, scale, out);
}

#include "linalg/kernels_products.hpp"

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

#include "linalg/kernels_divergence.hpp"
#include "linalg/kernels_random.hpp"

template <class S>
constexpr Kernels<S> table_of{
    .ratio = ratio<S>,
    .ratio_change = ratio_change<S>,
    .hals_sweep = hals_sweep<S>,
    .lanes = block_lanes<S>,
    .hals_sweeps = hals_sweeps<S>,
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
