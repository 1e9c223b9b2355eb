#include "io/leftovers.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <charconv>
#include <csignal>
#include <filesystem>
#include <string_view>

#include "io/descriptor.hpp"
#include "io/folder_names.hpp"

namespace svrmu::io {
namespace {

constexpr std::string_view unfinished_mark = ".part-";

// A number and what follows it, or false.
bool take_number(std::string_view& text, int& number) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || text.starts_with('-')) return false;
  text.remove_prefix(static_cast<std::size_t>(end - text.data()));
  return true;
}

// The process in "<name>.part-<process>-<attempt>", or 0.
pid_t process_in(std::string_view file, const std::string& name) {
  if (!file.starts_with(name)) return 0;
  file.remove_prefix(name.size());
  if (!file.starts_with(unfinished_mark)) return 0;
  file.remove_prefix(unfinished_mark.size());
  int process = 0;
  int attempt = 0;
  if (!take_number(file, process) || !file.starts_with('-')) return 0;
  file.remove_prefix(1);
  return take_number(file, attempt) && file.empty() ? process : 0;
}

bool is_abandoned(const std::string& path) {
  const Descriptor file(::open(path.c_str(), O_RDWR | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC));
  struct stat status {};
  return file.number() >= 0 && ::fstat(file.number(), &status) == 0 && S_ISREG(status.st_mode) &&
         ::flock(file.number(), LOCK_EX | LOCK_NB) == 0;
}

}  // namespace

std::string temporary_name(const std::string& target, int attempt) {
  return target + std::string(unfinished_mark) + std::to_string(::getpid()) + "-" + std::to_string(attempt);
}

void remove_leftovers(const std::string& target) {
  const std::filesystem::path path(target);
  const std::filesystem::path folder = path.has_parent_path() ? path.parent_path() : ".";
  const std::string name = path.filename().string();
  int ignored = 0;
  for (const std::string& other : names_in(folder.string(), ignored)) {
    const pid_t process = process_in(other, name);
    if (process <= 0 || ::kill(process, 0) == 0 || errno != ESRCH) continue;
    const std::string place = (folder / other).string();
    if (is_abandoned(place)) ::unlink(place.c_str());
  }
}

}  // namespace svrmu::io
