// Random numbers that are a function of (seed, purpose, place), so that threads, processes and resumed runs
// agree. Philox4x32-10: Salmon, Moraes, Dror & Shaw, "Parallel random numbers: as easy as 1, 2, 3", SC 2011.
#pragma once

#include <array>
#include <cstdint>

#include "svrmu/export.hpp"
#include "svrmu/matrix.hpp"

namespace svrmu {

enum class Purpose : std::uint32_t {
  start_w = 1,
  start_h,
  start_r,
  order,
  sketch,
  fill_w,
  fill_h,
  made_w,
  made_h,
  made_noise,
  made_outliers,
  subset,
  swap
};

class SVRMU_API Random {
 public:
  Random(std::uint64_t seed, Purpose purpose);

  // 128 bits for the place (i, j).
  std::array<std::uint32_t, 4> bits(std::uint64_t i, std::uint64_t j) const;
  // In (0, 1), never an end point.
  double uniform(Index i, Index j) const;
  double normal(Index i, Index j) const;
  // For kernels that make many at once.
  const std::uint32_t* key() const { return key_; }
  // In {0, ..., below - 1}.
  Index integer(Index below, Index i, Index j) const;

 private:
  std::uint32_t key_[2];
};

}  // namespace svrmu
