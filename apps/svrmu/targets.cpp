#include "targets.hpp"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <string_view>

#include "console.hpp"
#include "errors.hpp"
#include "files.hpp"
#include "io/atomic_file.hpp"
#include "io/folder_names.hpp"
#include "text/text.hpp"

namespace svrmu::cli {
namespace {

namespace fs = std::filesystem;

constexpr std::array matrix_endings = {".npy", ".csv", ".tsv", ".mtx"};
constexpr std::array endings_read_in_folders = {".pgm", ".png", ".mtx", ".tsv", ".gz"};
constexpr std::array endings_of_figures = {".svg", ".png", ".csv"};

// A file, whatever it is called: by its number where it is there, else by its place.
struct Identity {
  dev_t device = 0;
  ino_t number = 0;
  fs::path place;

  bool operator==(const Identity&) const = default;
};

Identity identity_of(const std::string& path) {
  struct stat status {};
  if (::stat(path.c_str(), &status) == 0) return {status.st_dev, status.st_ino, {}};
  std::error_code ignored;
  return {0, 0, fs::weakly_canonical(fs::absolute(io::follow_links(path), ignored), ignored)};
}

struct NamedFile {
  std::string path;
  Identity identity;
};

template <class Endings>
void add_files_in(const std::string& folder, const Endings& endings, std::vector<NamedFile>& files) {
  int ignored = 0;
  for (const std::string& name : io::names_in(folder, ignored)) {
    const std::string path = (fs::path(folder) / name).string();
    const auto ends = [&](std::string_view ending) { return path.ends_with(ending); };
    if (std::any_of(endings.begin(), endings.end(), ends)) files.push_back({path, identity_of(path)});
  }
}

// A path, and the files in it that matter if it is a folder.
template <class Endings>
std::vector<NamedFile> files_of(const std::string& path, const Endings& endings) {
  if (path.empty() || path == standard_stream) return {};
  std::vector<NamedFile> files = {{path, identity_of(path)}};
  std::error_code error;
  if (fs::is_directory(path, error)) add_files_in(path, endings, files);
  return files;
}

[[noreturn]] void refuse_same(const std::string& output, const std::string& other) {
  throw UsageError(printable(output) +
                   (output == other ? " is named twice" : " is the same file as " + printable(other)) +
                   "; inputs and outputs must be different files");
}

}  // namespace

std::string file_of_input(const std::string& path) {
  const std::size_t colon = path.rfind(':');
  std::error_code ignored;
  return colon == std::string::npos || fs::exists(path, ignored) ? path : path.substr(0, colon);
}

void check_distinct(const std::vector<std::string>& inputs, const std::vector<std::string>& outputs) {
  std::vector<NamedFile> taken;
  for (const std::string& input : inputs)
    for (NamedFile& file : files_of(file_of_input(input), endings_read_in_folders))
      taken.push_back(std::move(file));
  for (const std::string& output : outputs) {
    const std::vector<NamedFile> files = files_of(output, endings_of_figures);
    for (const NamedFile& file : files)
      for (const NamedFile& other : taken)
        if (file.identity == other.identity) refuse_same(file.path, other.path);
    if (!files.empty()) taken.push_back(files.front());
  }
}

void check_target(const std::string& path, bool force) {
  if (path == standard_stream) return;
  const fs::path target = io::follow_links(path);
  // A temporary name beside it is a little longer.
  if (target.filename().string().size() > 225) throw io::IoError(printable(path) + ": the name is too long");
  std::error_code error;
  const fs::file_status status = fs::status(target, error);
  if (fs::is_directory(status)) throw io::IoError(printable(path) + ": is a folder; name a file");
  if (fs::exists(status) && !force)
    throw io::IoError(printable(path) + ": already exists; --force replaces it");
  if (fs::exists(status) && !fs::is_regular_file(status))
    throw io::IoError(printable(path) + ": is not an ordinary file");
  const fs::path folder = target.has_parent_path() ? target.parent_path() : ".";
  if (!fs::is_directory(folder, error))
    throw io::IoError(printable(path) + ": there is no folder " + printable(folder.string()));
  if (::access(folder.c_str(), W_OK) != 0)
    throw io::IoError(printable(path) + ": the folder " + printable(folder.string()) +
                      " cannot be written to: " + std::strerror(errno));
}

void check_matrix_target(const std::string& path, bool force) {
  if (path == standard_stream) return;
  bool known = false;
  for (const std::string_view ending : matrix_endings) known = known || path.ends_with(ending);
  if (!known)
    throw UsageError(
        printable(path) +
        ": its ending does not say how to write it; endings that are written: " + list_text(matrix_endings));
  check_target(path, force);
}

}  // namespace svrmu::cli
