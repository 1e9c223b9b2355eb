// What comes through standard input or a pipe, kept in a file without a name while it is read.
#pragma once

#include <string>

#include "svrmu/io/files.hpp"

namespace svrmu::cli {

// True for a pipe with a name, as the shell makes them for <(...).
bool is_pipe(const std::string& path);

// Its first bytes say which format it has. `name` is what messages call it.
io::MatrixFile read_stream(int stream, const std::string& name, const io::ReadOptions& options, bool trusted);
// The same for a pipe with a name.
io::MatrixFile read_pipe(const std::string& path, const io::ReadOptions& options, bool trusted);

}  // namespace svrmu::cli
