// Counts of 10x Genomics: features x cells, compressed by columns, with names.
#pragma once

#include <string>
#include <vector>

#include "svrmu/io/files.hpp"

namespace svrmu::io {

struct H5Object;

bool is_tenx(const H5Object& group);
MatrixFile read_tenx(const H5Object& group, const ReadOptions& options);

// Names of features, with the identifier behind a name that is not unique. Either list may be empty.
std::vector<std::string> feature_names(std::vector<std::string> names, const std::vector<std::string>& ids);

}  // namespace svrmu::io
