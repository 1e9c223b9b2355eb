#include "io/hdf5.hpp"

namespace svrmu::io {

std::string h5_reason() {
  std::string reason;
  H5Ewalk2(
      H5E_DEFAULT, H5E_WALK_UPWARD,
      [](unsigned position, const H5E_error2_t* error, void* to) -> herr_t {
        if (position == 0 && error->desc) *static_cast<std::string*>(to) = error->desc;
        return 0;
      },
      &reason);
  return reason;
}

}  // namespace svrmu::io
