#include "rescue.hpp"

#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <vector>

#include "console.hpp"
#include "svrmu/io/files.hpp"
#include "written_files.hpp"

namespace svrmu::cli {
namespace {

namespace fs = std::filesystem;

// "V.svrmu.h5" -> "V.rescued-4711.svrmu.h5"; a name that may be too long becomes a short one.
fs::path another_name(const fs::path& name) {
  constexpr std::size_t most = 100;
  const std::string text = name.string();
  return text.substr(0, std::min(text.find('.', 1), most)) + ".rescued-" + std::to_string(::getpid()) +
         ".svrmu.h5";
}

// A folder of our own there: nobody can have put a link in our way.
fs::path private_folder() {
  std::error_code error;
  const fs::path base = fs::temp_directory_path(error);
  if (error) throw io::IoError("there is no folder for temporary files: " + error.message());
  std::string folder = (base / "svrmu-XXXXXX").string();
  if (::mkdtemp(folder.data()) == nullptr)
    throw io::IoError(folder + ": cannot be made: " + std::strerror(errno));
  return folder;
}

}  // namespace

void write_or_rescue(const std::string& path, bool overwrite,
                     const std::function<void(const std::string&, bool)>& write) {
  const std::size_t before = WrittenFiles::get().count();
  const auto is_there = [&] { return WrittenFiles::get().count() > before; };
  std::string reasons;
  try {
    return write(path, overwrite);
  } catch (const io::IoError& error) {
    if (is_there()) throw;
    reasons = error.what();
  }
  const fs::path name = another_name(fs::path(path).filename());
  fs::path folder;
  const auto attempt = [&](const fs::path& place) {
    try {
      write(place.string(), false);
    } catch (const io::IoError& error) {
      if (!is_there()) reasons += "; " + std::string(error.what());
    }
    if (is_there()) throw io::IoError(reasons + "; the model is saved as " + place.string());
  };
  attempt(fs::path(path).parent_path() / name);
  try {
    folder = private_folder();
  } catch (const io::IoError& error) {
    throw io::IoError(reasons + "; " + error.what());
  }
  attempt(folder / name);
  std::error_code ignored;
  fs::remove(folder, ignored);
  throw io::IoError(reasons);
}

}  // namespace svrmu::cli
