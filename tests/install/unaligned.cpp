// A program whose matrices are aligned in another way than the library's: freeing one that the other
// allocated would corrupt the heap.
#undef EIGEN_MAX_ALIGN_BYTES
#define EIGEN_MAX_ALIGN_BYTES 16
#include <svrmu/svrmu.hpp>

int main() {}
