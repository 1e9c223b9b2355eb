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

template <class S, class I>
void sample(const I* rows, Size n, const S* W, const S* h, Size K, S* x) {
  for (Size p = 0; p < n; ++p) x[p] = dot(W + static_cast<Size>(rows[p]) * K, h, K);
}
