// A number that is the same for the same V, however it is stored: dense or sparse, by samples or by features,
// in single or double precision where the values are equal, with or without stored zeros. It is a sum over
// samples: parts of V can be looked at in any order, by any number of threads or processes.
#pragma once

#include <bit>
#include <cstdint>

#include "io/digest.hpp"
#include "svrmu/matrix.hpp"

namespace svrmu::io {

class Fingerprint {
 public:
  // What one entry adds to its sample. A bijection of the value: changing one entry always shows. Zeros, of
  // either sign, add nothing; without a branch, because where they are is not to be foreseen.
  template <class Scalar>
  static std::uint64_t entry(Index feature, Scalar value) {
    return mixed(bits_of(value) + place(feature)) & (std::uint64_t{is_zero(value)} - 1);
  }
  // A sample, with the sum of what its entries add.
  void add(Index sample, std::uint64_t entries) { total_ += mixed(entries ^ mixed(place(sample))); }
  // Other samples of the same V.
  void add(const Fingerprint& others) { total_ += others.total_; }

  std::uint64_t number(Index features, Index samples) const {
    return mixed(total_ + mixed(place(features) ^ mixed(place(samples))));
  }

 private:
  static std::uint64_t place(Index number) {
    return (static_cast<std::uint64_t>(number) + 1) * 0x9e3779b97f4a7c15u;
  }
  // By their bits: where denormals are flushed to zero, as on the threads of a ThreadScope, they would be
  // equal to it, and lost in a conversion.
  static bool is_zero(double value) { return std::bit_cast<std::uint64_t>(value) << 1 == 0; }
  static bool is_zero(float value) { return std::bit_cast<std::uint32_t>(value) << 1 == 0; }
  static std::uint64_t bits_of(double value) { return std::bit_cast<std::uint64_t>(value); }
  // Those of the same number in double precision; V has nothing but finite numbers that are not negative.
  static std::uint64_t bits_of(float value) {
    const auto bits = std::bit_cast<std::uint32_t>(value);
    if (bits - 1 < 0x7fffffu) [[unlikely]]
      return bits_of(static_cast<double>(bits) * 0x1p-149);
    constexpr std::uint64_t between_exponents = 1023 - 127;
    return (std::uint64_t{bits} << 29) + (between_exponents << 52);
  }

  std::uint64_t total_ = 0;
};

}  // namespace svrmu::io
