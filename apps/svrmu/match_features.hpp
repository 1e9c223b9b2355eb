// The features of new data in the order of a model's.
#pragma once

#include <string>
#include <vector>

#include "svrmu/io/files.hpp"

namespace svrmu::cli {

// `file` with the features `names`, in that order; features that are not among them are left out. A name that
// is missing is InvalidData, or zero. Without a change the file itself is given back.
io::MatrixFile match_features(const io::MatrixFile& file, const std::vector<std::string>& names,
                              bool missing_as_zero);

}  // namespace svrmu::cli
