// The directory and the members of a ZIP archive, ZIP64 included.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "io/input.hpp"

namespace svrmu::io {

struct ZipMember {
  std::string name;
  std::uint16_t method = 0;  // 0: stored, 8: deflated
  std::uint32_t checksum = 0;
  std::uint64_t packed = 0;
  std::uint64_t size = 0;
  std::uint64_t header = 0;  // where the member's own header begins
};

std::vector<ZipMember> zip_directory(const Input& input);

// The content of a member, as an input of its own: a view of the archive if it is stored.
Input zip_member(const Input& input, const ZipMember& member);

}  // namespace svrmu::io
