// What a fuzzer's bytes decide: numbers, choices and texts, taken one after the other.
#pragma once

#include <string>
#include <vector>

#include "io/input.hpp"

namespace svrmu::io {

class FuzzBytes {
 public:
  explicit FuzzBytes(Bytes bytes) : bytes_(bytes) {}

 protected:
  bool at_end() const { return at_ == bytes_.size(); }
  // 0 after the last one.
  unsigned byte() { return at_end() ? 0 : static_cast<unsigned>(bytes_[at_++]); }
  unsigned below(unsigned count) { return byte() % count; }
  const std::string& pick(const std::vector<std::string>& from) {
    return from[below(static_cast<unsigned>(from.size()))];
  }
  std::string text() {
    std::string out;
    for (unsigned left = below(8); left > 0; --left) out += static_cast<char>(byte());
    return out;
  }

 private:
  Bytes bytes_;
  std::size_t at_ = 0;
};

}  // namespace svrmu::io
