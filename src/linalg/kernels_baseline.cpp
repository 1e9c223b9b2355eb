#define SVRMU_KERNEL_SET baseline
#define SVRMU_VECTOR_BYTES 16
#include "linalg/kernels_body.hpp"
