#include "spool.hpp"

#include <fcntl.h>
#include <poll.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>

#include "child_reader.hpp"
#include "console.hpp"
#include "errors.hpp"
#include "io/column_decoder.hpp"
#include "io/descriptor.hpp"

namespace svrmu::cli {
namespace {

// More than this is no stream that anybody means to factorize.
constexpr double most_bytes = double(std::uint64_t{1} << 40);
// Others need room there too.
constexpr double share_of_free_space = 0.9;

std::string spool_folder() {
  std::error_code error;
  std::string folder = std::filesystem::temp_directory_path(error).string();
  if (error) throw io::IoError("there is no folder for temporary files; set TMPDIR: " + error.message());
  return folder;
}

// It has no name from the beginning where the file system can do that, so that nothing stays if the program
// is killed.
int nameless_file(const std::string& folder) {
  const int file = ::open(folder.c_str(), O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
  if (file >= 0) return file;
  std::string path = folder + "/svrmu-XXXXXX";
  const int named = ::mkostemp(path.data(), O_CLOEXEC);
  if (named < 0) throw io::IoError(printable(folder) + ": cannot be written to: " + std::strerror(errno));
  ::unlink(path.c_str());
  return named;
}

// A device, unless somebody types there.
bool may_never_end(int stream) {
  struct stat status {};
  return ::fstat(stream, &status) == 0 && (S_ISCHR(status.st_mode) || S_ISBLK(status.st_mode)) &&
         ::isatty(stream) != 1;
}

// Bytes read, 0 at the end.
std::size_t read_some(int stream, const std::string& name, char* to, std::size_t size) {
  for (;;) {
    const ssize_t got = ::read(stream, to, size);
    if (got >= 0) return static_cast<std::size_t>(got);
    if (errno == EAGAIN) {  // somebody made it so that it does not wait
      pollfd wait{stream, POLLIN, 0};
      ::poll(&wait, 1, -1);
    } else if (errno != EINTR) {
      throw io::IoError(name + " cannot be read: " + std::strerror(errno));
    }
  }
}

void write_all(int file, const char* from, std::size_t size, const std::string& complaint) {
  while (size > 0) {
    const ssize_t put = ::write(file, from, size);
    if (put < 0 && errno == EINTR) continue;
    if (put < 0) throw io::IoError(complaint + std::strerror(errno));
    from += put;
    size -= static_cast<std::size_t>(put);
  }
}

// Which format a stream is in: it has no ending.
std::string format_of(std::string_view head, const std::string& name) {
  const std::string_view ending = io::ending_by_content(head);
  if (ending == ".gz")
    throw InvalidData(name + " is compressed by gzip; unpack it first: gunzip -c FILE | svrmu ...");
  if (!ending.empty()) return std::string(ending.substr(1));
  if (head.starts_with(io::framed_magic)) throw InvalidData(name + " holds framed columns; say --stream");
  return head.substr(0, head.find('\n')).find('\t') != std::string_view::npos ? "tsv" : "csv";
}

// Copies a stream to a file, and returns the format that its content looks like.
std::string keep_stream(int stream, const std::string& name, int file, const std::string& folder) {
  struct statvfs space {};
  double room = most_bytes;
  if (::fstatvfs(file, &space) == 0)
    room = std::min(room, share_of_free_space * double(space.f_bavail) * double(space.f_frsize));
  std::array<char, 1 << 16> buffer;
  std::size_t filled = 0;  // the first part is a full one: it must tell the format
  std::string format;
  double kept = 0;
  for (;;) {
    const std::size_t got = read_some(stream, name, buffer.data() + filled, buffer.size() - filled);
    filled += got;
    if (got > 0 && filled < buffer.size()) continue;
    if (format.empty() && filled == 0) throw InvalidData(name + " is empty");
    if (format.empty() && may_never_end(stream))
      throw io::IoError(name + " cannot be read: it is a device, which may never end");
    if (format.empty()) format = format_of({buffer.data(), filled}, name);
    kept += double(filled);
    if (kept > room)
      throw ResourceLimit(name + " is larger than " + byte_size(room) + ", which is all it may take in " +
                          printable(folder) + " while it is read; set TMPDIR to a folder with more room, " +
                          "or give the name of a file");
    write_all(file, buffer.data(), filled, printable(folder) + ": " + name + " cannot be kept there: ");
    if (got == 0) return format;
    filled = 0;
  }
}

// The name of the descriptor is nothing that people know.
template <class Error>
Error renamed(const std::string& path, const std::string& name, std::string message) {
  for (std::size_t at; (at = message.find(path)) != std::string::npos;)
    message.replace(at, path.size(), name);
  return Error(message);
}

}  // namespace

bool is_pipe(const std::string& path) {
  struct stat status {};
  return ::stat(path.c_str(), &status) == 0 && S_ISFIFO(status.st_mode);
}

io::MatrixFile read_stream(int stream, const std::string& name, const io::ReadOptions& options,
                           bool trusted) {
  const std::string folder = spool_folder();
  const io::Descriptor file(nameless_file(folder));
  io::ReadOptions reading = options;
  const std::string looks_like = keep_stream(stream, name, file.number(), folder);
  if (reading.format.empty()) reading.format = looks_like;
  const std::string path = "/dev/fd/" + std::to_string(file.number());
  try {
    return read_matrix(path, reading, trusted);  // pages that are mapped outlive the descriptor
  } catch (const InvalidInput& error) {
    throw renamed<InvalidData>(path, name, error.what());
  } catch (const io::IoError& error) {
    throw renamed<io::IoError>(path, name, error.what());
  } catch (const ResourceLimit& error) {
    throw renamed<ResourceLimit>(path, name, error.what());
  }
}

io::MatrixFile read_pipe(const std::string& path, const io::ReadOptions& options, bool trusted) {
  const io::Descriptor stream(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (stream.number() < 0) throw io::IoError(printable(path) + ": cannot be read: " + std::strerror(errno));
  return read_stream(stream.number(), printable(path), options, trusted);
}

}  // namespace svrmu::cli
