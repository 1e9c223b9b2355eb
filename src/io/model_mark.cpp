#include "io/hdf5.hpp"
#include "io/mapped_file.hpp"
#include "io/model_seal.hpp"
#include "svrmu/io/model.hpp"

namespace svrmu::io {

bool is_model(const std::string& path) {
  const std::string head = first_bytes(path, 16);
  if (begins_like_model(std::as_bytes(std::span(head)))) return true;
  if (!head.starts_with(h5_signature)) return false;
  return with_h5(h5_got_no_memory(path), [&] {
    const H5Handle file(H5Fopen(path.c_str(), H5F_ACC_RDONLY, H5P_DEFAULT), H5Fclose);
    return file && H5Aexists(file.id(), "format") > 0 && H5Aexists(file.id(), "format_version") > 0 &&
           H5Lexists(file.id(), "W", H5P_DEFAULT) > 0;
  });
}

}  // namespace svrmu::io
