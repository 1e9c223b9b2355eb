// What is made of an open HDF5 file: one function per kind of file.
#pragma once

#include <string>
#include <vector>

#include "io/h5_matrix.hpp"
#include "svrmu/io/files.hpp"

namespace svrmu::io {

// `member` is the path of a matrix; it may be empty if there is one.
MatrixFile read_h5(const H5Object& root, const std::string& member, const ReadOptions& options);
// `member` may be empty: X.
MatrixFile read_h5ad(const H5Object& root, const std::string& member, const ReadOptions& options);
// `variable` may be empty if there is one numeric matrix.
MatrixFile read_mat73(const H5Object& root, const std::string& variable, const ReadOptions& options);

// AnnData's sparse matrices; empty if the group is none, else "csr" or "csc".
std::string sparse_format(const H5Object& group);
// AnnData's dense or sparse matrix, without names.
MatrixFile read_anndata_matrix(const H5Object& object, const ReadOptions& options);

// Names for every row or column, or an error.
void check_names(const std::string& name, const std::vector<std::string>& names, Index count,
                 const std::string& of);
}  // namespace svrmu::io
