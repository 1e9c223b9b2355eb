#include "io/atomic_file.hpp"

#include <cerrno>
#include <filesystem>
#include <utility>

#include "io/leftovers.hpp"
#include "io/mapped_file.hpp"
#include "svrmu/io/files.hpp"

namespace svrmu::io {
namespace {

constexpr std::size_t buffer_size = std::size_t{1} << 20;

[[noreturn]] void cannot_write(const std::string& path, const std::string& reason) {
  throw IoError(path + ": cannot be written: " + reason);
}

std::string folder_of(const std::string& path) {
  const std::string folder = std::filesystem::path(path).parent_path().string();
  return folder.empty() ? "." : folder;
}

}  // namespace

std::string follow_links(const std::string& path) {
  namespace fs = std::filesystem;
  constexpr int most = 40;  // as Linux has it
  fs::path place(path);
  std::error_code error;
  for (int links = 0; fs::is_symlink(place, error); ++links) {
    if (links == most) cannot_write(path, "it is a link that leads to itself");
    const fs::path next = fs::read_symlink(place, error);
    if (error) cannot_write(path, error.message());
    place = place.parent_path() / next;  // or `next` alone, if that is absolute
  }
  return place.string();
}

AtomicFile::AtomicFile(std::string path, bool overwrite, FileSystem& files)
    : files_(files), path_(std::move(path)), target_(follow_links(path_)), overwrite_(overwrite) {
  std::error_code code;
  const auto status = std::filesystem::status(target_, code);
  if (std::filesystem::exists(status)) {
    // A rename would replace a device or a pipe by a file.
    if (!std::filesystem::is_regular_file(status))
      cannot_write(path_,
                   std::filesystem::is_directory(status) ? "it is a folder" : "it is not an ordinary file");
    if (!overwrite_) cannot_write(path_, "the file already exists, and may not be overwritten");
  }
  remove_leftovers(target_);
  buffer_.reserve(buffer_size);
  for (int attempt = 0;; ++attempt) {
    std::string name = temporary_name(target_, attempt);
    const int error = files_.create(name, target_, file_);
    if (error == EEXIST && attempt < 100) continue;
    if (error != 0) file_ = -1;
    check(error, "creating a file beside it");
    temporary_ = std::move(name);  // which cannot fail: from here on somebody removes the file
    return;
  }
}

AtomicFile::~AtomicFile() { abandon(); }

void AtomicFile::check(int code, const char* step) {
  if (code == 0) return;
  abandon();
  if (code == EEXIST) cannot_write(path_, "the file already exists, and may not be overwritten");
  cannot_write(path_, error_text(code) + " (while " + step + ")");
}

void AtomicFile::abandon() noexcept {
  if (file_ >= 0) files_.close(std::exchange(file_, -1));
  if (!temporary_.empty()) {
    // A removal that fails is tried once more: nothing else can be done about it.
    if (files_.remove(temporary_) != 0) files_.remove(temporary_);
    temporary_.clear();
  }
}

void AtomicFile::flush() {
  const int code = buffer_.empty() ? 0 : files_.write(file_, buffer_.data(), buffer_.size());
  buffer_.clear();
  check(code, "writing");
}

void AtomicFile::write(std::string_view bytes) {
  if (bytes.size() >= buffer_size) {
    flush();
    check(files_.write(file_, bytes.data(), bytes.size()), "writing");
    return;
  }
  if (buffer_.size() + bytes.size() > buffer_size) flush();
  buffer_ += bytes;
}

void AtomicFile::rewrite(std::string_view bytes) {
  flush();
  check(files_.rewrite(file_, bytes.data(), bytes.size()), "writing");
}

void AtomicFile::commit() {
  flush();
  check(files_.sync(file_), "saving it to the disk");
  check(files_.close(std::exchange(file_, -1)), "closing it");
  check(files_.rename(temporary_, target_, overwrite_), "putting it in place");
  temporary_.clear();
  if (const int code = files_.sync_folder(folder_of(target_)))
    throw IoError(path_ + ": is written, but its folder could not be saved to the disk (" + error_text(code) +
                  "): a power failure may undo it");
}

}  // namespace svrmu::io
