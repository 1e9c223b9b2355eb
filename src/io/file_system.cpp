#include "io/file_system.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>

namespace svrmu::io {
namespace {

int code_of(int result) { return result == 0 ? 0 : errno; }

// Only root may give files away; others keep the group if it is one of theirs. False: it is another group.
bool give_to(int file, const struct stat& before) {
  return ::fchown(file, before.st_uid, before.st_gid) == 0 ||
         ::fchown(file, static_cast<uid_t>(-1), before.st_gid) == 0;
}

class RealFileSystem final : public FileSystem {
 public:
  int create(const std::string& path, const std::string& like, int& file) override {
    struct stat before {};
    const bool replaces = ::stat(like.c_str(), &before) == 0;
    // Never more than that, not even for a moment: whoever opens a file then can read it later.
    const mode_t mode = replaces ? before.st_mode & 0777 : 0666;
    file = ::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode);
    if (file < 0) return errno;
    // Held until it is closed or its process has died: who finds it free may remove the file.
    ::flock(file, LOCK_EX | LOCK_NB);
    if (replaces) ::fchmod(file, give_to(file, before) ? mode : mode & ~mode_t{S_IRWXG});
    return 0;
  }
  int write(int file, const void* data, std::size_t size) override {
    const char* at = static_cast<const char*>(data);
    while (size > 0) {
      const ssize_t done = ::write(file, at, size);
      if (done < 0 && errno == EINTR) continue;
      if (done < 0) return errno;
      at += done;
      size -= static_cast<std::size_t>(done);
    }
    return 0;
  }
  int rewrite(int file, const void* data, std::size_t size) override {
    return ::lseek(file, 0, SEEK_SET) == 0 ? write(file, data, size) : errno;
  }
  int sync(int file) override { return code_of(::fsync(file)); }
  int close(int file) override { return code_of(::close(file)); }
  int rename(const std::string& from, const std::string& to, bool replace) override {
    if (replace) return code_of(::rename(from.c_str(), to.c_str()));
    const int code = code_of(::renameat2(AT_FDCWD, from.c_str(), AT_FDCWD, to.c_str(), RENAME_NOREPLACE));
    if (code != EINVAL && code != ENOSYS) return code;
    // Not every file system can promise it; a moment between the two steps remains.
    struct stat status {};
    if (::lstat(to.c_str(), &status) == 0) return EEXIST;
    return code_of(::rename(from.c_str(), to.c_str()));
  }
  int remove(const std::string& path) override { return code_of(::unlink(path.c_str())); }
  int sync_folder(const std::string& path) override {
    const int folder = ::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (folder < 0) return errno;
    const int code = code_of(::fsync(folder));
    ::close(folder);
    // Some file systems have nothing to sync in a folder.
    return code == EINVAL ? 0 : code;
  }
};

FileSystem*& current() {
  static FileSystem* files = &real_file_system();
  return files;
}

}  // namespace

FileSystem& real_file_system() {
  static RealFileSystem system;
  return system;
}

FileSystem& current_file_system() { return *current(); }

void use_file_system(FileSystem& files) { current() = &files; }

}  // namespace svrmu::io
