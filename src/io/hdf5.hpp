// HDF5's C interface with owners that close what was opened.
#pragma once

#include <hdf5.h>

#include <string>
#include <utility>

namespace svrmu::io {

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

// While one lives, HDF5 keeps its errors to itself instead of printing them.
class H5Silence {
 public:
  H5Silence() {
    H5Eget_auto2(H5E_DEFAULT, &function_, &data_);
    H5Eset_auto2(H5E_DEFAULT, nullptr, nullptr);
  }
  ~H5Silence() { H5Eset_auto2(H5E_DEFAULT, function_, data_); }
  H5Silence(const H5Silence&) = delete;
  H5Silence& operator=(const H5Silence&) = delete;

 private:
  H5E_auto2_t function_ = nullptr;
  void* data_ = nullptr;
};

// The innermost reason of HDF5's last failure, for a message; empty if there is none.
std::string h5_reason();

}  // namespace svrmu::io
