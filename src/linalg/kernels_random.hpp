// Philox4x32-10 (data/random.hpp) in vectors: a lane of 64 bits per number, of which each word of the counter
// takes the lower half. What multiplications leave in the upper halves is never used.

using Words [[gnu::vector_size(SVRMU_VECTOR_BYTES)]] = std::uint64_t;
using Units [[gnu::vector_size(SVRMU_VECTOR_BYTES)]] = double;
constexpr int words = SVRMU_VECTOR_BYTES / 8;

// The product of the lower halves: 64 bits.
inline Words multiply_low(Words a, Words b) {
#if !defined(__SSE2__)
  return (a & 0xffffffffU) * (b & 0xffffffffU);
#elif SVRMU_VECTOR_BYTES == 64
  // By its masked form: the plain one makes gcc 12 warn of its own header.
  return reinterpret_cast<Words>(
      _mm512_maskz_mul_epu32(0xff, reinterpret_cast<__m512i>(a), reinterpret_cast<__m512i>(b)));
#elif SVRMU_VECTOR_BYTES == 32
  return reinterpret_cast<Words>(
      _mm256_mul_epu32(reinterpret_cast<__m256i>(a), reinterpret_cast<__m256i>(b)));
#else
  return reinterpret_cast<Words>(_mm_mul_epu32(reinterpret_cast<__m128i>(a), reinterpret_cast<__m128i>(b)));
#endif
}

// Random::uniform(item, k) for one vector of k.
inline Units uniform_units(const std::uint32_t* key, std::uint64_t item, Words k) {
  Words x0 = Words{} + (item & 0xffffffffU);
  Words x1 = Words{} + (item >> 32);
  Words x2 = k;
  Words x3 = k >> 32;
  const Words m0 = Words{} + 0xD2511F53U;
  const Words m1 = Words{} + 0xCD9E8D57U;
  std::uint32_t k0 = key[0];
  std::uint32_t k1 = key[1];
  for (int round = 0; round < 10; ++round) {
    const Words a = multiply_low(m0, x0);
    const Words b = multiply_low(m1, x2);
    x0 = (b >> 32) ^ x1 ^ std::uint64_t{k0};
    x1 = b;
    x2 = (a >> 32) ^ x3 ^ std::uint64_t{k1};
    x3 = a;
    k0 += 0x9E3779B9;
    k1 += 0xBB67AE85;
  }
  const Words mantissa = ((x0 << 32) | (x1 & 0xffffffffU)) >> 12;
  // 52 bits under the exponent of 2^52 are 2^52 + mantissa.
  const Words with_exponent = mantissa | 0x4330000000000000U;
  return (reinterpret_cast<Units>(with_exponent) - 0x1p52 + 0.5) * 0x1p-52;
}

template <class S>
void uniform(const std::uint32_t* key, std::uint64_t item, Size K, double size, S* out) {
  Words k = {};
  for (int l = 0; l < words; ++l) k[l] = static_cast<std::uint64_t>(l);
  for (Size first = 0; first < K; first += words, k += static_cast<std::uint64_t>(words)) {
    const Units u = size * uniform_units(key, item, k);
    const int n = K - first < words ? static_cast<int>(K - first) : words;
    if (n == words)
      for (int l = 0; l < words; ++l) out[first + l] = static_cast<S>(u[l]);
    else
      for (int l = 0; l < n; ++l) out[first + l] = static_cast<S>(u[l]);
  }
}
