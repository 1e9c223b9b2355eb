// A whole file as bytes: mapped, or read if it is a pipe.
#pragma once

#include <cstddef>
#include <memory>
#include <string>

#include "io/input.hpp"
#include "svrmu/export.hpp"

namespace svrmu::io {

// A device may never end, and a pipe may never begin: only what is asked for by name is read from a pipe.
enum class Pipes { refused, read };

// Throws IoError with the path and the reason.
SVRMU_API Input map_file(const std::string& path, Pipes pipes = Pipes::refused);

// The same, unpacked if the name ends with .gz.
Input open_unpacked(const std::string& path, Pipes pipes = Pipes::refused);

// At most `count` bytes from the beginning of an ordinary file, to tell what it is. Nothing of others: the
// first bytes of a pipe can be read only once. Nothing either of a file that cannot be read: who reads it
// will say so.
SVRMU_API std::string first_bytes(const std::string& path, std::size_t count);

// Where a value lies in its file. `storage` is the owner of a mapped file.
SVRMU_API std::size_t place_in_file(const std::shared_ptr<const void>& storage, const void* value);

// The reason of a failed system call, in words.
std::string error_text(int code);

}  // namespace svrmu::io
