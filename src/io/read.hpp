// What the name of an input says before it is read.
#pragma once

#include <string>

#include "svrmu/export.hpp"
#include "svrmu/io/files.hpp"

namespace svrmu::io {

// The file without the member that `path` may name: "cells.h5ad" of "cells.h5ad:layers/counts".
SVRMU_API std::string file_of(const std::string& path, const ReadOptions& options);

// True if libhdf5 would take the file apart.
SVRMU_API bool is_read_by_hdf5(const std::string& path, const ReadOptions& options);

}  // namespace svrmu::io
