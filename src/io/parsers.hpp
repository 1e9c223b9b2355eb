// One function per format: bytes in, matrix out. They throw InvalidInput, where memory ends
// std::bad_alloc or ResourceLimit, and nothing else. No files are
// touched, except that HDF5 opens a mapped file by its name.
#pragma once

#include <string>

#include "io/input.hpp"
#include "svrmu/io/files.hpp"

namespace svrmu::io {

MatrixFile parse_npy(const Input& input, const ReadOptions& options);
// `key` may be empty if there is one dense array or one scipy matrix.
MatrixFile parse_npz(const Input& input, const std::string& key, const ReadOptions& options);
MatrixFile parse_matrix_market(const Input& input, const ReadOptions& options);
// `usual` is the delimiter that the format promises; ' ' promises nothing.
MatrixFile parse_delimited(const Input& input, char usual, const ReadOptions& options);
// Names alone: of a .npy, of lines (delimiter '\0'), or of a column, which may be empty if there is one.
std::vector<std::string> parse_names(const Input& input, char delimiter, const std::string& column);
// `variable` may be empty if there is one numeric matrix.
MatrixFile parse_mat5(const Input& input, const std::string& variable, const ReadOptions& options);
MatrixFile parse_mat73(const Input& input, const std::string& variable, const ReadOptions& options);
// `member` is the path of a matrix in the file; it may be empty if there is one.
MatrixFile parse_h5(const Input& input, const std::string& member, const ReadOptions& options);
// `member` may be empty: X.
MatrixFile parse_h5ad(const Input& input, const std::string& member, const ReadOptions& options);

}  // namespace svrmu::io
