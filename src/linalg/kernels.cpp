#include "linalg/kernels.hpp"

namespace svrmu {

#define SVRMU_DECLARE_TABLES(set)            \
  namespace set {                            \
  extern const Kernels<float> table_float;   \
  extern const Kernels<double> table_double; \
  }
SVRMU_DECLARE_TABLES(baseline)
#if defined(SVRMU_HAVE_X86_KERNELS)
SVRMU_DECLARE_TABLES(avx2)
SVRMU_DECLARE_TABLES(avx512)
#endif
#undef SVRMU_DECLARE_TABLES

namespace {

struct Tables {
  const Kernels<float>& in_float;
  const Kernels<double>& in_double;
};

// The widest set that this processor has: x86-64-v4, v3, or what every processor has.
Tables choose() {
#if defined(SVRMU_HAVE_X86_KERNELS)
  if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") &&
      __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512vl"))
    return {avx512::table_float, avx512::table_double};
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma"))
    return {avx2::table_float, avx2::table_double};
#endif
  return {baseline::table_float, baseline::table_double};
}

const Tables& tables() {
  static const Tables chosen = choose();
  return chosen;
}

}  // namespace

template <>
const Kernels<float>& kernels<float>() {
  return tables().in_float;
}
template <>
const Kernels<double>& kernels<double>() {
  return tables().in_double;
}

}  // namespace svrmu
