// Extrapolated HALS on a product U Z of low rank instead of V, in single precision: the cheap iterations of
// `fast` between two passes over V.
#pragma once

#include <functional>

#include "linalg/low_rank_step.hpp"
#include "solvers/momentum.hpp"

namespace svrmu::fast {

// V ~ U Z
struct LowRankProduct {
  LowRankFactor U;  // by columns: a stack's rows are columns of U
  LowRankFactor Z;
};

// The factors, with room for the iterate before.
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
  // Told the iteration's number and objective (without 1/2||V||^2), says whether to end.
  using Done = std::function<bool(int, double)>;

  // Iterates on (W, H) until `done`.
  void operator()(const LowRankProduct& V, const LowRankFactors& f, const Setting& setting,
                  Momentum& momentum, const Total& total, const Done& done);

 private:
  // What the next step of H needs of W.
  struct FromW {
    Matrix<float> WtU;
    Matrix<float> WtW;
  };
  static FromW from_W(const LowRankFactor& U, const RowMatrix<float>& W);
  HalfStep& move_H(const LowRankProduct& V, const FromW& from, const LowRankFactors& f,
                   const Setting& setting, float past, float beyond);
  const HalfStep& move_W(const LowRankProduct& V, const HalfStep& h, const LowRankFactors& f,
                         const Setting& setting, float past, float beyond);

  LowRankStep on_h_;
  LowRankStep on_w_;
};

}  // namespace svrmu::fast
