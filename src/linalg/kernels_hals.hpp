// HALS sweeps: one item at a time, or blocks of items side by side, x[k][lane], so that every lane makes the
// same step on an item of its own. Part of kernels_body.hpp, which includes it inside the namespace of its
// instruction set.

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

constexpr int block_vectors = 4;
template <class S>
constexpr Size block_lanes = block_vectors* width<S>;
// Rows of G that share each load of x; clang spills registers with three.
#if defined(__clang__)
constexpr int rows_at_once = 2;
#else
constexpr int rows_at_once = SVRMU_VECTOR_BYTES == 64 ? 4 : 3;
#endif

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

// What a sweep adds up, lane by lane: nothing, the squares of its moves, or |projected gradient|.
enum class Measured { nothing, change, violation };

// Coordinates k .. k + Rows of one sweep: their gradients in one go over all of x, then corrected in turn by
// the moves of those before.
template <class S, int Rows, Measured What>
inline void hals_rows(const S* G, Size K, Size k, S* x, const S* b, const S* inverse, Shrink<S> shrink,
                      Vector<S>* sum) {
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
      if constexpr (What == Measured::change) sum[u] += moved[i][u] * moved[i][u];
      // rest is minus the gradient. At the floor only a gradient that leads away from it counts.
      if constexpr (What == Measured::violation)
        sum[u] += old > least ? at_least<S>(rest[i][u], -rest[i][u]) : at_least<S>(rest[i][u], Vector<S>{});
      store(place, at_least<S>(old + moved[i][u], least));
    }
  }
}

template <class S, Measured What>
inline void hals_block(const S* G, Size K, S* x, const S* b, const S* inverse, Shrink<S> shrink,
                       Vector<S>* sum) {
  Size k = 0;
  for (; k + rows_at_once <= K; k += rows_at_once)
    hals_rows<S, rows_at_once, What>(G, K, k, x, b, inverse, shrink, sum);
  for (; k < K; ++k) hals_rows<S, 1, What>(G, K, k, x, b, inverse, shrink, sum);
}

// The sum of what the last of the sweeps measures.
template <class S, Measured What>
double measured_sweeps(S* items, const S* A, Size count, const S* G, Size K, Shrink<S> shrink, int sweeps,
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
    Vector<S> sum[block_vectors] = {};
    for (int s = 1; s < sweeps; ++s) hals_block<S, Measured::nothing>(G, K, x, b, inverse, shrink, sum);
    hals_block<S, What>(G, K, x, b, inverse, shrink, sum);
    out_of_lanes(x, n, K, items + i * K);
    for (Size lane = 0; lane < n; ++lane) total += static_cast<double>(sum[lane / width<S>][lane % width<S>]);
  }
  return total;
}

template <class S>
double hals_sweeps(S* items, const S* A, Size count, const S* G, Size K, Shrink<S> shrink, int sweeps,
                   S* work) {
  return measured_sweeps<S, Measured::change>(items, A, count, G, K, shrink, sweeps, work);
}

template <class S>
double hals_violation(S* items, const S* A, Size count, const S* G, Size K, Shrink<S> shrink, S* work) {
  return measured_sweeps<S, Measured::violation>(items, A, count, G, K, shrink, 1, work);
}
