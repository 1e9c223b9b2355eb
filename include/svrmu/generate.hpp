/// @file
/// Data whose parts are known, to try things out on.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

#include "svrmu/export.hpp"
#include "svrmu/matrix.hpp"

namespace svrmu {

/// How V is made.
enum class DataKind {
  lowrank_scaled,       ///< WH of half-normal factors, divided by its largest value.
  lowrank_clipped,      ///< The same, cut off at 1 as in the text of the paper: most entries are then 1.
  halfnormal_fullrank,  ///< min(|N(0, 1/sqrt(K))|, 1) in each entry, as in the author's program: no parts.
  swimmer,              ///< 256 pictures of 32 x 32 pixels: a torso and four limbs in four positions each.
};

/// The names of the enumerators, in their order.
constexpr auto choices(DataKind) {
  return std::array<std::string_view, 4>{"lowrank_scaled", "lowrank_clipped", "halfnormal_fullrank",
                                         "swimmer"};
}

namespace swimmer {
constexpr Index side = 32;      ///< A picture is a column of side x side pixels, its rows running fastest.
constexpr Index limbs = 4;      ///< Limbs of a figure.
constexpr Index positions = 4;  ///< Positions of each limb.
constexpr Index pictures = positions * positions * positions * positions;  ///< Samples: all combinations.
constexpr Index rank = 1 + limbs * positions;                              ///< Parts, the torso included.
}  // namespace swimmer

/// Sizes and disturbances of generated data. Those of DataKind::swimmer are fixed: it takes no sizes.
struct GenerateOptions {
  Index features = 300;      ///< Rows of V.
  Index samples = 1000;      ///< Columns of V.
  Index rank = 10;           ///< Parts.
  double noise = 0;          ///< Norm of the Gaussian noise over that of the data; negative sums become 0.
  double outliers = 0;       ///< Entries raised per sample, over the features; drawn with replacement.
  double outlier_least = 1;  ///< An outlier is at least this, times the largest value of V.
  double outlier_most = 3;   ///< An outlier is at most this, times the largest value of V.
  std::uint64_t seed = 0;    ///< The same seed gives the same data.
};

/// V and what it was made of.
template <class Scalar>
struct Generated {
  Matrix<Scalar> V;        ///< Features x samples, with noise and outliers.
  RowMatrix<Scalar> W;     ///< Features x rank: the parts. Empty for DataKind::halfnormal_fullrank.
  Matrix<Scalar> H;        ///< Rank x samples. Empty for DataKind::halfnormal_fullrank.
  SparseMatrix<Scalar> R;  ///< The outliers that were added. Empty without.
};

/// Makes data. The parts of DataKind::swimmer: the torso is column 0, position p of limb l is column 1 + 4 l
/// + p.
template <class Scalar>
SVRMU_API Generated<Scalar> generate(DataKind kind, const GenerateOptions& options = {});

}  // namespace svrmu
