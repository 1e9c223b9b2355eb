// One function per format: bytes in, matrix out, no files touched. They throw InvalidInput and nothing else.
#pragma once

#include <string>

#include "io/input.hpp"
#include "svrmu/io.hpp"

namespace svrmu::io {

MatrixFile parse_npy(const Input& input, const ReadOptions& options);
// `key` may be empty if there is one dense array or one scipy matrix.
MatrixFile parse_npz(const Input& input, const std::string& key, const ReadOptions& options);
MatrixFile parse_matrix_market(const Input& input, const ReadOptions& options);
MatrixFile parse_delimited(const Input& input, char delimiter, const ReadOptions& options);
// `variable` may be empty if there is one numeric matrix.
MatrixFile parse_mat5(const Input& input, const std::string& variable, const ReadOptions& options);

}  // namespace svrmu::io
