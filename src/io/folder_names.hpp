// The entries of a folder. std::filesystem's iterator ends the program where memory is short.
#pragma once

#include <string>
#include <vector>

#include "svrmu/export.hpp"

namespace svrmu::io {

// Names without "." and "..", sorted. `error` is the error number of a folder that cannot be read, or 0.
SVRMU_API std::vector<std::string> names_in(const std::string& folder, int& error);

}  // namespace svrmu::io
