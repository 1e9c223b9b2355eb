// A 64-bit number over bytes: the checksum of model files, and that of matrices in files from before there
// was fingerprint(). It guards against chance (a bad disk, a copy that broke off), never against intent:
// whoever can change the bytes can change the number.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>

namespace svrmu::io {

// Files keep numbers that are made from the words of this machine.
static_assert(std::endian::native == std::endian::little);

// A bijection of 64-bit words in which every bit of the input moves about half of the output (the finalizer
// of splitmix64).
constexpr std::uint64_t mixed(std::uint64_t x) {
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
  return x ^ (x >> 31);
}

// Words go to four lanes in turn, which a processor works on at the same time. Each step, and the fold of the
// lanes, can be undone: a change within one word always changes the number.
class Digest {
 public:
  // Where one list ends and the next begins counts: its size is part of it.
  template <class Value>
  void add(const Value* values, std::size_t count) {
    const std::size_t bytes = count * sizeof(Value);
    const auto* from = reinterpret_cast<const char*>(values);
    step(lanes_[0], bytes);
    std::size_t i = 0;
    for (; i + 32 <= bytes; i += 32)
      for (std::size_t lane = 0; lane < 4; ++lane) step(lanes_[lane], word(from + i + 8 * lane, 8));
    for (; i < bytes; i += 8) step(lanes_[i / 8 % 4], word(from + i, bytes - i < 8 ? bytes - i : 8));
  }
  void add(std::uint64_t number) { step(lanes_[1], number); }

  std::uint64_t number() const {
    std::uint64_t folded = 0;
    for (const std::uint64_t lane : lanes_) folded = mixed(folded ^ mixed(lane));
    return folded;
  }

 private:
  static std::uint64_t word(const char* from, std::size_t size) {
    std::uint64_t word = 0;
    std::memcpy(&word, from, size);
    return word;
  }
  static void step(std::uint64_t& lane, std::uint64_t word) {
    lane = std::rotl(lane ^ word, 29) * 0x9e3779b97f4a7c15u;
  }

  std::uint64_t lanes_[4] = {1, 2, 3, 4};
};

}  // namespace svrmu::io
