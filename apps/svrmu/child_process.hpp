// Work on an untrusted file in a child process, where nothing that the file does to a library can reach this
// one.
#pragma once

#include <functional>
#include <string>

namespace svrmu::cli {

// A sanitizer needs more memory and other signal handlers than a child with limits leaves it.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr bool children_are_used = false;
#else
constexpr bool children_are_used = true;
#endif

double size_of_file(const std::string& path);

// Bytes of memory that reading a file of this size may take: 16 for each byte that comes out of it (of a
// deflated byte come out 1032 at most), but no more than the machine has.
double memory_for(double file_bytes);

// What `work` returns in a child process that has limits on memory, time and files for this file. Its
// InvalidInput, InvalidData, IoError and ResourceLimit are thrown here as well. A crash, and more time than a
// file of its size can need, are InvalidData.
std::string in_child(const std::string& file, const std::function<std::string()>& work);

}  // namespace svrmu::cli
