// Products of one column of V, sparse or dense, with W and h. Part of kernels_body.hpp, which includes it
// inside the namespace of its instruction set.

constexpr int most_gathered = 8;

// A block of k stays in registers while all entries of the column pass by.
template <class S, int Width, class Row>
inline void gather_block(Row row, const S* values, Size stride, Size n, const S* W, Size K, S scale, S* out) {
  S sum[Width] = {};
  for (Size p = 0; p < n; ++p) {
    const S v = values[p * stride];
    const S* w = W + row(p) * K;
    for (int l = 0; l < Width; ++l) sum[l] = add_product_of(v, w[l], sum[l]);
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

template <class S, class I>
void scatter(const I* rows, const S* values, Size n, const S* __restrict h, Size K, S scale,
             S* __restrict out) {
  for (Size p = 0; p < n; ++p) {
    const S v = scale * values[p];
    S* to = out + static_cast<Size>(rows[p]) * K;
    for (Size k = 0; k < K; ++k) to[k] += v * h[k];
  }
}

// Half of a pair of registers. Passed by reference: not every set can pass so many numbers by value.
template <class S>
struct HalfOf {
  using type [[gnu::vector_size(sizeof(S) * lanes<S> / 2)]] = S;
};
template <class S>
using Half = typename HalfOf<S>::type;

// a and b consist of runs of `Width` numbers. Adds the second half of each run to its first, and puts what is
// left of b behind what is left of a.
template <int Width, class S, int... l>
inline void halve(const Half<S>& a, const Half<S>& b, Half<S>& out, std::integer_sequence<int, l...>) {
  constexpr int half = Width / 2;
  out = __builtin_shufflevector(a, b, (l / half * Width + l % half)...) +
        __builtin_shufflevector(a, b, (l / half * Width + l % half + half)...);
}

// The sum of each of `Width` vectors, side by side in the first.
template <int Width, class S>
inline void add_up(Half<S>* v) {
  if constexpr (Width > 1) {
    for (int i = 0; i < Width / 2; ++i)
      halve<Width, S>(v[2 * i], v[2 * i + 1], v[i], std::make_integer_sequence<int, lanes<S> / 2>());
    add_up<Width / 2, S>(v);
  }
}

// Several entries at a time: h is loaded once for them, and their vectors are added up together. A last group
// that is not full repeats an entry, so that each is computed as it would be anywhere else.
template <class S, class I>
void sample(const I* rows, Size n, const S* W, const S* h, Size K, S* x) {
  constexpr int L = lanes<S> / 2;
  constexpr Size line = 64 / static_cast<Size>(sizeof(S));
  for (Size p = 0; p < n; p += L) {
    const int count = n - p < L ? static_cast<int>(n - p) : L;
    const S* w[L];
    for (int e = 0; e < L; ++e) w[e] = W + static_cast<Size>(rows[p + (e < count ? e : 0)]) * K;
    if (p + 2 * L <= n)
      for (int e = 0; e < L; ++e)
        for (Size k = 0; k < K; k += line) __builtin_prefetch(W + static_cast<Size>(rows[p + L + e]) * K + k);
    Half<S> sum[L] = {};
    S rest[L] = {};
    Size k = 0;
    for (; k + L <= K; k += L) {
      Half<S> at_h;
      __builtin_memcpy(&at_h, h + k, sizeof(at_h));
      for (int e = 0; e < L; ++e) {
        Half<S> at_w;
        __builtin_memcpy(&at_w, w[e] + k, sizeof(at_w));
        sum[e] += at_w * at_h;
      }
    }
    for (; k < K; ++k)
      for (int e = 0; e < L; ++e) rest[e] = add_product_of(w[e][k], h[k], rest[e]);
    add_up<L, S>(sum);
    for (int e = 0; e < count; ++e) x[p + e] = sum[0][e] + rest[e];
  }
}
