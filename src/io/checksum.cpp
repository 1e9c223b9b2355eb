#include <bit>
#include <cstring>
#include <type_traits>

#include "svrmu/io/model.hpp"

namespace svrmu::io {
namespace {

// A bijection of 64-bit words in which every bit of the input moves about half of the output (the finalizer
// of splitmix64).
std::uint64_t mixed(std::uint64_t x) {
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
  return x ^ (x >> 31);
}

// Words go to four lanes in turn, which a processor works on at the same time. Each step, and the fold of the
// lanes, can be undone: a change of one word always changes the number. Against chance, not against intent.
class Digest {
 public:
  template <class Value>
  void add(const Value* values, Index count) {
    const auto bytes = static_cast<std::size_t>(count) * sizeof(Value);
    const auto* from = reinterpret_cast<const char*>(values);
    step(lanes_[0], bytes);
    std::size_t i = 0;
    for (; i + 32 <= bytes; i += 32)
      for (std::size_t lane = 0; lane < 4; ++lane) step(lanes_[lane], word(from + i + 8 * lane, 8));
    for (; i < bytes; i += 8) step(lanes_[i / 8 % 4], word(from + i, bytes - i < 8 ? bytes - i : 8));
  }
  void add(Index number) { step(lanes_[1], static_cast<std::uint64_t>(number)); }

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

}  // namespace

std::uint64_t checksum(const MatrixFile& file) {
  Digest digest;
  digest.add(file.rows);
  digest.add(file.columns);
  digest.add(file.samples == SamplesIn::rows ? 1 : 0);
  std::visit(
      [&](const auto& m) {
        digest.add(m.layout == Layout::columns_contiguous ? 1 : 0);
        if constexpr (requires { m.offsets; }) {
          const Index majors = m.layout == Layout::columns_contiguous ? file.columns : file.rows;
          digest.add(m.offsets, majors + 1);
          digest.add(m.indices, m.offsets[majors]);
          digest.add(m.values, m.offsets[majors]);
        } else {
          digest.add(m.data, file.rows * file.columns);
        }
      },
      file.matrix);
  return digest.number();
}

}  // namespace svrmu::io
