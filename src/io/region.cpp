#include "io/region.hpp"

#include <sys/mman.h>
#include <unistd.h>

#include <cstdint>
#include <cstring>

namespace svrmu::io {
namespace {

constexpr std::size_t alignment = 64;

Region* region_of_this_process = nullptr;

// Before every piece: how large it is.
std::size_t& region_piece(void* piece) {
  return *reinterpret_cast<std::size_t*>(static_cast<std::byte*>(piece) - alignment);
}

// Asks for all pages at once, which costs a third of touching them one by one; a wish, nothing more.
void touch(void* piece, std::size_t size) {
#ifdef MADV_POPULATE_WRITE
  const auto page = static_cast<std::uintptr_t>(::sysconf(_SC_PAGESIZE));
  const auto begin = reinterpret_cast<std::uintptr_t>(piece) / page * page;
  ::madvise(reinterpret_cast<void*>(begin), reinterpret_cast<std::uintptr_t>(piece) + size - begin,
            MADV_POPULATE_WRITE);
#endif
}

std::size_t rounded(std::size_t size) { return (size + alignment - 1) / alignment * alignment; }

}  // namespace

Region* reading_region() { return region_of_this_process; }
void set_reading_region(Region* region) { region_of_this_process = region; }

void* Region::allocate(std::size_t size) {
  if (size > size_ - used_ || rounded(size) + alignment > size_ - used_) return nullptr;
  std::byte* piece = begin_ + used_ + alignment;
  used_ += alignment + rounded(size);
  region_piece(piece) = size;
  touch(piece, size);
  return piece;
}

void* Region::resize(void* piece, std::size_t size) {
  if (piece == nullptr) return allocate(size);
  const auto at = static_cast<std::size_t>(static_cast<std::byte*>(piece) - begin_);
  const bool newest = at + rounded(region_piece(piece)) == used_;
  if (newest && size <= size_ - at && rounded(size) <= size_ - at) {
    used_ = at + rounded(size);
    region_piece(piece) = size;
    touch(piece, size);
    return piece;
  }
  if (size <= region_piece(piece)) return piece;
  void* moved = allocate(size);
  if (moved == nullptr) return nullptr;
  std::memcpy(moved, piece, region_piece(piece));
  release(piece);
  return moved;
}

void Region::release(void* piece) {
  const auto page = static_cast<std::uintptr_t>(::sysconf(_SC_PAGESIZE));
  const auto from = reinterpret_cast<std::uintptr_t>(piece);
  const auto begin = (from + page - 1) / page * page;
  const auto end = (from + region_piece(piece)) / page * page;
  if (begin < end) ::madvise(reinterpret_cast<void*>(begin), end - begin, MADV_REMOVE);
}

}  // namespace svrmu::io
