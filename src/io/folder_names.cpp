#include "io/folder_names.hpp"

#include <dirent.h>

#include <algorithm>
#include <cerrno>
#include <memory>
#include <new>

namespace svrmu::io {

std::vector<std::string> names_in(const std::string& folder, int& error) {
  std::vector<std::string> names;
  error = 0;
  const std::unique_ptr<DIR, int (*)(DIR*)> open(::opendir(folder.c_str()), ::closedir);
  if (!open) {
    error = errno;
    if (error == ENOMEM) throw std::bad_alloc();
    return names;
  }
  for (errno = 0; const dirent* entry = ::readdir(open.get()); errno = 0) {
    const std::string name = entry->d_name;
    if (name != "." && name != "..") names.push_back(name);
  }
  error = errno;
  std::sort(names.begin(), names.end());
  return names;
}

}  // namespace svrmu::io
