/// @file
/// The containers of the library and its one layout rule: K is contiguous everywhere.
#pragma once

#include <Eigen/Core>
#include <Eigen/SparseCore>
#include <cstdint>

// Eigen aligns and frees memory by this number, which it derives from the compiler's flags. Matrices pass
// between a program and this library, so the whole program must have the number of the library.
#if EIGEN_MAX_ALIGN_BYTES != 32
#error "svrmu: define EIGEN_MAX_ALIGN_BYTES=32 for the whole program, as CMake and pkg-config do"
#endif

namespace svrmu {

/// Sizes and places.
using Index = std::int64_t;

/// Columns contiguous: H (K x N), whose columns are samples, and dense V and R.
template <class Scalar>
using Matrix = Eigen::Matrix<Scalar, Eigen::Dynamic, Eigen::Dynamic, Eigen::ColMajor>;

/// Rows contiguous: W (F x K), whose rows are features.
template <class Scalar>
using RowMatrix = Eigen::Matrix<Scalar, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

/// Compressed by columns: sparse V and R.
template <class Scalar>
using SparseMatrix = Eigen::SparseMatrix<Scalar, Eigen::ColMajor, Index>;

}  // namespace svrmu
