// A file that is either there as a whole or not at all.
#pragma once

#include <string>
#include <string_view>

#include "io/file_system.hpp"

namespace svrmu::io {

// Writes go to a temporary file beside the target; commit() puts it in place. Without commit() the temporary
// file goes, and what was there before stays. Failures are IoError.
class AtomicFile {
 public:
  AtomicFile(std::string path, bool overwrite, FileSystem& files = real_file_system());
  ~AtomicFile();
  AtomicFile(const AtomicFile&) = delete;
  AtomicFile& operator=(const AtomicFile&) = delete;

  void write(std::string_view bytes);
  void commit();

 private:
  void flush();
  void close();
  void abandon() noexcept;
  void check(int code, const char* step);

  FileSystem& files_;
  std::string path_;
  std::string target_;  // path_ with links followed
  std::string temporary_;
  bool overwrite_;
  int file_ = -1;
  std::string buffer_;
};

}  // namespace svrmu::io
