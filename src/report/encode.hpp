// Bytes for data addresses and for the hashes of a Content-Security-Policy.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

namespace svrmu::report {

std::string base64(std::string_view bytes);
std::string sha256(std::string_view bytes);  // 32 bytes

}  // namespace svrmu::report
