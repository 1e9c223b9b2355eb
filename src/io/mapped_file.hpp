// A whole file as bytes: mapped, or read if it is a pipe.
#pragma once

#include <string>

#include "io/input.hpp"

namespace svrmu::io {

// A device may never end, and a pipe may never begin: only what is asked for by name is read from a pipe.
enum class Pipes { refused, read };

// Throws IoError with the path and the reason.
Input map_file(const std::string& path, Pipes pipes = Pipes::refused);

// The same, unpacked if the name ends with .gz.
Input open_unpacked(const std::string& path, Pipes pipes = Pipes::refused);

// The reason of a failed system call, in words.
std::string error_text(int code);

}  // namespace svrmu::io
