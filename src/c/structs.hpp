// Structures that may be longer or shorter than the caller's: each gets what it knows.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>

#include "svrmu/error.hpp"

namespace svrmu::c {

// Copies as much of a structure as the caller's has room for; what the library does not know stays 0.
template <class Struct>
void put_struct(const Struct& from, void* to, std::size_t size) {
  if (size > sizeof(Struct)) std::memset(static_cast<char*>(to) + sizeof(Struct), 0, size - sizeof(Struct));
  std::memcpy(to, &from, std::min(size, sizeof(Struct)));
}

inline void check_size(std::size_t size, const char* name) {
  if (size == 0) throw InvalidInput(std::string(name) + " is 0; hand over sizeof of the structure");
}

// An array of the caller's: at most `capacity` structures of `size` bytes.
struct Room {
  void* to;
  std::size_t size;
  std::int64_t capacity;
  const char* size_name;

  void check() const {
    if (capacity < 0)
      throw InvalidInput("capacity is " + std::to_string(capacity) + "; it must not be negative");
    check_size(size, size_name);
    if (to == nullptr && capacity > 0)
      throw InvalidInput("to is NULL, but capacity is " + std::to_string(capacity));
  }
  template <class Struct>
  void put(std::int64_t place, const Struct& from) const {
    put_struct(from, static_cast<char*>(to) + static_cast<std::size_t>(place) * size, size);
  }
};

}  // namespace svrmu::c
