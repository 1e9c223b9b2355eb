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
  // What one entry adds to its sample. A bijection of the value: changing one entry always shows.
  template <class Scalar>
  static std::uint64_t entry(Index feature, Scalar value) {
    const std::uint64_t bits = bits_of(value);
    return bits << 1 == 0 ? 0 : mixed(bits + place(feature));  // zeros, of either sign, add nothing
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
  static std::uint64_t bits_of(double value) { return std::bit_cast<std::uint64_t>(value); }
  // Those of the same number in double precision. Denormals apart: where they are flushed to zero, as on the
  // threads of a ThreadScope, a conversion would lose them.
  static std::uint64_t bits_of(float value) {
    const auto bits = std::bit_cast<std::uint32_t>(value);
    const bool normal = (bits & 0x7f800000u) != 0;
    return bits_of(normal ? static_cast<double>(value) : static_cast<double>(bits & 0x7fffffu) * 0x1p-149);
  }

  std::uint64_t total_ = 0;
};

}  // namespace svrmu::io
