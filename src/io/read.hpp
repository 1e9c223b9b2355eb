// What the name of an input says before it is read.
#pragma once

#include <string>

#include "svrmu/export.hpp"
#include "svrmu/io/files.hpp"

namespace svrmu::io {

// True if libhdf5 would take the file apart.
SVRMU_API bool is_read_by_hdf5(const std::string& path, const ReadOptions& options);

}  // namespace svrmu::io
