#include "linalg/kernels.hpp"

namespace svrmu {

namespace baseline {
extern const Kernels<float> table_float;
extern const Kernels<double> table_double;
}  // namespace baseline

#if defined(SVRMU_HAVE_AVX2_KERNELS)
namespace avx2 {
extern const Kernels<float> table_float;
extern const Kernels<double> table_double;
}  // namespace avx2

namespace {
bool has_avx2() {
  static const bool yes = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
  return yes;
}
}  // namespace

template <>
const Kernels<float>& kernels<float>() {
  return has_avx2() ? avx2::table_float : baseline::table_float;
}
template <>
const Kernels<double>& kernels<double>() {
  return has_avx2() ? avx2::table_double : baseline::table_double;
}
#else
template <>
const Kernels<float>& kernels<float>() {
  return baseline::table_float;
}
template <>
const Kernels<double>& kernels<double>() {
  return baseline::table_double;
}
#endif

}  // namespace svrmu
