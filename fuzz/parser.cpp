#include <cstddef>
#include <cstdint>

#include "parsers.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  svrmu::io::read_untrusted(SVRMU_PARSER, std::as_bytes(std::span(data, size)));
  return 0;
}
