// The few operations that writing a file safely needs, so that tests can make each of them fail.
#pragma once

#include <cstddef>
#include <string>

#include "svrmu/export.hpp"

namespace svrmu::io {

// Each returns 0, or the number of the system's error.
class SVRMU_API FileSystem {
 public:
  virtual ~FileSystem() = default;
  // A new file; fails if there is one. It has the owner and the mode of the file `like`, as far as this
  // process may give them, or those of any new file if there is none.
  virtual int create(const std::string& path, const std::string& like, int& file) = 0;
  virtual int write(int file, const void* data, std::size_t size) = 0;
  // At the beginning of the file, whatever has been written to it.
  virtual int rewrite(int file, const void* data, std::size_t size) = 0;
  virtual int sync(int file) = 0;
  virtual int close(int file) = 0;
  // EEXIST if the target is there and must not be replaced.
  virtual int rename(const std::string& from, const std::string& to, bool replace) = 0;
  virtual int remove(const std::string& path) = 0;
  virtual int sync_folder(const std::string& path) = 0;
};

SVRMU_API FileSystem& real_file_system();

// What files are written with unless a call says otherwise: the real one, or what a program has put in its
// place to see what happens. Not to be called while something is written.
FileSystem& current_file_system();
SVRMU_API void use_file_system(FileSystem& files);

}  // namespace svrmu::io
