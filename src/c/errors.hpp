// No exception leaves the library: each becomes a code, and a message that belongs to the calling thread.
#pragma once

#include <exception>
#include <string>
#include <string_view>
#include <type_traits>

#include "svrmu/c.h"
#include "svrmu/error.hpp"

namespace svrmu::c {

// What became of some work: a code, and a message unless all went well.
struct Verdict {
  svrmu_code code = SVRMU_OK;
  std::string message{};
};

// What svrmu_message() tells this thread from now on; some 4000 bytes of it.
void set_message(std::string_view message) noexcept;

// The code of the exception that is being handled; its message is set.
svrmu_code code_of_current() noexcept;

// Says what a verdict says, in this thread.
inline svrmu_code told(const Verdict& verdict) noexcept {
  if (verdict.code != SVRMU_OK) set_message(verdict.message);
  return verdict.code;
}

// True once the program has begun to end: what the library holds for good is destroyed in any order then.
bool program_ends() noexcept;

// The code of `body`, which returns nothing or a code of its own.
template <class Body>
svrmu_code guarded(const Body& body) noexcept {
  try {
    if (program_ends()) throw Cancelled("the program is ending: nothing can be begun any more");
    if constexpr (std::is_void_v<decltype(body())>) {
      body();
      return SVRMU_OK;
    } else {
      return body();
    }
  } catch (...) {
    return code_of_current();
  }
}

// Refuses a pointer that must not be NULL by the name of its parameter.
template <class T>
T& required(T* pointer, const char* name) {
  if (pointer == nullptr) throw InvalidInput(std::string(name) + " is NULL");
  return *pointer;
}
inline const char* required_text(const char* text, const char* name) { return &required(text, name); }

// Where a new object goes: NULL until there is one, so that nobody frees what was there by chance.
template <class T>
T*& empty_place(T** place, const char* name) {
  T*& empty = required(place, name);
  empty = nullptr;
  return empty;
}

}  // namespace svrmu::c
