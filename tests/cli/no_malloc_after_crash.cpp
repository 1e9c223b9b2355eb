// Preloaded: memory that is asked for after the last words of a crash ends the program with code 99. The
// crash may have happened within malloc, where asking again would wait forever.
#include <sys/syscall.h>
#include <unistd.h>

#include <cstddef>
#include <string_view>

extern "C" {

void* __libc_malloc(std::size_t);
void* __libc_calloc(std::size_t, std::size_t);

static volatile bool crashed = false;

ssize_t write(int file, const void* data, std::size_t size) {
  const std::string_view text(static_cast<const char*>(data), size);
  if (text.find("a library crashed") != std::string_view::npos) crashed = true;
  return ::syscall(SYS_write, file, data, size);
}

void* malloc(std::size_t size) noexcept {
  if (crashed) ::_exit(99);
  return __libc_malloc(size);
}

void* calloc(std::size_t count, std::size_t size) noexcept {
  if (crashed) ::_exit(99);
  return __libc_calloc(count, size);
}

}  // extern "C"
