// Deflated bytes, taken apart with memory that grows with what has really come out.
#pragma once

#include <cstdint>
#include <memory>

#include "io/input.hpp"

namespace svrmu::io {

// Memory that grows in place where the system can do that.
class Buffer {
 public:
  Buffer() = default;
  ~Buffer();
  Buffer(const Buffer&) = delete;
  Buffer& operator=(const Buffer&) = delete;

  void resize(std::size_t size);  // keeps the content; throws std::bad_alloc
  std::byte* data() const { return data_; }
  std::size_t size() const { return size_; }
  Bytes bytes() const { return {data_, size_}; }

 private:
  std::byte* data_ = nullptr;
  std::size_t size_ = 0;
};

enum class Wrapping { raw, zlib, gzip };

constexpr std::uint64_t no_limit = ~std::uint64_t{0};

// Inflates `input` from byte `begin` on, at most `limit` bytes of output (the rest is left). `expected`: the
// size that a header promises, 0 if unknown; it only helps to ask for memory once, and only within reason.
std::shared_ptr<Buffer> inflate_bytes(const Input& input, std::size_t begin, std::size_t end,
                                      Wrapping wrapping, std::uint64_t expected,
                                      std::uint64_t limit = no_limit);

}  // namespace svrmu::io
