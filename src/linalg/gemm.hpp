// Matrix products of column-major arrays, made for a short side (K, or the rank of a model) on the calling
// thread. BLAS spends as long on packing such matrices as on multiplying them.
#pragma once

#include "svrmu/matrix.hpp"

namespace svrmu {

enum class Op { plain, transposed };

// C <- alpha op(A) op(B) + beta C with C m x n and k terms; leading dimensions lda, ldb, ldc. C is not read
// where beta is 0; elsewhere the product is summed by itself first, so that long sums made of many products
// keep their digits.
template <class Scalar>
void gemm(Op a, Op b, Index m, Index n, Index k, Scalar alpha, const Scalar* A, Index lda, const Scalar* B,
          Index ldb, Scalar beta, Scalar* C, Index ldc);

}  // namespace svrmu
