// Random matrices that are the same on every machine: they come from the library's counter-based numbers.
#pragma once

#include <cstdint>

#include "data/random.hpp"
#include "svrmu/matrix.hpp"

namespace svrmu {

// Uniform in (low, low + 1).
template <class M = Matrix<double>>
M random_matrix(Index rows, Index cols, std::uint64_t seed, double low = 0) {
  const Random random(seed, Purpose::sketch);
  M out(rows, cols);
  for (Index j = 0; j < cols; ++j)
    for (Index i = 0; i < rows; ++i) out(i, j) = static_cast<typename M::Scalar>(low + random.uniform(i, j));
  return out;
}

}  // namespace svrmu
