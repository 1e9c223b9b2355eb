// BLAS on column-major arrays, one thread per call.
#pragma once

#include "svrmu/matrix.hpp"

namespace svrmu {

enum class Op { plain, transposed };

// C <- alpha op(A) op(B) + beta C with C m x n and k terms; leading dimensions lda, ldb, ldc.
void gemm(Op a, Op b, Index m, Index n, Index k, double alpha, const double* A, Index lda, const double* B,
          Index ldb, double beta, double* C, Index ldc);
void gemm(Op a, Op b, Index m, Index n, Index k, float alpha, const float* A, Index lda, const float* B,
          Index ldb, float beta, float* C, Index ldc);

// While one lives, OpenBLAS does not start threads of its own; the user's setting comes back with the last of
// them.
class SingleThreadedBlas {
 public:
  SingleThreadedBlas();
  ~SingleThreadedBlas();
  SingleThreadedBlas(const SingleThreadedBlas&) = delete;
  SingleThreadedBlas& operator=(const SingleThreadedBlas&) = delete;
};

// Ends the threads that OpenBLAS started when it was loaded: they keep a core busy for a tenth of a second,
// and svrmu brings its own. For the beginning of a program: nothing else may be using BLAS.
void end_blas_threads();

}  // namespace svrmu
