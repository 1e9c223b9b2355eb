// Factors to start from.
#pragma once

#include <string>

#include "files.hpp"

namespace svrmu::cli {

// A factor from a file, which must be rows x columns.
template <class Scalar>
Matrix<Scalar> read_start(const std::string& path, Index rows, Index columns, const InputFlags& flags);

}  // namespace svrmu::cli
