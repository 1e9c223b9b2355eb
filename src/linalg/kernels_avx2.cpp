#define SVRMU_KERNEL_SET avx2
#include "linalg/kernels_body.hpp"
