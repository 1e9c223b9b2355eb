#define SVRMU_KERNEL_SET baseline
#include "linalg/kernels_body.hpp"
