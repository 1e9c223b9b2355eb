// Memory for the texts of variable length that HDF5 hands out.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "io/hdf5.hpp"

namespace svrmu::io {

// Takes texts up to a limit and frees them as a whole, also when reading ends half-way.
class H5TextStore {
 public:
  explicit H5TextStore(std::uint64_t limit);
  H5TextStore(const H5TextStore&) = delete;
  H5TextStore& operator=(const H5TextStore&) = delete;

  hid_t transfer() const { return list_.id(); }  // properties of a read that puts its texts here
  bool is_full() const { return full_; }         // its limit ended a read
  void clear() { blocks_.clear(); }              // what was taken still counts

 private:
  static void* take(std::size_t size, void* self) noexcept;

  std::uint64_t limit_;
  std::uint64_t used_ = 0;
  bool full_ = false;
  std::vector<std::unique_ptr<char[]>> blocks_;
  H5Handle list_;
};

}  // namespace svrmu::io
