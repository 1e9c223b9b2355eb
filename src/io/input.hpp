// The bytes that a parser works on, how it names a place in them, and what it may ask for.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "svrmu/error.hpp"
#include "svrmu/matrix.hpp"

namespace svrmu::io {

using Bytes = std::span<const std::byte>;

struct Input {
  std::string name;  // for messages: the path, and the member if there is one
  Bytes bytes;
  std::shared_ptr<const void> owner;  // keeps `bytes` alive; null: a parser copies what it keeps
  bool mapped = false;                // `bytes` are pages of a file
  // Called when a part of the text has been read for the last time, so that its pages can go.
  std::function<void(Bytes)> release;
  std::uint64_t lines_before = 0;  // `bytes` are a part of a text, which so many lines precede

  std::string_view text() const { return {reinterpret_cast<const char*>(bytes.data()), bytes.size()}; }
};

struct Shape {
  Index rows = 0;
  Index columns = 0;
};

// "file.npy, byte 12: what"
[[noreturn]] void fail_at_byte(const Input& input, std::size_t position, const std::string& what);
// "file.csv, line 3, column 7: what"; the column counts characters from 1.
[[noreturn]] void fail_at_text(const Input& input, std::size_t position, const std::string& what);
[[noreturn]] void fail(const Input& input, const std::string& what);
[[noreturn]] void fail(const std::string& name, const std::string& what);

// The product, or false if it does not fit.
inline bool multiply(std::uint64_t a, std::uint64_t b, std::uint64_t& product) {
  return !__builtin_mul_overflow(a, b, &product);
}

// No reader asks for more than this, whatever a header says.
#ifdef FUZZING_BUILD_MODE_UNSAFE_FOR_PRODUCTION  // large empty matrices would only take the fuzzer's time
constexpr std::uint64_t affordable_anyway = std::uint64_t{1} << 16;
#else
constexpr std::uint64_t affordable_anyway = std::uint64_t{64} << 20;
#endif
inline std::uint64_t affordable(std::uint64_t decoded) { return 16 * decoded + affordable_anyway; }

// Refuses `count` items of `size` bytes that the bytes at hand cannot justify.
void check_affordable(const Input& input, std::uint64_t count, std::uint64_t size, const std::string& what);
void check_affordable(const std::string& name, std::uint64_t decoded, std::uint64_t count, std::uint64_t size,
                      const std::string& what);

// How many of `total` items of `size` bytes to make room for when `needed` of them are there: as many as what
// has been decoded justifies. Refuses if that is less than `needed`.
std::uint64_t room_for(const std::string& name, std::uint64_t decoded, std::uint64_t needed,
                       std::uint64_t total, std::uint64_t size);

// Untrusted text for a message: without line breaks and other control characters.
std::string printable(std::string_view text);
// The same, short and in quotes.
std::string in_quotes(std::string_view text);

}  // namespace svrmu::io
