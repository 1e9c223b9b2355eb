// Matrices in datasets of an untrusted HDF5 file, dense or of three lists.
#pragma once

#include "io/h5_array.hpp"
#include "svrmu/io/files.hpp"

namespace svrmu::io {

// The last dimension of HDF5 runs fastest. `reversed`: the program that wrote it counts dimensions the other
// way round, as MATLAB does.
MatrixFile read_dense(const H5Array& array, bool reversed, const ReadOptions& options);

// A sparse matrix of three arrays; MATLAB leaves out `values` and `indices` if there are none.
struct H5Compressed {
  std::string name;
  std::optional<H5Array> values;
  std::optional<H5Array> indices;
  H5Array offsets;
};
MatrixFile read_compressed(const H5Compressed& arrays, Index rows, Index columns, Layout layout,
                           const ReadOptions& options);

}  // namespace svrmu::io
