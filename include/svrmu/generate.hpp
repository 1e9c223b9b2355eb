// Data whose parts are known, for trying things out.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

#include "svrmu/matrix.hpp"

namespace svrmu {

enum class DataKind {
  lowrank_scaled,       // WH of half-normal factors, divided by its largest value
  lowrank_clipped,      // the same, cut off at 1 as the text of the paper has it: most entries are then 1
  halfnormal_fullrank,  // min(|N(0, 1/sqrt(K))|, 1) entry by entry, as the author's program has it: no parts
  swimmer,              // 256 pictures of 32 x 32 pixels: a torso and four limbs in four positions each
};

constexpr auto choices(DataKind) {
  return std::array<std::string_view, 4>{"lowrank_scaled", "lowrank_clipped", "halfnormal_fullrank",
                                         "swimmer"};
}

// The sizes of swimmer are fixed.
namespace swimmer {
constexpr Index side = 32;  // a picture is a column of side * side pixels, its rows running fastest
constexpr Index limbs = 4;
constexpr Index positions = 4;
constexpr Index pictures = positions * positions * positions * positions;
constexpr Index rank = 1 + limbs * positions;
}  // namespace swimmer

struct GenerateOptions {
  Index features = 300;
  Index samples = 1000;
  Index rank = 10;
  double noise = 0;          // norm of the Gaussian noise over that of the data; what falls below 0 becomes 0
  double outliers = 0;       // entries raised per sample, as a share of the features (drawn with replacement)
  double outlier_least = 1;  // an outlier is uniform between these, times the largest value
  double outlier_most = 3;
  std::uint64_t seed = 0;
};

template <class Scalar>
struct Generated {
  Matrix<Scalar> V;        // features x samples, with noise and outliers
  RowMatrix<Scalar> W;     // features x rank: the parts; empty for halfnormal_fullrank
  Matrix<Scalar> H;        // rank x samples; empty for halfnormal_fullrank
  SparseMatrix<Scalar> R;  // the outliers added; empty without
};

// The parts of swimmer: the torso is column 0, position p of limb l is column 1 + 4 l + p.
template <class Scalar>
Generated<Scalar> generate(DataKind kind, const GenerateOptions& options = {});

}  // namespace svrmu
