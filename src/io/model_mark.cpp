#include <filesystem>

#include "io/hdf5.hpp"
#include "svrmu/io/model.hpp"

namespace svrmu::io {

bool is_model(const std::string& path) {
  std::error_code error;
  if (!std::filesystem::is_regular_file(path, error)) return false;  // a pipe would wait for a writer
  const H5Silence silence;
  if (H5Fis_hdf5(path.c_str()) <= 0) return false;
  const H5Handle file(H5Fopen(path.c_str(), H5F_ACC_RDONLY, H5P_DEFAULT), H5Fclose);
  return file && H5Aexists(file.id(), "format") > 0 && H5Aexists(file.id(), "format_version") > 0 &&
         H5Lexists(file.id(), "W", H5P_DEFAULT) > 0;
}

}  // namespace svrmu::io
