// HALS with extrapolation on a product U Z of low rank instead of V, in single precision: steps 3 and 4 of
// fast.cpp, the cheap iterations between two passes over V.
#pragma once

#include <functional>

#include "linalg/low_rank_step.hpp"
#include "solvers/momentum.hpp"

namespace svrmu::fast {

// U Z, which is iterated on instead of V. For the surrogate U is [S T D] and Z is [Y; Hs], for the subset
// they are S and S'v.
struct LowRankProduct {
  LowRankFactor U;  // holds U', and so [S'; T'; D']: a matrix stored by rows is its transpose by columns
  LowRankFactor Z;
};

// The factors, and the iterate before: a new one is written over it, and swapped with f if it is accepted.
struct LowRankFactors {
  RowMatrix<float>& W;
  Matrix<float>& H;
  RowMatrix<float>& spare_W;
  Matrix<float>& spare_H;
};

class LowRankHals {
 public:
  struct Setting {
    Shrink<float> on_w;
    Shrink<float> on_h;
    int sweeps = 4;
  };
  // Totals what a half step summed over the columns of one team member.
  using Total = std::function<void(HalfStep&)>;
  // Told the iteration's number and objective (without 1/2||UZ||^2), says whether to end.
  using Done = std::function<bool(int, double)>;

  // Iterates on (W, H) until `done`.
  void operator()(const LowRankProduct& product, const LowRankFactors& f, const Setting& setting,
                  Momentum& momentum, const Total& total, const Done& done);

 private:
  // What the next step of H needs of W.
  struct FromW {
    Matrix<float> WtU;
    Matrix<float> WtW;
  };
  static FromW from_W(const LowRankFactor& U, const RowMatrix<float>& W);
  HalfStep& move_H(const LowRankProduct& product, const FromW& from, const LowRankFactors& f,
                   const Setting& setting, float past, float beyond);
  const HalfStep& move_W(const LowRankProduct& product, const HalfStep& of_H, const LowRankFactors& f,
                         const Setting& setting, float past, float beyond);

  LowRankStep on_h_;
  LowRankStep on_w_;
};

}  // namespace svrmu::fast
