#include "io/mapped_file.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <memory>
#include <new>
#include <system_error>

#include "io/descriptor.hpp"
#include "io/inflate.hpp"
#include "io/text.hpp"
#include "svrmu/io/files.hpp"

namespace svrmu::io {
namespace {

class Mapping {
 public:
  // errno tells why it failed.
  Mapping(int file, std::size_t size)
      : data_(::mmap(nullptr, size, PROT_READ, MAP_PRIVATE, file, 0)), size_(size) {}
  ~Mapping() {
    if (data_ != MAP_FAILED) ::munmap(data_, size_);
  }
  Mapping(const Mapping&) = delete;
  Mapping& operator=(const Mapping&) = delete;

  bool failed() const { return data_ == MAP_FAILED; }
  const std::byte* begin() const { return static_cast<const std::byte*>(data_); }

 private:
  void* data_;
  std::size_t size_;
};

[[noreturn]] void cannot_read(const std::string& path, const std::string& reason) {
  throw IoError(path + ": cannot be read: " + reason);
}

[[noreturn]] void cannot_read(const std::string& path, int error) {
  if (error == ENOMEM) throw std::bad_alloc();
  cannot_read(path, error_text(error));
}

// Text that has been read is only in the way; the file still has it.
void drop_pages(Bytes bytes) {
  const auto page = static_cast<std::uintptr_t>(::sysconf(_SC_PAGESIZE));
  const auto begin = (reinterpret_cast<std::uintptr_t>(bytes.data()) + page - 1) / page * page;
  const auto end = reinterpret_cast<std::uintptr_t>(bytes.data() + bytes.size()) / page * page;
  if (begin < end) ::madvise(reinterpret_cast<void*>(begin), end - begin, MADV_DONTNEED);
}

Input read_stream(const std::string& path, int file) {
  const auto buffer = std::make_shared<Buffer>();
  std::size_t size = 0;
  for (;;) {
    if (size == buffer->size()) buffer->resize(size + size / 2 + (std::size_t{1} << 16));
    const ssize_t got = ::read(file, buffer->data() + size, buffer->size() - size);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) cannot_read(path, errno);
    if (got == 0) break;
    size += static_cast<std::size_t>(got);
  }
  buffer->resize(size);
  return {path, buffer->bytes(), buffer, false, {}};
}

}  // namespace

std::string error_text(int code) { return std::generic_category().message(code); }

Input map_file(const std::string& path, Pipes pipes) {
  // Opening a pipe would wait for somebody who writes.
  const Descriptor file(
      ::open(path.c_str(), O_RDONLY | O_CLOEXEC | (pipes == Pipes::refused ? O_NONBLOCK : 0)));
  if (file.number() < 0) cannot_read(path, errno);
  struct stat status {};
  if (::fstat(file.number(), &status) != 0) cannot_read(path, errno);
  if (S_ISDIR(status.st_mode)) cannot_read(path, "it is a folder");
  if (S_ISFIFO(status.st_mode) && pipes == Pipes::read) return read_stream(path, file.number());
  if (!S_ISREG(status.st_mode))
    cannot_read(path, std::string("it is a ") + (S_ISFIFO(status.st_mode) ? "pipe" : "device") +
                          ", not an ordinary file");
  const auto size = static_cast<std::size_t>(status.st_size);
  if (size == 0) return {path, {}, nullptr, false, {}};
  const auto mapping = std::make_shared<Mapping>(file.number(), size);
  if (mapping->failed()) cannot_read(path, errno);
  return {path, {mapping->begin(), size}, mapping, true, drop_pages};
}

std::string first_bytes(const std::string& path, std::size_t count) {
  std::error_code ignored;
  if (!std::filesystem::is_regular_file(path, ignored)) return {};
  std::string bytes(count, '\0');
  // Without a stream: a lack of memory for its buffer would look like an empty file.
  const Descriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  const ssize_t got = file.number() < 0 ? 0 : ::read(file.number(), bytes.data(), count);
  bytes.resize(static_cast<std::size_t>(std::max<ssize_t>(got, 0)));
  return bytes;
}

std::size_t place_in_file(const std::shared_ptr<const void>& storage, const void* value) {
  const std::byte* begin = static_cast<const Mapping*>(storage.get())->begin();
  return static_cast<std::size_t>(static_cast<const std::byte*>(value) - begin);
}

Input open_unpacked(const std::string& path, Pipes pipes) {
  Input packed = map_file(path, pipes);
  if (!lower(path).ends_with(".gz")) return packed;
  if (!packed.text().starts_with("\x1f\x8b"))
    fail_at_byte(packed, 0, "is not compressed by gzip, as its ending says");
  const auto buffer = inflate_bytes(packed, 0, packed.bytes.size(), Wrapping::gzip, 0);
  return {packed.name, buffer->bytes(), buffer, false, {}};
}

}  // namespace svrmu::io
