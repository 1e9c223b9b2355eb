#include "solvers/fast/low_rank_hals.hpp"

#include <limits>

#include "linalg/low_rank.hpp"

namespace svrmu::fast {
namespace {

double penalty_of(Shrink<float> shrink, double sum, const Matrix<double>& gram) {
  return static_cast<double>(shrink.l1) * sum + static_cast<double>(shrink.l2) / 2 * gram.trace();
}

// 1/2||W Hy||^2 - <U Z, W Hy> and penalties, for W as it is and H extrapolated: of_W.plain is W'W, of_H.gram
// is Hy Hy', and of_W.fit is the inner product.
double objective_of(const HalfStep& of_H, const HalfStep& of_W, const LowRankHals::Setting& setting) {
  return of_W.plain.cwiseProduct(of_H.gram).sum() / 2 - of_W.fit +
         penalty_of(setting.on_w, of_W.sum, of_W.plain) + penalty_of(setting.on_h, of_H.sum, of_H.gram);
}

}  // namespace

// 3. and 4. An iteration moves H and then W. `past` is the weight with which the present iterate was
// extrapolated: sweeps begin there. `beyond` is the weight with which the new one is: the other factor is
// swept with its products. f ends as the last iterate that was accepted, not extrapolated.
void LowRankHals::operator()(const LowRankProduct& product, const LowRankFactors& f, const Setting& setting,
                             Momentum& momentum, const Total& total, const Done& done) {
  f.spare_W.resize(f.W.rows(), f.W.cols());
  f.spare_H.resize(f.H.rows(), f.H.cols());
  FromW from = from_W(product.U, f.W);
  double last = std::numeric_limits<double>::infinity();
  float past = 0;
  for (int i = 1;; ++i) {
    const auto beyond = static_cast<float>(momentum.weight);
    HalfStep& of_H = move_H(product, from, f, setting, past, beyond);
    total(of_H);
    const HalfStep& of_W = move_W(product, of_H, f, setting, past, beyond);
    const double value = objective_of(of_H, of_W, setting);
    if (value > last) {  // the iteration is made again, from the iterate itself
      momentum.reject();
      past = 0;
      from = from_W(product.U, f.W);
    } else {
      momentum.accept();
      past = beyond;
      f.W.swap(f.spare_W);
      f.H.swap(f.spare_H);
      from = {of_W.cross.transpose().cast<float>(), of_W.gram.cast<float>()};
    }
    // That of a rejected iteration, too: what is made in its stead has to be better than that one only, since
    // its H is extrapolated again. The pass over V that follows judges the result.
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

// H <- sweeps with (W'U) Z and W'W
HalfStep& LowRankHals::move_H(const LowRankProduct& product, const FromW& from, const LowRankFactors& f,
                              const Setting& setting, float past, float beyond) {
  return on_h_({.factor = product.Z,
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

// W <- sweeps with U (Z H') and H H'
const HalfStep& LowRankHals::move_W(const LowRankProduct& product, const HalfStep& of_H,
                                    const LowRankFactors& f, const Setting& setting, float past,
                                    float beyond) {
  const Matrix<float> HZt = of_H.cross.transpose().cast<float>();
  const Matrix<float> HHt = of_H.gram.cast<float>();
  return on_w_({.factor = product.U,
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
