#include "solvers/fast/low_rank_hals.hpp"

#include <limits>

#include "linalg/low_rank.hpp"

namespace svrmu::fast {
namespace {

double penalty_of(Shrink<float> shrink, double sum, const Matrix<double>& gram) {
  return static_cast<double>(shrink.l1) * sum + static_cast<double>(shrink.l2) / 2 * gram.trace();
}

// 1/2||WH||^2 - <V, WH> and penalties, for H as extrapolated and W as it is.
double objective_of(const HalfStep& h, const HalfStep& w, const LowRankHals::Setting& setting) {
  return w.plain.cwiseProduct(h.gram).sum() / 2 - w.fit + penalty_of(setting.on_w, w.sum, w.plain) +
         penalty_of(setting.on_h, h.sum, h.gram);
}

}  // namespace

void LowRankHals::operator()(const LowRankProduct& V, const LowRankFactors& f, const Setting& setting,
                             Momentum& momentum, const Total& total, const Done& done) {
  f.spare_W.resize(f.W.rows(), f.W.cols());
  f.spare_H.resize(f.H.rows(), f.H.cols());
  FromW from = from_W(V.U, f.W);
  double last = std::numeric_limits<double>::infinity();
  float past = 0;
  for (int i = 1;; ++i) {
    const auto beyond = static_cast<float>(momentum.weight);
    HalfStep& h = move_H(V, from, f, setting, past, beyond);
    total(h);
    const HalfStep& w = move_W(V, h, f, setting, past, beyond);
    const double value = objective_of(h, w, setting);
    if (value > last) {  // the iteration is made again, from the iterate itself
      momentum.reject();
      past = 0;
      from = from_W(V.U, f.W);
    } else {
      momentum.accept();
      past = beyond;
      f.W.swap(f.spare_W);
      f.H.swap(f.spare_H);
      from = {w.cross.transpose().cast<float>(), w.gram.cast<float>()};
    }
    last = value;
    if (done(i, value)) return;
  }
}

// W'U and W'W of W as it is.
LowRankHals::FromW LowRankHals::from_W(const LowRankFactor& U, const RowMatrix<float>& W) {
  const Index K = W.cols();
  Matrix<float> UtW(rows_of(U), K);
  Index row = 0;
  for (const RowStack& stack : U) {
    UtW.middleRows(row, stack.rows) = cross_sum(stack.data, stack.rows, W.data(), K, W.rows()).cast<float>();
    row += stack.rows;
  }
  return {UtW.transpose(), cross_sum(W.data(), K, W.data(), K, W.rows()).cast<float>()};
}

// H <- sweeps with W'V = (W'U) Z
HalfStep& LowRankHals::move_H(const LowRankProduct& V, const FromW& from, const LowRankFactors& f,
                              const Setting& setting, float past, float beyond) {
  return on_h_({.factor = V.Z,
                .count = f.H.cols(),
                .now = f.H.data(),
                .before = f.spare_H.data(),
                .coefficients = &from.WtU,
                .G = &from.WtW,
                .shrink = setting.on_h,
                .sweeps = setting.sweeps,
                .past = past,
                .beyond = beyond});
}

// W <- sweeps with V H' = U (Z H')
const HalfStep& LowRankHals::move_W(const LowRankProduct& V, const HalfStep& h, const LowRankFactors& f,
                                    const Setting& setting, float past, float beyond) {
  const Matrix<float> HZt = h.cross.transpose().cast<float>();
  const Matrix<float> HHt = h.gram.cast<float>();
  return on_w_({.factor = V.U,
                .count = f.W.rows(),
                .now = f.W.data(),
                .before = f.spare_W.data(),
                .coefficients = &HZt,
                .G = &HHt,
                .shrink = setting.on_w,
                .sweeps = setting.sweeps,
                .past = past,
                .beyond = beyond,
                .measure = true});
}

}  // namespace svrmu::fast
