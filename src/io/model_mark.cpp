#include <filesystem>
#include <fstream>

#include "io/hdf5.hpp"
#include "io/model_seal.hpp"
#include "svrmu/io/model.hpp"

namespace svrmu::io {

bool is_model(const std::string& path) {
  std::error_code ignored;
  if (!std::filesystem::is_regular_file(path, ignored)) return false;  // a pipe can be read only once
  std::string head(16, '\0');
  std::ifstream(path, std::ios::binary).read(head.data(), static_cast<std::streamsize>(head.size()));
  if (begins_like_model(std::as_bytes(std::span(head)))) return true;
  if (!head.starts_with(h5_signature)) return false;
  const H5Silence silence;
  const H5Handle file(H5Fopen(path.c_str(), H5F_ACC_RDONLY, H5P_DEFAULT), H5Fclose);
  return file && H5Aexists(file.id(), "format") > 0 && H5Aexists(file.id(), "format_version") > 0 &&
         H5Lexists(file.id(), "W", H5P_DEFAULT) > 0;
}

}  // namespace svrmu::io
