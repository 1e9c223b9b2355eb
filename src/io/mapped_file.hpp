// A whole file as bytes: mapped, or read if it is a pipe.
#pragma once

#include <string>

#include "io/input.hpp"

namespace svrmu::io {

// Throws IoError with the path and the reason.
Input map_file(const std::string& path);

// The same, unpacked if the name ends with .gz.
Input open_unpacked(const std::string& path);

// The reason of a failed system call, in words.
std::string error_text(int code);

}  // namespace svrmu::io
