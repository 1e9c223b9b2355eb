// Folders that are one matrix: pictures, or the files of 10x Genomics.
#pragma once

#include <string>

#include "svrmu/io/files.hpp"

namespace svrmu::io {

MatrixFile read_folder(const std::string& path, const ReadOptions& options);

}  // namespace svrmu::io
