// Refuses outputs that cannot be made or would destroy something, before the work begins.
#pragma once

#include <string>
#include <vector>

namespace svrmu::cli {

// Refuses a target that already exists (unless forced) or cannot be made.
void check_target(const std::string& path, bool force);
// The same for a matrix, whose ending must tell how to write it.
void check_matrix_target(const std::string& path, bool force);

// Refuses outputs that are an input or each other, however they are spelled or linked. An input may name a
// member, or be a folder whose files are read. An output that is a folder is one for figures. Empty names and
// streams do not count.
void check_distinct(const std::vector<std::string>& inputs, const std::vector<std::string>& outputs);

// "cells.h5ad:layers/counts" -> "cells.h5ad", unless there is a file of the whole name.
std::string file_of_input(const std::string& path);

}  // namespace svrmu::cli
