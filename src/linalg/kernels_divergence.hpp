// The entrywise loops of the Kullback-Leibler and Itakura-Saito losses. Part of kernels_body.hpp, which
// includes it inside the namespace of its instruction set.

// The part of a table that differs between the two: what an entry adds to the derivative and to the loss.
enum class Divergence { kl, is };

// NaN stays NaN, so that a failed fit is seen.
template <class S>
inline Vector<S> floored(Vector<S> x) {
  const Vector<S> least = least_product<S> - Vector<S>{};
  return x < least ? least : x;
}

template <class S, Divergence D>
inline void parts_of(Vector<S> v, Vector<S> x, Vector<S>& minus, Vector<S>& plus) {
  const Vector<S> at = floored<S>(x);
  if constexpr (D == Divergence::kl) {
    minus = v / at;
    plus = x;
  } else {
    plus = S(1) / at;
    minus = v * plus * plus;
  }
}

// minus <- v x^(beta-2) and, but for KL, plus <- x^(beta-1); each vector is read before it is written, so
// that the results may take the place of v and x.
template <class S, Divergence D>
void divergence_parts(const S* v, const S* x, Size n, S* minus, S* plus) {
  constexpr Size W = width<S>;
  Vector<S> a;
  Vector<S> b;
  Size i = 0;
  for (; i + W <= n; i += W) {
    parts_of<S, D>(load(v + i), load(x + i), a, b);
    store(minus + i, a);
    if constexpr (D == Divergence::is) store(plus + i, b);
  }
  // Columns of sparse V are short: what is left of them is not worth a vector.
  for (; i < n; ++i) {
    const S at = x[i] < least_product<S> ? least_product<S> : x[i];
    const S inverse = D == Divergence::is ? 1 / at : S(0);
    minus[i] = D == Divergence::is ? v[i] * inverse * inverse : v[i] / at;
    if constexpr (D == Divergence::is) plus[i] = inverse;
  }
}

using Doubles = Vector<double>;
using Bits [[gnu::vector_size(SVRMU_VECTOR_BYTES)]] = std::uint64_t;
constexpr Size doubles = width<double>;

inline Doubles as_doubles(const double* from) { return load(from); }
inline Doubles as_doubles(const float* from) {
  using Half [[gnu::vector_size(SVRMU_VECTOR_BYTES / 2)]] = float;
  Half v;
  __builtin_memcpy(&v, from, sizeof(v));
  return __builtin_convertvector(v, Doubles);
}

// Natural logarithm of positive normal numbers, to about an ulp: x = m 2^e with m around 1, and
// log m = 2 artanh((m - 1) / (m + 1)) by its series.
inline Doubles logarithm(Doubles x) {
  constexpr std::uint64_t root_half = 0x3fe6a09e667f3bcd;
  constexpr std::uint64_t one = 0x3ff0000000000000;
  const Bits bits = (Bits)x;
  const Bits biased = (bits + (one - root_half)) >> 52;
  const Doubles m = (Doubles)(bits - ((biased - 1023) << 52));
  // 2^52 + biased as a double, without a conversion that AVX2 lacks
  const Doubles e = (Doubles)(biased | 0x4330000000000000) - (0x1p52 + 1023);
  const Doubles s = (m - 1) / (m + 1);
  const Doubles z = s * s;
  Doubles series = 1.0 / 23 + Doubles{};
  for (const int power : {21, 19, 17, 15, 13, 11, 9, 7, 5, 3}) series = series * z + 1.0 / power;
  constexpr double ln2_high = 0x1.62e42fefa38p-1;
  constexpr double ln2_low = 0x1.ef35793c7673p-45;
  return e * ln2_high + (e * ln2_low + 2 * (s + s * (z * series)));
}

// Rounding can make a divergence between nearly equal numbers negative; it is not.
template <Divergence D>
inline Doubles divergence_of(Doubles v, Doubles x) {
  const Doubles none{};
  const Doubles at = floored<double>(x);
  const Doubles ratio = v / at;
  Doubles d;
  if constexpr (D == Divergence::kl)
    d = v * logarithm(ratio) - v + at;
  else
    d = ratio - logarithm(ratio) - 1;
  d = d < none ? none : d;
  if constexpr (D == Divergence::kl) d = v > none ? d : at;
  return d;
}

template <class S, Divergence D>
Losses divergence(const S* v, const S* x, Size n) {
  Doubles loss{};
  Doubles squared{};
  const auto add = [&](const S* values, const S* at) {
    const Doubles a = as_doubles(values);
    const Doubles b = as_doubles(at);
    loss += divergence_of<D>(a, b);
    squared += (a - b) * (a - b);
  };
  Size i = 0;
  for (; i + doubles <= n; i += doubles) add(v + i, x + i);
  if (i < n) {
    S last_v[doubles];
    S last_x[doubles];
    for (Size j = 0; j < doubles; ++j) {  // equal numbers add nothing
      last_v[j] = i + j < n ? v[i + j] : S(1);
      last_x[j] = i + j < n ? x[i + j] : S(1);
    }
    add(last_v, last_x);
  }
  Losses sums;
  for (Size j = 0; j < doubles; ++j) {
    sums.loss += loss[j];
    sums.squared += squared[j];
  }
  return sums;
}
