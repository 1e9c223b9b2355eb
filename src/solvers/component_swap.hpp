// A way out of a poor local minimum: the component that the others can best do without gives its place to one
// that V - WH still holds.
#pragma once

#include <Eigen/Cholesky>
#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "data/factors.hpp"
#include "data/feed.hpp"
#include "data/random.hpp"
#include "linalg/batch_products.hpp"
#include "linalg/copies.hpp"
#include "linalg/gemm.hpp"
#include "linalg/parallel.hpp"
#include "linalg/products.hpp"

namespace svrmu {

struct ComponentWorth {
  Index k;
  double worth;
};

// All components, least first. Their worth: by how much 1/2||V - WH||^2 would rise without them, at most, if
// the others took their place in H alone or in W alone, and signs were free.
template <class Scalar, class Real>
std::vector<ComponentWorth> by_worth(const ColumnFeed<Scalar>& feed, const Factors<Real>& f) {
  const auto apart = [](const Matrix<double>& G) {  // squared distance of each from the span of the others
    Matrix<double> ridged = G;
    ridged.diagonal().array() += 1e-12 * G.trace() + std::numeric_limits<double>::min();
    const Matrix<double> inverse = ridged.llt().solve(Matrix<double>::Identity(G.rows(), G.cols()));
    return Matrix<double>(inverse.diagonal().cwiseInverse());
  };
  const Matrix<double> of_W = WtW(f.W).template cast<double>();
  Matrix<double> of_H = HHt(f.H).template cast<double>();
  feed.total(of_H);
  const Matrix<double> in_W = apart(of_W);
  const Matrix<double> in_H = apart(of_H);
  std::vector<ComponentWorth> components;
  for (Index k = 0; k < of_W.rows(); ++k)
    components.push_back({k, std::min(in_W(k, 0) * of_H(k, k), in_H(k, 0) * of_W(k, k)) / 2});
  std::stable_sort(components.begin(), components.end(),
                   [](const ComponentWorth& a, const ComponentWorth& b) { return a.worth < b.worth; });
  return components;
}

// Power steps on max(0, V - WH), from the residuals of columns drawn at random: y <- max(0, (V - WH) x),
// x <- max(0, (V - WH)'y) for K pairs at once, one visit of V per step. The pair that takes most off the
// objective becomes component k. V by rows serves where there is such a copy.
template <class Scalar, class Real = Scalar>
class ComponentSwap {
 public:
  ComponentSwap(ColumnFeed<Scalar>& feed, Factors<Real>& f, const SparseRows<Real>& rows)
      : feed_(feed), f_(f), rows_(rows), K_(f.W.cols()) {}

  // False where the residual holds nothing, or when interrupted.
  bool operator()(Index k, Index draw) {
    draw_columns(draw);
    for (int step = 0; step <= power_steps; ++step) {
      visit(step > 0);
      if (feed_.interrupted()) return false;
      subtract_model();
    }
    return put_best(k);
  }

 private:
  static constexpr int power_steps = 3;

  void draw_columns(Index draw) {
    const Random random(feed_.seed(), Purpose::swap);
    assign_zero(X_, K_, f_.H.cols());
    for (Index c = 0; c < K_; ++c) {
      const Index sample = random.integer(feed_.total_samples(), draw, c);
      if (sample % feed_.members() == feed_.member()) X_(c, sample / feed_.members()) = 1;
    }
  }

  // x from y where `project` asks for it; then V x for all pairs.
  void visit(bool project) {
    std::swap(Y_, VXt_);
    assign_zero(VXt_, f_.W.rows(), K_);
    Matrix<Real> YtW(K_, K_);
    if (project) {
      Y_.array().rowwise() /= Y_.colwise().norm().array().max(std::numeric_limits<Real>::min());
      gemm(Op::plain, Op::transposed, K_, K_, Y_.rows(), Real(1), Y_.data(), K_, f_.W.data(), K_, Real(0),
           YtW.data(), K_);
    }
    for (const Batch<Scalar>& v : feed_.blocks()) {
      const Index at = v.sample(0) * K_;
      if (project)
        parallel_tiles(v.count, column_tile, [&](Index j0, Index j1) {
          Real* x = X_.data() + at + j0 * K_;
          WtV_tile(Y_, v, j0, j1, x);
          gemm(Op::plain, Op::plain, K_, j1 - j0, K_, Real(-1), YtW.data(), K_, f_.H.data() + at + j0 * K_,
               K_, Real(1), x, K_);
          for (Index i = 0; i < K_ * (j1 - j0); ++i) x[i] = std::max(x[i], Real(0));
        });
      if (rows_.empty()) add_VHt(v, X_.data() + at, K_, VXt_);
    }
    if (!rows_.empty()) rows_.multiply(X_, VXt_);
  }

  // V x - W (H x), its positive part.
  void subtract_model() {
    Matrix<Real> XHt(K_, K_);
    gemm(Op::plain, Op::transposed, K_, K_, X_.cols(), Real(1), X_.data(), K_, f_.H.data(), K_, Real(0),
         XHt.data(), K_);
    feed_.total(VXt_, XHt);
    parallel_tiles(VXt_.rows(), column_tile, [&](Index begin, Index end) {
      Real* y = VXt_.data() + begin * K_;
      gemm(Op::plain, Op::plain, K_, end - begin, K_, Real(-1), XHt.data(), K_, f_.W.data() + begin * K_, K_,
           Real(1), y, K_);
      for (Index i = 0; i < K_ * (end - begin); ++i) y[i] = std::max(y[i], Real(0));
    });
  }

  // y x' / |x|^2 takes |y|^2 / |x|^2 / 2 off the objective.
  bool put_best(Index k) {
    const Matrix<double> of_y = VXt_.template cast<double>().colwise().squaredNorm().transpose();
    Matrix<double> of_x = X_.template cast<double>().rowwise().squaredNorm();
    feed_.total(of_x);
    Index best = 0;
    const auto gain = [&](Index c) { return of_x(c, 0) > 0 ? of_y(c, 0) / of_x(c, 0) : 0; };
    for (Index c = 1; c < K_; ++c)
      if (gain(c) > gain(best)) best = c;
    if (!(gain(best) > 0) || !std::isfinite(gain(best))) return false;
    const double size = std::pow(gain(best), 0.25);  // the same in W and H
    const auto w = static_cast<Real>(size / std::sqrt(of_y(best, 0)));
    const auto h = static_cast<Real>(size / std::sqrt(of_x(best, 0)));
    f_.W.col(k) = (w * VXt_.col(best)).cwiseMax(floor_value<Real>);
    f_.H.row(k) = (h * X_.row(best)).cwiseMax(floor_value<Real>);
    return true;
  }

  ColumnFeed<Scalar>& feed_;
  Factors<Real>& f_;
  const SparseRows<Real>& rows_;
  Index K_;
  Matrix<Real> X_;       // K x N: x of every pair
  RowMatrix<Real> Y_;    // F x K: y
  RowMatrix<Real> VXt_;  // V x, then the next y
};

}  // namespace svrmu
