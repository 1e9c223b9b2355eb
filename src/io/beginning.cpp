// What the first bytes of a file say.
#include "io/hdf5.hpp"
#include "io/model_seal.hpp"
#include "svrmu/io/files.hpp"

namespace svrmu::io {

std::string_view ending_by_content(std::string_view first_bytes) {
  struct Beginning {
    std::string_view bytes;
    std::string_view ending;
  };
  static constexpr Beginning beginnings[] = {
      {"\x93NUMPY", ".npy"},  {"PK\x03\x04", ".npz"}, {"PK\x05\x06", ".npz"}, {"%%MatrixMarket", ".mtx"},
      {"MATLAB 5.0", ".mat"}, {"MATLAB 7.3", ".mat"}, {h5_signature, ".h5"},  {"\x1f\x8b", ".gz"},
  };
  for (const Beginning& beginning : beginnings)
    if (first_bytes.starts_with(beginning.bytes)) return beginning.ending;
  return begins_like_model(std::as_bytes(std::span(first_bytes))) ? ".h5" : std::string_view();
}

}  // namespace svrmu::io
