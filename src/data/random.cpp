#include "data/random.hpp"

#include <cmath>
#include <numbers>

namespace svrmu {
namespace {

double to_unit(std::uint32_t high, std::uint32_t low) {
  const std::uint64_t mantissa =
      ((std::uint64_t{high} << 32) | low) >> 12;  // 52 bits, so that + 0.5 is exact
  return (static_cast<double>(mantissa) + 0.5) * 0x1p-52;
}

}  // namespace

Random::Random(std::uint64_t seed, Purpose purpose) {
  // The purpose is mixed into both words: streams of one seed stay apart, and so do neighboring seeds.
  std::uint64_t mixed = seed + 0x9e3779b97f4a7c15ULL * static_cast<std::uint64_t>(purpose);
  mixed = (mixed ^ (mixed >> 30)) * 0xbf58476d1ce4e5b9ULL;
  mixed = (mixed ^ (mixed >> 27)) * 0x94d049bb133111ebULL;
  mixed ^= mixed >> 31;
  key_[0] = static_cast<std::uint32_t>(mixed);
  key_[1] = static_cast<std::uint32_t>(mixed >> 32);
}

std::array<std::uint32_t, 4> Random::bits(std::uint64_t i, std::uint64_t j) const {
  std::array<std::uint32_t, 4> x{static_cast<std::uint32_t>(i), static_cast<std::uint32_t>(i >> 32),
                                 static_cast<std::uint32_t>(j), static_cast<std::uint32_t>(j >> 32)};
  std::uint32_t k0 = key_[0];
  std::uint32_t k1 = key_[1];
  for (int round = 0; round < 10; ++round) {
    const std::uint64_t a = std::uint64_t{0xD2511F53} * x[0];
    const std::uint64_t b = std::uint64_t{0xCD9E8D57} * x[2];
    x = {static_cast<std::uint32_t>(b >> 32) ^ x[1] ^ k0, static_cast<std::uint32_t>(b),
         static_cast<std::uint32_t>(a >> 32) ^ x[3] ^ k1, static_cast<std::uint32_t>(a)};
    k0 += 0x9E3779B9;
    k1 += 0xBB67AE85;
  }
  return x;
}

double Random::uniform(Index i, Index j) const {
  const auto x = bits(static_cast<std::uint64_t>(i), static_cast<std::uint64_t>(j));
  return to_unit(x[0], x[1]);
}

double Random::normal(Index i, Index j) const {
  const auto x = bits(static_cast<std::uint64_t>(i), static_cast<std::uint64_t>(j));
  const double radius = std::sqrt(-2 * std::log(to_unit(x[0], x[1])));
  return radius * std::cos(2 * std::numbers::pi * to_unit(x[2], x[3]));
}

Index Random::integer(Index below, Index i, Index j) const {
  const auto x = bits(static_cast<std::uint64_t>(i), static_cast<std::uint64_t>(j));
  const std::uint64_t word = (std::uint64_t{x[0]} << 32) | x[1];
  __extension__ using Wide = unsigned __int128;
  return static_cast<Index>((Wide{word} * static_cast<std::uint64_t>(below)) >> 64);
}

}  // namespace svrmu
