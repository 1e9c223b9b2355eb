// Models of older versions, which have no seal: what libhdf5 finds in them cannot be trusted.
#pragma once

#include <string>

#include "svrmu/export.hpp"
#include "svrmu/io/model.hpp"

namespace svrmu::io {

// True if the file is an ordinary one and is HDF5 from its first byte on.
SVRMU_API bool lacks_seal(const std::string& path);

// The bytes of the same model in a sealed file.
SVRMU_API std::string sealed_bytes(const std::string& path);

// A model from such bytes; `name` is for messages.
SVRMU_API AnyModel model_of_bytes(const std::string& name, const std::string& bytes);

}  // namespace svrmu::io
