#include "solvers/surrogate.hpp"

#include <limits>
#include <utility>

namespace svrmu {
namespace {

double penalty(Shrink<float> shrink, double sum, const Matrix<double>& gram) {
  return static_cast<double>(shrink.l1) * sum + static_cast<double>(shrink.l2) / 2 * gram.trace();
}

// D X' of a factor as it is (rows of D by K).
Matrix<float> cross_with(const ModelParts& D, const float* X, Index K, Index count) {
  Index rank = 0;
  for (const ModelPart& part : D) rank += part.rows;
  Matrix<float> cross(rank, K);
  Index row = 0;
  for (const ModelPart& part : D) {
    cross.middleRows(row, part.rows) = cross_sum(part.data, part.rows, X, K, count).cast<float>();
    row += part.rows;
  }
  return cross;
}

}  // namespace

void ModelDescent::operator()(const ModelParts& U, const ModelParts& Y, const ModelFactors& f,
                              const Setting& setting, Momentum& momentum, const Total& total,
                              const Done& done) {
  const Index F = f.W.rows();
  const Index N = f.H.cols();
  const Index K = f.W.cols();
  f.spare_W.resize(F, K);
  f.spare_H.resize(K, N);
  Matrix<float> WtU;
  Matrix<float> WtW;
  const auto begin_anew = [&] {
    WtU = cross_with(U, f.W.data(), K, F).transpose();
    WtW = cross_sum(f.W.data(), K, f.W.data(), K, F).cast<float>();
  };
  begin_anew();
  double last = std::numeric_limits<double>::infinity();
  float past = 0;
  for (int i = 1;; ++i) {
    const auto beyond = static_cast<float>(momentum.beta);
    // H <- sweeps with W'V^ = (W'U) Y
    HalfStep& h = on_h_({.D = Y,
                         .count = N,
                         .now = f.H.data(),
                         .before = f.spare_H.data(),
                         .C = &WtU,
                         .G = &WtW,
                         .shrink = setting.on_h,
                         .sweeps = setting.sweeps,
                         .past = past,
                         .beyond = beyond});
    total(h);
    // W <- sweeps with V^ H' = U (Y H')
    const Matrix<float> HYt = h.cross.transpose().cast<float>();
    const Matrix<float> HHt = h.gram.cast<float>();
    const HalfStep& w = on_w_({.D = U,
                               .count = F,
                               .now = f.W.data(),
                               .before = f.spare_W.data(),
                               .C = &HYt,
                               .G = &HHt,
                               .shrink = setting.on_w,
                               .sweeps = setting.sweeps,
                               .past = past,
                               .beyond = beyond,
                               .measure = true});
    const double value = w.plain.cwiseProduct(h.gram).sum() / 2 - w.fit +
                         penalty(setting.on_w, w.sum, w.plain) + penalty(setting.on_h, h.sum, h.gram);
    if (value > last) {
      momentum.reject();
      past = 0;
      begin_anew();
    } else {
      momentum.accept();
      past = beyond;
      f.W.swap(f.spare_W);
      f.H.swap(f.spare_H);
      WtU = w.cross.transpose().cast<float>();
      WtW = w.gram.cast<float>();
    }
    last = value;
    if (done(i, value)) return;
  }
}

void Surrogate::build(RowMatrix<float> VHt, const Matrix<double>& HHt, const Matrix<float>& H,
                      const SumOverTeam& total) {
  const Index l = Q.cols();
  const Index K = R.cols();
  Matrix<double> YHt = cross_sum(Y.data(), Y.rows(), H.data(), K, H.cols());
  total(YHt);
  add_transformed(-YHt.topRows(l).transpose().cast<float>(), Q, VHt);
  add_transformed(-YHt.bottomRows(K).transpose().cast<float>(), R, VHt);
  C = std::move(VHt);
  transform(pseudo_inverse(HHt, 1e-7).cast<float>(), C);
}

}  // namespace svrmu
