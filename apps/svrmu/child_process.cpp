#include "child_process.hpp"

#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
#include <csignal>

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <new>
#include <string_view>

#include "console.hpp"
#include "errors.hpp"
#include "linalg/machine.hpp"
#include "svrmu/error.hpp"
#include "svrmu/io/files.hpp"
#include "text/text.hpp"

namespace svrmu::cli {
namespace {

constexpr double memory_per_byte = 16 * 1032;
constexpr double memory_anyway = 256e6;
constexpr double seconds_anyway = 2;
constexpr double bytes_per_second = 1e6;

double seconds_for(double bytes) { return seconds_anyway + std::ceil(bytes / bytes_per_second); }

// The first byte of what a child says; the result or a message follows.
enum class Outcome : char { result, bad_input, bad_data, io_error, out_of_memory, internal_error };

class Pipe {
 public:
  Pipe() {
    if (::pipe(ends_) != 0) throw io::IoError(std::string("a pipe cannot be made: ") + std::strerror(errno));
  }
  ~Pipe() {
    ::close(ends_[0]);
    close_writing();
  }
  Pipe(const Pipe&) = delete;
  Pipe& operator=(const Pipe&) = delete;

  void close_writing() {
    if (ends_[1] >= 0) ::close(ends_[1]);
    ends_[1] = -1;
  }
  bool write(std::string_view bytes) const {
    while (!bytes.empty()) {
      const ssize_t count = ::write(ends_[1], bytes.data(), bytes.size());
      if (count < 0 && errno == EINTR) continue;
      if (count <= 0) return false;
      bytes.remove_prefix(static_cast<std::size_t>(count));
    }
    return true;
  }
  std::string read_all() const {
    std::string all;
    char buffer[1 << 16];
    for (;;) {
      const ssize_t count = ::read(ends_[0], buffer, sizeof(buffer));
      if (count < 0 && errno == EINTR) continue;
      if (count <= 0) return all;
      all.append(buffer, static_cast<std::size_t>(count));
    }
  }

 private:
  int ends_[2] = {-1, -1};
};

// The second limit is one higher: the signal at the first one tells which it was, SIGKILL would not.
template <class Resource>
void set_limit(Resource resource, double most) {
  struct rlimit limit {};
  if (::getrlimit(resource, &limit) != 0) return;
  const auto wanted = static_cast<rlim_t>(most);
  limit.rlim_max = std::min(wanted + 1, limit.rlim_max);  // RLIM_INFINITY is the largest
  limit.rlim_cur = std::min(wanted, limit.rlim_max);
  ::setrlimit(resource, &limit);
}

// Ctrl-C is for the parent, with which the child ends.
void become_limited(pid_t parent, double bytes) {
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) ::signal(signal, SIG_IGN);
  for (const int signal : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT}) ::signal(signal, SIG_DFL);
  // The parent has the last word.
  std::set_terminate([] {
    if (is_ending_without_memory()) ::_exit(out_of_resources);
    std::abort();
  });
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (::getppid() != parent) ::_exit(1);
  set_limit(RLIMIT_CORE, 0);
  set_limit(RLIMIT_FSIZE, 0);
  set_limit(RLIMIT_CPU, seconds_for(bytes));
  set_limit(RLIMIT_AS, address_space() + memory_for(bytes));
}

std::string said(Outcome outcome, const std::string& text) { return static_cast<char>(outcome) + text; }

std::string outcome_of(const std::function<std::string()>& work) {
  try {
    return said(Outcome::result, work());
  } catch (const InvalidData& error) {
    return said(Outcome::bad_data, error.what());
  } catch (const InvalidInput& error) {
    return said(Outcome::bad_input, error.what());
  } catch (const io::IoError& error) {
    return said(Outcome::io_error, error.what());
  } catch (const ResourceLimit& error) {
    return said(Outcome::out_of_memory, error.what());
  } catch (const std::bad_alloc&) {
    return said(Outcome::out_of_memory, "there is not enough memory to read it");
  } catch (const std::exception& error) {
    return said(Outcome::internal_error, error.what());
  }
}

std::string result_or_throw(const std::string& file, std::string answer) {
  const auto outcome = static_cast<Outcome>(answer.front());
  answer.erase(0, 1);
  switch (outcome) {
    case Outcome::result:
      return answer;
    case Outcome::bad_input:
      throw InvalidInput(answer);
    case Outcome::bad_data:
      throw InvalidData(answer);
    case Outcome::io_error:
      throw io::IoError(answer);
    case Outcome::out_of_memory:
      throw ResourceLimit(answer + "; " + printable(file) + " may take " +
                          byte_size(memory_for(size_of_file(file))) +
                          " here, by its size and by what is free; --trusted reads it without limits");
    case Outcome::internal_error:
      break;
  }
  throw std::runtime_error(answer);
}

[[noreturn]] void tell_death(const std::string& file, int status) {
  if (WIFEXITED(status) && WEXITSTATUS(status) == out_of_resources)
    throw ResourceLimit(printable(file) + ": there is not enough memory to read it");
  if (WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL)
    throw ResourceLimit(printable(file) +
                        ": the process that read it was killed, perhaps because the system " +
                        "ran out of memory");
  if (WIFSIGNALED(status) && WTERMSIG(status) == SIGXCPU)
    throw InvalidData(
        printable(file) + ": was given up after " + short_number(seconds_for(size_of_file(file))) +
        " s of computing, which is more than a file of its size needs: it is damaged; --trusted "
        "reads it without limits");
  throw InvalidData(printable(file) +
                    ": a library crashed while reading it: the file is damaged, or it was changed meanwhile");
}

}  // namespace

double size_of_file(const std::string& path) {
  struct stat status {};
  return ::stat(path.c_str(), &status) == 0 ? static_cast<double>(status.st_size) : 0;
}

double memory_for(double file_bytes) {
  return std::min(memory_anyway + memory_per_byte * file_bytes, 2 * available_memory());
}

std::string in_child(const std::string& file, const std::function<std::string()>& work) {
  Pipe pipe;
  const pid_t parent = ::getpid();
  const pid_t child = ::fork();
  if (child < 0) throw io::IoError(std::string("a child process cannot be made: ") + std::strerror(errno));
  if (child == 0) {
    try {
      become_limited(parent, size_of_file(file));
      ::_exit(pipe.write(outcome_of(work)) ? done : internal_error);
    } catch (...) {  // not even enough for the message
      ::_exit(out_of_resources);
    }
  }
  pipe.close_writing();
  std::string answer = pipe.read_all();
  int status = 0;
  while (::waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  if (!WIFEXITED(status) || WEXITSTATUS(status) != done || answer.empty()) tell_death(file, status);
  return result_or_throw(file, std::move(answer));
}

}  // namespace svrmu::cli
