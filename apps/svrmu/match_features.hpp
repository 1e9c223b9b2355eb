// The features of new data in the order of a model's.
#pragma once

#include <string>
#include <vector>

#include "svrmu/io/files.hpp"

namespace svrmu::cli {

// Where each of the names is among the features of `file`; empty: they are the same. A name that is missing
// is InvalidData, or zero.
std::vector<Index> find_features(const io::MatrixFile& file, const std::vector<std::string>& names,
                                 bool missing_as_zero);
// `file` with its features so, in a copy of its values; others are left out. Their names are those of `file`.
io::MatrixFile with_features(const io::MatrixFile& file, const std::vector<Index>& from);

}  // namespace svrmu::cli
