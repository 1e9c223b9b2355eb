// Bytes that come one after the other, with a look at those to come; and numbers of them.
#pragma once

#include <algorithm>
#include <cstring>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "io/elements.hpp"
#include "svrmu/io/stream.hpp"

namespace svrmu::io {

class ByteReader {
 public:
  explicit ByteReader(ByteSource source) : source_(std::move(source)) {}

  // The next bytes, so many unless the stream ends before. They are still to be read.
  std::string_view peek(std::size_t count) {
    if (at_ > 0) {
      ahead_.erase(0, at_);
      at_ = 0;
    }
    while (ahead_.size() < count && !ended_) {
      const std::size_t before = ahead_.size();
      // No more room than what has come justifies.
      ahead_.resize(std::min(count, std::max<std::size_t>(2 * before, 1 << 12)));
      const std::size_t got =
          source_(reinterpret_cast<std::byte*>(ahead_.data()) + before, ahead_.size() - before);
      ahead_.resize(before + got);
      ended_ = got == 0;
    }
    return std::string_view(ahead_).substr(0, count);
  }

  // Fewer than asked for only at the end.
  std::size_t read(std::byte* to, std::size_t count) {
    std::size_t got = std::min(count, ahead_.size() - at_);
    std::memcpy(to, ahead_.data() + at_, got);
    at_ += got;
    while (got < count && !ended_) {
      const std::size_t more = source_(to + got, count - got);
      got += more;
      ended_ = more == 0;
    }
    return got;
  }

 private:
  ByteSource source_;
  std::string ahead_;
  std::size_t at_ = 0;
  bool ended_ = false;
};

// How many numbers are made room for before they have come.
constexpr std::uint64_t numbers_at_a_time = 1 << 18;

// Numbers behind the first `at` of `to`, which grows with what has really come. Returns how many there were:
// fewer than `count` only at the end.
template <class Number, class Convert>
std::uint64_t read_numbers(ByteReader& bytes, std::size_t size, std::uint64_t count, std::vector<Number>& to,
                           std::size_t at, bool as_they_are, const Convert& convert) {
  std::vector<std::byte> raw;
  std::uint64_t done = 0;
  while (done < count) {
    const std::uint64_t piece = std::min(count - done, numbers_at_a_time);
    const std::size_t begin = at + done;
    if (to.size() < begin + piece) to.resize(begin + piece);
    if (!as_they_are) raw.resize(piece * size);
    std::byte* const place = as_they_are ? reinterpret_cast<std::byte*>(to.data() + begin) : raw.data();
    const std::size_t got = bytes.read(place, piece * size) / size;
    if (!as_they_are) convert(raw.data(), got, to.data() + begin);
    done += got;
    if (got < piece) break;
  }
  return done;
}

template <class Scalar>
std::uint64_t read_values(ByteReader& bytes, const ElementType& type, std::uint64_t count,
                          std::vector<Scalar>& to, std::size_t at) {
  const bool same =
      !type.swapped() && type.element == (sizeof(Scalar) == 8 ? Element::float64 : Element::float32);
  return read_numbers(
      bytes, size_of(type.element), count, to, at, same,
      [&](const std::byte* from, std::uint64_t n, Scalar* out) { convert(type, from, n, out); });
}

inline std::uint64_t read_indices(ByteReader& bytes, const ElementType& type, std::uint64_t count,
                                  std::vector<Index>& to) {
  const bool same = !type.swapped() && type.element == Element::int64;
  return read_numbers(
      bytes, size_of(type.element), count, to, 0, same,
      [&](const std::byte* from, std::uint64_t n, Index* out) { convert_indices(type, from, n, out); });
}

}  // namespace svrmu::io
