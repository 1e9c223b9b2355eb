// Matrices as bytes, for any file that takes them.
#pragma once

#include "io/atomic_file.hpp"
#include "svrmu/io/files.hpp"

namespace svrmu::io {

template <class Scalar>
void put_npy(Sink& file, const DenseView<Scalar>& matrix);
template <class Scalar>
void put_delimited(Sink& file, const DenseView<Scalar>& matrix, const MatrixNames& names, char delimiter);
template <class Scalar>
void put_mtx(Sink& file, const DenseView<Scalar>& matrix);
template <class Scalar>
void put_mtx(Sink& file, const SparseMatrix<Scalar>& matrix);

}  // namespace svrmu::io
