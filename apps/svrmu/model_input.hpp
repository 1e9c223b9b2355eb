// Models that the command line names.
#pragma once

#include <string>

#include "svrmu/io/model.hpp"

namespace svrmu::cli {

// Warns of a model without a checksum.
io::AnyModel read_model(const std::string& path);

}  // namespace svrmu::cli
