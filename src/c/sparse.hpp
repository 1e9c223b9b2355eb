// Sparse matrices of the caller's: views where the library can use them as they lie, else copies.
#pragma once

#include <memory>

#include "svrmu/c.h"
#include "svrmu/source.hpp"

namespace svrmu::c {

// V, and what of it is not in the caller's memory.
template <class Scalar>
struct SparseView {
  std::unique_ptr<MatrixSource<Scalar>> source;
  Index copied_bytes = 0;
};

// Sizes, pointers and offsets: InvalidInput by name. Nothing else may be read before.
void check_sparse(const svrmu_sparse& V);

// V of a matrix that was checked. An index outside of it is InvalidData.
template <class Scalar>
SparseView<Scalar> view_of(const svrmu_sparse& V);

}  // namespace svrmu::c
