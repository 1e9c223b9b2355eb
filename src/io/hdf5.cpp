#include "io/hdf5.hpp"

#include <new>

#include "io/h5_fork.hpp"
#include "io/process.hpp"

namespace svrmu::io {
namespace {

// Files in memory that grow do so by as much.
constexpr std::size_t increment = std::size_t{1} << 16;

// Nothing is copied: wherever HDF5 wants memory for the image, it gets the image.
constexpr H5FD_file_image_callbacks_t where_it_is(void* image) {
  return {.image_malloc = [](std::size_t, H5FD_file_image_op_t, void* given) { return given; },
          .image_memcpy = [](void* to, const void*, std::size_t, H5FD_file_image_op_t, void*) { return to; },
          .image_realloc = [](void*, std::size_t, H5FD_file_image_op_t, void*) -> void* { return nullptr; },
          .image_free = [](void*, H5FD_file_image_op_t, void*) -> herr_t { return 0; },
          .udata_copy = [](void* given) { return given; },
          .udata_free = [](void*) -> herr_t { return 0; },
          .udata = image};
}

}  // namespace

void leave_hdf5_at_exit() { H5dont_atexit(); }

std::recursive_mutex& H5Silence::turns() {
  static std::recursive_mutex& mutex = *new std::recursive_mutex;  // a thread may outlive main()
  return mutex;
}

void h5_before_fork() { H5Silence::turns().lock(); }
void h5_after_fork_in_parent() { H5Silence::turns().unlock(); }
// It cannot be unlocked there: it remembers the thread that locked it, which has another number now.
void h5_after_fork_in_child() { new (&H5Silence::turns()) std::recursive_mutex; }

H5Silence*& H5Silence::innermost() noexcept {
  static H5Silence* silence = nullptr;  // of the thread whose turn it is
  return silence;
}

herr_t H5Silence::note_failure(hid_t stack, void* silence) noexcept {
  if (std::exchange(static_cast<H5Silence*>(silence)->refused_, false)) return 0;
  H5Ewalk2(
      stack, H5E_WALK_UPWARD,
      [](unsigned, const H5E_error2_t* error, void* to) noexcept -> herr_t {
        if (error->min_num == H5E_NOSPACE || error->min_num == H5E_CANTALLOC)
          static_cast<H5Silence*>(to)->lacked_memory_ = true;
        return 0;
      },
      silence);
  return 0;
}

std::string h5_got_no_memory(const std::string& name) {
  return name +
         ": HDF5 got no memory for a part of it: there is too little, or the file is damaged and asks for "
         "too "
         "much";
}

std::string h5_unique_name(const std::string& name, const H5Handle& access) {
  return name + "#" + std::to_string(access.id());
}

H5Handle h5_memory_access() {
  H5Handle access(H5Pcreate(H5P_FILE_ACCESS), H5Pclose);
  const bool made = access && H5Pset_fapl_core(access.id(), increment, false) >= 0 &&
                    H5Pset_sieve_buf_size(access.id(), 1) >= 0;  // memory needs no buffer before it
  return made ? std::move(access) : H5Handle();
}

H5Handle open_h5_image(const std::string& name, Bytes bytes) {
  const H5Handle access = h5_memory_access();
  auto* const image = const_cast<std::byte*>(bytes.data());  // which is only read
  H5FD_file_image_callbacks_t callbacks = where_it_is(image);
  const bool set = access && !bytes.empty() && H5Pset_file_image_callbacks(access.id(), &callbacks) >= 0 &&
                   H5Pset_file_image(access.id(), image, bytes.size()) >= 0;
  if (!set) return {};
  return {H5Fopen(h5_unique_name(name, access).c_str(), H5F_ACC_RDONLY, access.id()), H5Fclose};
}

std::span<char> h5_image(const H5Handle& file, const H5Handle& access) {
  const H5Handle creation(H5Fget_create_plist(file.id()), H5Pclose);
  hsize_t user_block = 0;
  void* handle = nullptr;
  if (!creation || H5Pget_userblock(creation.id(), &user_block) < 0 ||
      H5Fflush(file.id(), H5F_SCOPE_GLOBAL) < 0 || H5Fget_vfd_handle(file.id(), access.id(), &handle) < 0)
    return {};
  const auto size = H5Fget_file_image(file.id(), nullptr, 0);
  if (size < 0) return {};
  return {*static_cast<char**>(handle), static_cast<std::size_t>(size) + user_block};
}

std::string h5_reason() {
  const char* reason = nullptr;  // copied afterwards: nothing may be thrown through C
  H5Ewalk2(
      H5E_DEFAULT, H5E_WALK_UPWARD,
      [](unsigned position, const H5E_error2_t* error, void* to) noexcept -> herr_t {
        if (position == 0) *static_cast<const char**>(to) = error->desc;
        return 0;
      },
      &reason);
  return reason ? reason : "";
}

}  // namespace svrmu::io
