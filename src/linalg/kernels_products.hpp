// Products of small dense matrices, and Gram matrices. Part of kernels_body.hpp, which includes it inside the
// namespace of its instruction set.

// Products work on vectors that are no longer than a run of K numbers: the last one ends with the run, so it
// may overlap the one before, and both then hold the same sums there.
template <class S, int Lanes>
struct Run {
  using type [[gnu::vector_size(Lanes * static_cast<int>(sizeof(S)))]] = S;
};

// Accumulators that fit into the registers beside what they are made from: enough to hide the latency of
// their additions.
constexpr int accumulators = SVRMU_VECTOR_BYTES == 64 ? 24 : 12;
constexpr int most_vectors = SVRMU_VECTOR_BYTES == 64 ? 4 : 3;

// Items rows of out, Vectors vectors wide, the last of which begins at `last`, over all terms. Where T comes
// from memory, its columns are too short for the processor to guess what comes next: `fetch` asks for it.
template <class S, int Lanes, int Vectors, int Items>
inline void product_block(const Product<S>& p, Size last, bool fetch, const S* X, const S* T, S* out) {
  using V = typename Run<S, Lanes>::type;
  const auto begin = [last](int v) { return v + 1 < Vectors ? Size{v} * Lanes : last; };
  const auto take = [](const S* from) {
    V v;
    __builtin_memcpy(&v, from, sizeof(v));
    return v;
  };
  V sum[Items][Vectors];
  for (int c = 0; c < Items; ++c)
    for (int v = 0; v < Vectors; ++v) sum[c][v] = take(out + c * p.out_stride + begin(v));
  const S* ahead = T + Items * p.item_stride;
  const Size step = p.term_stride == 1 ? p.item_stride : p.term_stride;
  constexpr Size together = 8;  // terms, and lines that are fetched for them
  for (Size first = 0; first < p.terms; first += together) {
    if (fetch)
      for (Size u = 0; u < together; ++u) __builtin_prefetch(ahead + first * p.term_stride + u * step);
    const Size end = first + together < p.terms ? first + together : p.terms;
    for (Size i = first; i < end; ++i) {
      V x[Vectors];
      for (int v = 0; v < Vectors; ++v) x[v] = take(X + i * p.x_stride + begin(v));
      for (int c = 0; c < Items; ++c) {
        const S t = T[c * p.item_stride + i * p.term_stride];
        for (int v = 0; v < Vectors; ++v) sum[c][v] += t * x[v];
      }
    }
  }
  for (int c = 0; c < Items; ++c)
    for (int v = 0; v < Vectors; ++v)
      __builtin_memcpy(out + c * p.out_stride + begin(v), &sum[c][v], sizeof(V));
}
template <class S, int Lanes, int Vectors, int Items>
inline void product_items(const Product<S>& p, Size last, Size k, Size item) {
  for (; item + Items <= p.items; item += Items)
    product_block<S, Lanes, Vectors, Items>(p, last, k == 0, p.X + k, p.T + item * p.item_stride,
                                            p.out + item * p.out_stride + k);
  if constexpr (Items > 1) product_items<S, Lanes, Vectors, Items / 2>(p, last, k, item);
}

// Where each term brings a line of items from afar, the whole line is used at once, or half of it where
// registers are few.
template <class S>
inline bool in_lines(const Product<S>& p) {
  return p.item_stride == 1 && p.term_stride > 512;
}
template <class S, int Lanes, int Vectors>
inline void product_group(const Product<S>& p, Size last, Size k) {
  constexpr int items = accumulators / Vectors;
  constexpr int line = 64 / static_cast<int>(sizeof(S));
  constexpr int in_line = items < line ? line / 2 : line;
  if (in_lines(p) && in_line <= items)
    product_items<S, Lanes, Vectors, in_line <= items ? in_line : 1>(p, last, k, 0);
  else
    product_items<S, Lanes, Vectors, items>(p, last, k, 0);
}

template <class S, int Lanes>
void product_of(const Product<S>& p) {
  for (Size k = 0; k < p.K;) {
    const Size left = (p.K - k + Lanes - 1) / Lanes;
    const auto last = [&](Size vectors) { return (vectors == left ? p.K - k : vectors * Lanes) - Lanes; };
    // A vector that overlaps another must be in the same group: never a single one at the end.
    if (most_vectors == 4 && !in_lines(p) && left >= 4 && left != 5) {
      product_group<S, Lanes, 4>(p, last(4), k);
      k += 4 * Lanes;
    } else if (left >= 3 && left != 4) {
      product_group<S, Lanes, 3>(p, last(3), k);
      k += 3 * Lanes;
    } else if (left >= 2) {
      product_group<S, Lanes, 2>(p, last(2), k);
      k += 2 * Lanes;
    } else {
      product_group<S, Lanes, 1>(p, last(1), k);
      k += Lanes;
    }
  }
}

template <class S, int Lanes = width<S>>
void add_product(const Product<S>& p) {
  if constexpr (Lanes > 1) {
    if (p.K < Lanes) {
      add_product<S, Lanes / 2>(p);
      return;
    }
  }
  product_of<S, Lanes>(p);
}

// Eight rows of a Gram matrix, Vectors vectors wide, over a panel of items. Sums are no longer than the panel
// before they are added up in double.
template <class S, int Vectors>
inline void gram_block(const S* panel, Size items, Size K, Size row, Size column, double* sum) {
  constexpr int rows = 8;
  Vector<S> part[rows][Vectors] = {};
  for (Size i = 0; i < items; ++i) {
    const S* x = panel + i * K;
    Vector<S> y[Vectors];
    for (int v = 0; v < Vectors; ++v) y[v] = load(x + column + v * width<S>);
    for (int r = 0; r < rows; ++r)
      for (int v = 0; v < Vectors; ++v) part[r][v] += x[row + r] * y[v];
  }
  for (int r = 0; r < rows; ++r)
    for (int v = 0; v < Vectors; ++v)
      for (int l = 0; l < width<S>; ++l)
        sum[(row + r) * K + column + v * width<S> + l] += static_cast<double>(part[r][v][l]);
}

template <class S>
void add_gram(const S* x, Size count, Size K, S* panel, double* sum) {
  const Size Kp = gram_stride(width<S>, K);
  for (Size i = 0; i < count; i += gram_panel, x += gram_panel * K) {
    const Size items = count - i < gram_panel ? count - i : gram_panel;
    for (Size c = 0; c < items; ++c) {
      for (Size k = 0; k < K; ++k) panel[c * Kp + k] = x[c * K + k];
      for (Size k = K; k < Kp; ++k) panel[c * Kp + k] = 0;
    }
    Size column = 0;
    for (; column + 2 * width<S> <= Kp; column += 2 * width<S>)
      for (Size row = 0; row < column + 2 * width<S>; row += 8)
        gram_block<S, 2>(panel, items, Kp, row, column, sum);
    for (; column < Kp; column += width<S>)
      for (Size row = 0; row < column + width<S>; row += 8)
        gram_block<S, 1>(panel, items, Kp, row, column, sum);
  }
}
