// HDF5's C interface with owners that close what was opened.
#pragma once

#include <hdf5.h>

#include <mutex>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "io/input.hpp"

namespace svrmu::io {

// How HDF5's part of a file begins, at byte 0, 512, 1024, 2048, ...
constexpr std::string_view h5_signature = "\x89HDF\r\n\x1a\n";

// An identifier of HDF5 and the function that gives it back. Negative: nothing was opened.
class H5Handle {
 public:
  using Close = herr_t (*)(hid_t);

  H5Handle() = default;
  H5Handle(hid_t id, Close close) : id_(id), close_(close) {}
  H5Handle(H5Handle&& other) noexcept
      : id_(std::exchange(other.id_, H5I_INVALID_HID)), close_(other.close_) {}
  H5Handle& operator=(H5Handle&& other) noexcept {
    std::swap(id_, other.id_);
    std::swap(close_, other.close_);
    return *this;
  }
  ~H5Handle() {
    if (id_ >= 0) close_(id_);
  }

  explicit operator bool() const { return id_ >= 0; }
  hid_t id() const { return id_; }

 private:
  hid_t id_ = H5I_INVALID_HID;
  Close close_ = nullptr;
};

// While one lives, HDF5 keeps its errors to itself instead of printing them, and is this thread's alone: not
// every build of it can be called by two at a time.
class H5Silence {
 public:
  H5Silence() : turn_(turns()), outer_(std::exchange(innermost(), this)) {
    H5Eget_auto2(H5E_DEFAULT, &function_, &data_);
    H5Eset_auto2(H5E_DEFAULT, note_failure, this);
  }
  ~H5Silence() {
    H5Eset_auto2(H5E_DEFAULT, function_, data_);
    innermost() = outer_;
  }
  H5Silence(const H5Silence&) = delete;
  H5Silence& operator=(const H5Silence&) = delete;

  bool lacked_memory() const { return lacked_memory_; }

  // Whose turn it is to call HDF5.
  static std::recursive_mutex& turns();

  // The call of HDF5 under way fails because we refuse it memory: that is no lack of it.
  static void note_refusal() noexcept {
    if (innermost()) innermost()->refused_ = true;
  }

 private:
  static H5Silence*& innermost() noexcept;
  static herr_t note_failure(hid_t stack, void* silence) noexcept;

  mutable bool lacked_memory_ = false;
  mutable bool refused_ = false;
  const std::lock_guard<std::recursive_mutex> turn_;
  H5Silence* const outer_;
  H5E_auto2_t function_ = nullptr;
  void* data_ = nullptr;
};

// body() in silence: each function that calls HDF5 for a user does so through it. Where HDF5 had too little
// memory it is ResourceLimit with this complaint, whatever came out: what HDF5 could not look up seems not to
// be there.
template <class Body>
auto with_h5(const std::string& complaint, const Body& body) {
  const H5Silence silence;
  try {
    auto result = body();
    if (!silence.lacked_memory()) return result;
  } catch (...) {
    if (!silence.lacked_memory()) throw;
  }
  throw ResourceLimit(complaint);
}

// The complaint about a file that is read. Damaged sizes and a small machine look the same.
std::string h5_got_no_memory(const std::string& name);

// A name for a file in memory. HDF5 takes files of the same name for the same file: each has the number of
// its property list in it, which HDF5 gives out once.
std::string h5_unique_name(const std::string& name, const H5Handle& access);

// Properties of a file in memory; negative if HDF5 fails.
H5Handle h5_memory_access();

// Opens the bytes of a file where they are; they must outlive it. Negative if they are no file of HDF5.
H5Handle open_h5_image(const std::string& name, Bytes bytes);

// The bytes of a file in memory that was made or opened with `access`, its user block included, from where
// HDF5 has them. Empty if HDF5 fails. Valid while the file is open and nothing more is written.
std::span<char> h5_image(const H5Handle& file, const H5Handle& access);

// The innermost reason of HDF5's last failure, for a message; empty if there is none.
std::string h5_reason();

}  // namespace svrmu::io
