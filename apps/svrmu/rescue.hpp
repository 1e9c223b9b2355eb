// A result that took long to compute is not lost because its file cannot be written.
#pragma once

#include <functional>
#include <string>

namespace svrmu::cli {

// Calls write(path, overwrite). If that fails, the same goes to another name beside it, or to the folder for
// temporary files, and IoError says what failed and where the model is.
void write_or_rescue(const std::string& path, bool overwrite,
                     const std::function<void(const std::string& path, bool overwrite)>& write);

}  // namespace svrmu::cli
