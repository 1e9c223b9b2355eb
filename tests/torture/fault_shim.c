// Preloaded into the program: lets the n-th of its system calls fail, or raises a signal just before it.
//
//   FAULT_CALLS   which calls count: names separated by commas, or "all"
//   FAULT_AT      the number of the call, counted from 1; 0: none
//   FAULT_ERROR   the error number that it fails with, or
//   FAULT_SIGNAL  the signal that is raised before it
//   FAULT_REPORT  a file that gets the name of the call, once it came to that
//
// A write that fails takes half of its bytes first, as a disk does that fills up.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

static atomic_int calls;

static int number_in(const char* variable) {
  const char* text = getenv(variable);
  return text ? atoi(text) : 0;
}

static int counts(const char* call) {
  const char* list = getenv("FAULT_CALLS");
  if (!list) return 0;
  if (strcmp(list, "all") == 0) return 1;
  const size_t length = strlen(call);
  for (const char* at = list; (at = strstr(at, call)); at += length)
    if ((at == list || at[-1] == ',') && (at[length] == ',' || at[length] == '\0')) return 1;
  return 0;
}

// True if this call has to fail; errno is set then.
static int fails(const char* call) {
  if (!counts(call) || atomic_fetch_add(&calls, 1) + 1 != number_in("FAULT_AT")) return 0;
  const char* report = getenv("FAULT_REPORT");
  const int file =
      report ? (int)syscall(SYS_openat, AT_FDCWD, report, O_WRONLY | O_CREAT | O_TRUNC, 0600) : -1;
  if (file >= 0) {
    syscall(SYS_write, file, call, strlen(call));
    syscall(SYS_close, file);
  }
  const int number = number_in("FAULT_SIGNAL");
  if (number != 0) {
    kill(getpid(), number);
    // The program takes signals on a thread of its own. Give it the chance to come before the call.
    const struct timespec moment = {0, 20000000};
    nanosleep(&moment, NULL);
    return 0;
  }
  errno = number_in("FAULT_ERROR");
  return 1;
}

#define REAL(name) ((__typeof__(&name))dlsym(RTLD_NEXT, #name))

static int opened(const char* call, const char* path, int flags, mode_t mode, int folder) {
  if (fails(call)) return -1;
  return (int)syscall(SYS_openat, folder, path, flags, mode);
}

#define MODE(flags)                        \
  mode_t mode = 0;                         \
  if ((flags) & (O_CREAT | __O_TMPFILE)) { \
    va_list rest;                          \
    va_start(rest, flags);                 \
    mode = va_arg(rest, mode_t);           \
    va_end(rest);                          \
  }
#define CALL(flags) ((flags) & (O_CREAT | __O_TMPFILE) ? "create" : "open")

int open(const char* path, int flags, ...) {
  MODE(flags)
  return opened(CALL(flags), path, flags, mode, AT_FDCWD);
}
int open64(const char* path, int flags, ...) {
  MODE(flags)
  return opened(CALL(flags), path, flags | O_LARGEFILE, mode, AT_FDCWD);
}
int openat(int folder, const char* path, int flags, ...) {
  MODE(flags)
  return opened(CALL(flags), path, flags, mode, folder);
}

ssize_t write(int file, const void* data, size_t size) {
  if (!fails("write")) return syscall(SYS_write, file, data, size);
  const int error = errno;
  if (file > STDERR_FILENO) syscall(SYS_write, file, data, size / 2);
  errno = error;
  return -1;
}
ssize_t read(int file, void* data, size_t size) {
  return fails("read") ? -1 : syscall(SYS_read, file, data, size);
}
ssize_t pread(int file, void* data, size_t size, off_t at) {
  return fails("read") ? -1 : syscall(SYS_pread64, file, data, size, at);
}
ssize_t pread64(int file, void* data, size_t size, off64_t at) {
  return fails("read") ? -1 : syscall(SYS_pread64, file, data, size, at);
}
void* mmap(void* at, size_t size, int protection, int flags, int file, off_t offset) {
  if (file >= 0 && fails("mmap")) return MAP_FAILED;
  return (void*)syscall(SYS_mmap, at, size, protection, flags, file, offset);
}
void* mmap64(void* at, size_t size, int protection, int flags, int file, off64_t offset) {
  return mmap(at, size, protection, flags, file, offset);
}
int fsync(int file) { return fails("fsync") ? -1 : (int)syscall(SYS_fsync, file); }
int close(int file) {
  // Nothing can be lost of a file that is only read. What fails is closed nevertheless.
  const int failed = (fcntl(file, F_GETFL) & O_ACCMODE) != O_RDONLY && fails("close");
  const int error = errno;
  const int code = (int)syscall(SYS_close, file);
  if (failed) errno = error;
  return failed ? -1 : code;
}
int rename(const char* from, const char* to) {
  return fails("rename") ? -1 : (int)syscall(SYS_renameat, AT_FDCWD, from, AT_FDCWD, to);
}
int renameat2(int from_folder, const char* from, int to_folder, const char* to, unsigned flags) {
  return fails("rename") ? -1 : (int)syscall(SYS_renameat2, from_folder, from, to_folder, to, flags);
}
int unlink(const char* path) { return fails("unlink") ? -1 : (int)syscall(SYS_unlinkat, AT_FDCWD, path, 0); }
int mkdir(const char* path, mode_t mode) {
  return fails("mkdir") ? -1 : (int)syscall(SYS_mkdirat, AT_FDCWD, path, mode);
}
int fstat(int file, struct stat* status) { return fails("stat") ? -1 : REAL(fstat)(file, status); }
int fstat64(int file, struct stat64* status) { return fails("stat") ? -1 : REAL(fstat64)(file, status); }
