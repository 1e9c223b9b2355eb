#include "c/errors.hpp"

#include <cstring>
#include <new>
#include <system_error>

#include "svrmu/io/files.hpp"

namespace svrmu::c {
namespace {

constexpr const char* no_memory = "there is not enough memory";

// Memory for good: handlers that run when the program ends call the library after the objects of their thread
// are gone.
thread_local char last_message[4096] = "";

bool continues_a_character(char byte) { return (static_cast<unsigned char>(byte) & 0xC0U) == 0x80U; }

// std::error_code of what the system refuses for lack of threads or memory.
bool lacks_resources(const std::error_code& code) {
  return code == std::errc::resource_unavailable_try_again || code == std::errc::not_enough_memory;
}

}  // namespace

void set_message(std::string_view text) noexcept {
  std::size_t size = text.size();
  if (size >= sizeof last_message) {
    size = sizeof last_message - 1;
    while (size > 0 && continues_a_character(text[size])) --size;
  }
  std::memmove(last_message, text.data(), size);
  last_message[size] = '\0';
}

svrmu_code code_of_current() noexcept {
  const auto told = [](svrmu_code code, const char* text) {
    set_message(text);
    return code;
  };
  try {
    throw;
  } catch (const InvalidData& error) {
    return told(SVRMU_INVALID_DATA, error.what());
  } catch (const InvalidInput& error) {
    return told(SVRMU_INVALID_INPUT, error.what());
  } catch (const io::IoError& error) {
    return told(SVRMU_IO_ERROR, error.what());
  } catch (const ResourceLimit& error) {
    return told(SVRMU_OUT_OF_MEMORY, error.what());
  } catch (const Cancelled& error) {
    return told(SVRMU_CANCELLED, error.what());
  } catch (const std::bad_alloc&) {
    return told(SVRMU_OUT_OF_MEMORY, no_memory);
  } catch (const std::length_error&) {  // a container that is asked for more than there can be
    return told(SVRMU_OUT_OF_MEMORY, no_memory);
  } catch (const std::system_error& error) {
    return told(lacks_resources(error.code()) ? SVRMU_OUT_OF_MEMORY : SVRMU_INTERNAL_ERROR, error.what());
  } catch (const std::exception& error) {
    return told(SVRMU_INTERNAL_ERROR, error.what());
  } catch (...) {
    return told(SVRMU_INTERNAL_ERROR, "an unknown exception");
  }
}

}  // namespace svrmu::c

extern "C" const char* svrmu_message(void) { return svrmu::c::last_message; }
