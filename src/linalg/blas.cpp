#include "linalg/blas.hpp"

#include <cblas.h>

#include <mutex>

// What OpenBLAS itself calls before a fork; other libraries have no such function.
extern "C" [[gnu::weak]] int blas_thread_shutdown_();

namespace svrmu {
namespace {

CBLAS_TRANSPOSE flag(Op op) { return op == Op::plain ? CblasNoTrans : CblasTrans; }
int narrow(Index n) { return static_cast<int>(n); }

std::mutex users_mutex;
int users = 0;
int threads_before = 1;

}  // namespace

void end_blas_threads() {
  openblas_set_num_threads(1);
  if (blas_thread_shutdown_ != nullptr) blas_thread_shutdown_();
}

void gemm(Op a, Op b, Index m, Index n, Index k, double alpha, const double* A, Index lda, const double* B,
          Index ldb, double beta, double* C, Index ldc) {
  if (m == 0 || n == 0) return;
  cblas_dgemm(CblasColMajor, flag(a), flag(b), narrow(m), narrow(n), narrow(k), alpha, A, narrow(lda), B,
              narrow(ldb), beta, C, narrow(ldc));
}

void gemm(Op a, Op b, Index m, Index n, Index k, float alpha, const float* A, Index lda, const float* B,
          Index ldb, float beta, float* C, Index ldc) {
  if (m == 0 || n == 0) return;
  cblas_sgemm(CblasColMajor, flag(a), flag(b), narrow(m), narrow(n), narrow(k), alpha, A, narrow(lda), B,
              narrow(ldb), beta, C, narrow(ldc));
}

SingleThreadedBlas::SingleThreadedBlas() {
  const std::lock_guard lock(users_mutex);
  if (users++ > 0) return;
  threads_before = openblas_get_num_threads();
  // Setting it starts threads where there are none.
  if (threads_before != 1) openblas_set_num_threads(1);
}

SingleThreadedBlas::~SingleThreadedBlas() {
  const std::lock_guard lock(users_mutex);
  if (--users == 0 && threads_before != 1) openblas_set_num_threads(threads_before);
}

}  // namespace svrmu
