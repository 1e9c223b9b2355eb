// Sums over runs of numbers. Part of kernels_body.hpp, which includes it inside the namespace of its
// instruction set.

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
  using Values [[gnu::vector_size(8 * sizeof(S))]] = S;
  using Doubles [[gnu::vector_size(64)]] = double;
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
