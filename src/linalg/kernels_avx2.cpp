#define SVRMU_KERNEL_SET avx2
#define SVRMU_VECTOR_BYTES 32
#include "linalg/kernels_body.hpp"
