// A file that is either there as a whole or not at all.
#pragma once

#include <string>
#include <string_view>

#include "io/file_system.hpp"
#include "io/sink.hpp"

namespace svrmu::io {

// Writes go to a temporary file beside the target; commit() puts it in place. Without commit() the temporary
// file goes, and what was there before stays. What a killed process left of the same target goes as well.
// Failures are IoError.
class AtomicFile final : public Sink {
 public:
  AtomicFile(std::string path, bool overwrite, FileSystem& files = current_file_system());
  ~AtomicFile() override;
  AtomicFile(const AtomicFile&) = delete;
  AtomicFile& operator=(const AtomicFile&) = delete;

  void write(std::string_view bytes) override;
  // Puts bytes at the beginning, over those that were written there: the last thing before commit().
  void rewrite(std::string_view bytes);
  void commit();

 private:
  void flush();
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

// The file that a path leads to through symbolic links, also if it is not there yet: a link stays a link.
SVRMU_API std::string follow_links(const std::string& path);

}  // namespace svrmu::io
