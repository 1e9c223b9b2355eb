// Matrices of untrusted files, read by a child process where a library of others takes them apart.
#pragma once

#include <string>

#include "svrmu/io/files.hpp"

namespace svrmu::cli {

// As io::read_matrix(). A format that libhdf5 reads is read in a child process with limits on memory, time
// and files, unless it is trusted: whatever a damaged file does there, this process gets a matrix or an
// error. The values are not copied: both processes share their memory.
io::MatrixFile read_matrix(const std::string& path, const io::ReadOptions& options, bool trusted);

// As io::is_model(), which opens the file by libhdf5.
bool is_model(const std::string& path, bool trusted);

}  // namespace svrmu::cli
