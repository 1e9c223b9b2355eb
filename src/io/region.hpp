// Memory that one process fills and another keeps.
#pragma once

#include <cstddef>

#include "svrmu/export.hpp"

namespace svrmu::io {

// Hands out a range of memory from its beginning to its end. The newest piece grows in place. A piece that is
// given back returns its pages to the system, but not its addresses: readers give back little.
class Region {
 public:
  Region(std::byte* begin, std::size_t size) : begin_(begin), size_(size) {}

  // Aligned for vectors; null if there is no room left.
  SVRMU_API void* allocate(std::size_t size);
  // Moves `piece` if it must; null, and the piece as before, if there is no room left.
  void* resize(void* piece, std::size_t size);
  SVRMU_API void release(void* piece);

  bool holds(const void* place) const {
    const auto* at = static_cast<const std::byte*>(place);
    return at >= begin_ && at < begin_ + size_;
  }
  std::byte* begin() const { return begin_; }

 private:
  std::byte* begin_;
  std::size_t size_;
  std::size_t used_ = 0;
};

// Where readers put what they keep, if it is not null. A process that reads on behalf of another sets it.
SVRMU_API Region* reading_region();
SVRMU_API void set_reading_region(Region* region);

}  // namespace svrmu::io
