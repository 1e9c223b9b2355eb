// The kernels of every instruction set that this processor has.
#pragma once

#include <gtest/gtest.h>

#include <vector>

#include "linalg/kernels.hpp"
#include "matrices.hpp"

namespace svrmu {

namespace baseline {
extern const Kernels<float> table_float;
extern const Kernels<double> table_double;
}  // namespace baseline
#if defined(__x86_64__)
namespace avx2 {
extern const Kernels<float> table_float;
extern const Kernels<double> table_double;
}  // namespace avx2
namespace avx512 {
extern const Kernels<float> table_float;
extern const Kernels<double> table_double;
}  // namespace avx512
#endif

template <class Scalar>
std::vector<Kernels<Scalar>> tables() {
  constexpr bool single = sizeof(Scalar) == 4;
  std::vector<Kernels<Scalar>> list;
  if constexpr (single)
    list.push_back(baseline::table_float);
  else
    list.push_back(baseline::table_double);
#if defined(__x86_64__)
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) {
    if constexpr (single)
      list.push_back(avx2::table_float);
    else
      list.push_back(avx2::table_double);
  }
  if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") &&
      __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512vl")) {
    if constexpr (single)
      list.push_back(avx512::table_float);
    else
      list.push_back(avx512::table_double);
  }
#endif
  return list;
}

// Each test runs on every table that this processor has, against a loop in double.
template <class Scalar>
class KernelTables : public testing::Test {
 protected:
  using Column = Eigen::Matrix<Scalar, Eigen::Dynamic, 1>;
  static Column column(Index n, std::uint64_t seed, double low = 0.1) {
    return random_matrix<Matrix<Scalar>>(n, 1, seed, low);
  }
  static constexpr Index lengths[13] = {0, 1, 3, 4, 7, 8, 15, 16, 17, 31, 33, 64, 100};
};

}  // namespace svrmu
