#define SVRMU_KERNEL_SET avx512
#define SVRMU_VECTOR_BYTES 64
#include "linalg/kernels_body.hpp"
