// Preloaded into the program: lets the n-th of its system calls fail, or raises a signal just before it.
//
//   FAULT_CALLS   which calls count: names separated by commas, or "all": all but allocations
//   FAULT_AT      the number of the call, counted from 1; 0: none
//   FAULT_ERROR   the error number that it fails with, or
//   FAULT_SIGNAL  the signal that is raised before it
//   FAULT_LASTS   "1": every call from the n-th on fails
//   FAULT_REPORT  a file that gets the name of the call, once it came to that
//
// Calls are counted from main() on, those of child processes too. "allocation" is what asks malloc for
// memory, except that HDF5 always gets what it asks for, and glibc for the destructors of thread-local
// objects: they end the program where they are refused. A write that fails takes half of its bytes first, as
// a disk does that fills up.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <link.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

static atomic_int* calls;  // in memory that child processes share
static int counts_allocations;
static uintptr_t hdf5_begin, hdf5_end;
static _Thread_local int exempt;

static int number_in(const char* variable) {
  const char* text = getenv(variable);
  return text ? atoi(text) : 0;
}

static int counts(const char* call) {
  const char* list = getenv("FAULT_CALLS");
  if (!list) return 0;
  if (strcmp(list, "all") == 0) return strcmp(call, "allocation") != 0;
  const size_t length = strlen(call);
  for (const char* at = list; (at = strstr(at, call)); at += length)
    if ((at == list || at[-1] == ',') && (at[length] == ',' || at[length] == '\0')) return 1;
  return 0;
}

// True if this call has to fail; errno is set then.
static int fails(const char* call) {
  if (!calls || !counts(call)) return 0;
  const int number_of_call = atomic_fetch_add(calls, 1) + 1, at = number_in("FAULT_AT");
  if (at > 0 && number_of_call > at && number_in("FAULT_LASTS")) {
    errno = number_in("FAULT_ERROR");
    return 1;
  }
  if (number_of_call != at) return 0;
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

typedef int Main(int, char**, char**);
typedef int Start(Main*, int, char**, void (*)(void), void (*)(void), void (*)(void), void*);

static Main* program;

static int note_hdf5(struct dl_phdr_info* library, size_t size, void* unused) {
  (void)size, (void)unused;
  if (!strstr(library->dlpi_name, "libhdf5")) return 0;
  hdf5_begin = library->dlpi_addr;
  for (int i = 0; i < library->dlpi_phnum; ++i) {
    const uintptr_t end = library->dlpi_addr + library->dlpi_phdr[i].p_vaddr + library->dlpi_phdr[i].p_memsz;
    if (library->dlpi_phdr[i].p_type == PT_LOAD && end > hdf5_end) hdf5_end = end;
  }
  return 1;
}

static int counted_main(int argc, char** argv, char** environment) {
  const char* list = getenv("FAULT_CALLS");
  counts_allocations = list && strstr(list, "allocation");
  dl_iterate_phdr(note_hdf5, NULL);
  calls = (atomic_int*)syscall(SYS_mmap, NULL, sizeof(atomic_int), PROT_READ | PROT_WRITE,
                               MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  return program(argc, argv, environment);
}

// What libraries do before main() is not the program's to answer for.
int __libc_start_main(Main* main, int argc, char** argv, void (*init)(void), void (*fini)(void),
                      void (*end)(void), void* stack) {
  program = main;
  return ((Start*)dlsym(RTLD_NEXT, "__libc_start_main"))(counted_main, argc, argv, init, fini, end, stack);
}

void* __libc_malloc(size_t size);
void* __libc_calloc(size_t count, size_t size);
void* __libc_realloc(void* old, size_t size);
void* __libc_memalign(size_t alignment, size_t size);

static int is_refused(const void* caller) {
  const uintptr_t place = (uintptr_t)caller;
  return counts_allocations && !exempt && !(place >= hdf5_begin && place < hdf5_end) && fails("allocation");
}
int __cxa_thread_atexit_impl(void (*destroy)(void*), void* object, void* library) {
  typedef int Register(void (*)(void*), void*, void*);
  exempt = 1;
  const int code = ((Register*)dlsym(RTLD_NEXT, "__cxa_thread_atexit_impl"))(destroy, object, library);
  exempt = 0;
  return code;
}

#define REFUSED is_refused(__builtin_return_address(0))

void* malloc(size_t size) { return REFUSED ? NULL : __libc_malloc(size); }
void* calloc(size_t count, size_t size) { return REFUSED ? NULL : __libc_calloc(count, size); }
void* realloc(void* old, size_t size) { return REFUSED ? NULL : __libc_realloc(old, size); }
void* memalign(size_t alignment, size_t size) { return REFUSED ? NULL : __libc_memalign(alignment, size); }
void* aligned_alloc(size_t alignment, size_t size) {
  return REFUSED ? NULL : __libc_memalign(alignment, size);
}
int posix_memalign(void** place, size_t alignment, size_t size) {
  void* made = REFUSED ? NULL : __libc_memalign(alignment, size);
  if (made) *place = made;
  return made ? 0 : ENOMEM;
}
char* strdup(const char* text) {
  char* copy = REFUSED ? NULL : __libc_malloc(strlen(text) + 1);
  return copy ? strcpy(copy, text) : NULL;
}

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
  const int failed = fails("close");  // what fails is closed nevertheless
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
