// The "swimmer" pictures after Donoho & Stodden, "When does non-negative matrix factorization give a correct
// decomposition into parts?", NIPS 2003: a fixed torso and four limbs with four positions each, in all 4^4 =
// 256 combinations. Drawn here, not copied.
#pragma once

#include <cmath>
#include <numbers>
#include <svrmu/matrix.hpp>

namespace swimmer {

using svrmu::Index;

constexpr Index side = 32;  // pixels; a picture is a column of side * side values, row after row
constexpr Index limbs = 4;
constexpr Index positions = 4;
constexpr Index pictures = positions * positions * positions * positions;

struct Parts {
  svrmu::Matrix<float> torso;  // pixels x 1
  svrmu::Matrix<float> limb;   // pixels x 16: position p of limb l is column 4 l + p
};

inline Parts draw_parts() {
  Parts parts;
  parts.torso = svrmu::Matrix<float>::Zero(side * side, 1);
  parts.limb = svrmu::Matrix<float>::Zero(side * side, limbs * positions);
  for (Index row = 10; row <= 21; ++row)
    for (const Index column : {15, 16}) parts.torso(row * side + column, 0) = 1;

  constexpr double angles[positions] = {80, 47, 13, -20};  // degrees away from the middle of the body
  for (Index l = 0; l < limbs; ++l) {
    const bool left = l % 2 == 0;
    const bool arm = l < 2;
    for (Index p = 0; p < positions; ++p) {
      const double angle = angles[p] * std::numbers::pi / 180;
      for (double radius = 2.5; radius <= 9.5; radius += 0.25) {
        const double x = radius * std::cos(angle);
        const double y = radius * std::sin(angle);
        const Index column = std::lround(left ? 14.5 - x : 16.5 + x);
        const Index row = std::lround(arm ? 11 - y : 20 + y);
        for (const Index thick : {0, 1})
          parts.limb((row + (arm ? -thick : thick)) * side + column, 4 * l + p) = 1;
      }
    }
  }
  // Where a limb meets the torso, the pixel is the torso's.
  parts.limb = parts.limb.array().colwise() * (1 - parts.torso.col(0).array());
  return parts;
}

// All pictures: (side * side) x 256.
inline svrmu::Matrix<float> draw_pictures(const Parts& parts) {
  svrmu::Matrix<float> V(side * side, pictures);
  for (Index n = 0; n < pictures; ++n) {
    V.col(n) = parts.torso.col(0);
    for (Index l = 0, rest = n; l < limbs; ++l, rest /= positions)
      V.col(n) = V.col(n).cwiseMax(parts.limb.col(positions * l + rest % positions));
  }
  return V;
}

}  // namespace swimmer
