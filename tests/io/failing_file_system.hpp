// Files that fail when a test wants it.
#pragma once

#include <cerrno>
#include <string>

#include "io/file_system.hpp"

namespace svrmu::io {

// The real one, but for the i-th call.
class FailingFileSystem final : public io::FileSystem {
 public:
  explicit FailingFileSystem(int failing) : left_(failing) {}
  bool failed() const { return left_ < 0; }
  const std::string& last() const { return last_; }

  int create(const std::string& path, const std::string& like, int& file) override {
    return fails("create") ? EACCES : real_.create(path, like, file);
  }
  int write(int file, const void* data, std::size_t size) override {
    if (!fails("write")) return real_.write(file, data, size);
    real_.write(file, data, size / 2);  // a full disk takes what it can
    return ENOSPC;
  }
  int rewrite(int file, const void* data, std::size_t size) override {
    return fails("rewrite") ? ENOSPC : real_.rewrite(file, data, size);
  }
  int sync(int file) override { return fails("sync") ? EIO : real_.sync(file); }
  int close(int file) override {
    const int code = real_.close(file);
    return fails("close") ? EIO : code;
  }
  int rename(const std::string& from, const std::string& to, bool replace) override {
    return fails("rename") ? EIO : real_.rename(from, to, replace);
  }
  int remove(const std::string& path) override { return fails("remove") ? EIO : real_.remove(path); }
  int sync_folder(const std::string& path) override {
    return fails("sync_folder") ? EIO : real_.sync_folder(path);
  }

 private:
  bool fails(const char* call) {
    if (left_-- != 0) return false;
    last_ = call;
    return true;
  }
  io::FileSystem& real_ = io::real_file_system();
  int left_;
  std::string last_;
};

}  // namespace svrmu::io
