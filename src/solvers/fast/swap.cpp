#include "solvers/fast/swap.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "data/random.hpp"
#include "linalg/copies.hpp"
#include "linalg/gram_matrices.hpp"
#include "linalg/hals_step.hpp"
#include "linalg/products.hpp"
#include "linalg/residual.hpp"
#include "solvers/fast/constants.hpp"

namespace svrmu::fast {

template <class Scalar, class Real>
std::vector<ComponentWorth> by_worth(const ColumnFeed<Scalar>& feed, const Factors<Real>& f) {
  const Matrix<double> gram_of_W = WtW(f.W).template cast<double>();
  Matrix<double> gram_of_H = HHt(f.H).template cast<double>();
  feed.total(gram_of_H);
  // K x 1: of each column of W, or row of H, from the span of the others
  const Matrix<double> apart_in_W = squared_distances(gram_of_W);
  const Matrix<double> apart_in_H = squared_distances(gram_of_H);
  std::vector<ComponentWorth> components;
  for (Index k = 0; k < gram_of_W.rows(); ++k) {
    const double in_H = apart_in_W(k, 0) * gram_of_H(k, k);  // the others replace k by another H
    const double in_W = apart_in_H(k, 0) * gram_of_W(k, k);
    components.push_back({k, std::min(in_H, in_W) / 2});
  }
  std::stable_sort(components.begin(), components.end(),
                   [](const ComponentWorth& a, const ComponentWorth& b) { return a.worth < b.worth; });
  return components;
}

template <class Scalar, class Real>
bool ComponentSwap<Scalar, Real>::operator()(Index k, Index draw) {
  draw_columns(draw);
  for (int step = 0; step <= swap_power_steps; ++step) {
    pass_over_V(step > 0);
    if (feed_.interrupted()) return false;
    move_new_W();
  }
  return put_best(k);
}

// a.
template <class Scalar, class Real>
void ComponentSwap<Scalar, Real>::draw_columns(Index draw) {
  const Random random(feed_.seed(), Purpose::swap);
  const Index K = f_.W.cols();
  assign_zero(new_H_, K, f_.H.cols());
  for (Index c = 0; c < K; ++c)
    if (const auto local = feed_.local_sample(random.integer(feed_.total_samples(), draw, c)))
      new_H_(c, *local) = 1;
}

// c. where asked for, and V new_H' for b.
template <class Scalar, class Real>
void ComponentSwap<Scalar, Real>::pass_over_V(bool moves_new_H) {
  const Index K = f_.W.cols();
  std::swap(new_W_, product_);
  assign_zero(product_, f_.W.rows(), K);
  Matrix<Real> new_WtW;  // new_W'W
  if (moves_new_H) {
    new_W_.array().rowwise() /= new_W_.colwise().norm().array().max(std::numeric_limits<Real>::min());
    new_WtW = cross_products(new_W_, f_.W);
  }
  for (const Batch<Scalar>& v : feed_.blocks()) {
    if (moves_new_H) positive_residual(new_W_, new_WtW, v, columns_of(f_.H, v), columns_of(new_H_, v));
    if (rows_.empty()) add_VHt(v, columns_of(new_H_, v), K, product_);
  }
  if (!rows_.empty()) rows_.multiply(new_H_, product_);
}

// b.
template <class Scalar, class Real>
void ComponentSwap<Scalar, Real>::move_new_W() {
  Matrix<Real> new_HHt = cross_products(new_H_, f_.H);  // new_H H'
  feed_.total(product_, new_HHt);
  positive_residual(f_.W, new_HHt, product_);
}

// d. With w a column of the last new_W = max(0, (V - WH) new_H') and h its row of new_H, w h / |h|^2 takes
// |w|^2 / |h|^2 / 2 off the objective.
template <class Scalar, class Real>
bool ComponentSwap<Scalar, Real>::put_best(Index k) {
  const Matrix<double> squared_w = product_.template cast<double>().colwise().squaredNorm().transpose();
  Matrix<double> squared_h = new_H_.template cast<double>().rowwise().squaredNorm();
  feed_.total(squared_h);
  Index best = 0;
  const auto gain = [&](Index c) { return squared_h(c, 0) > 0 ? squared_w(c, 0) / squared_h(c, 0) : 0; };
  for (Index c = 1; c < squared_h.rows(); ++c)
    if (gain(c) > gain(best)) best = c;
  if (!(gain(best) > 0) || !std::isfinite(gain(best))) return false;
  const double length = std::pow(gain(best), 0.25);  // the same in W and H
  const auto scale_w = static_cast<Real>(length / std::sqrt(squared_w(best, 0)));
  const auto scale_h = static_cast<Real>(length / std::sqrt(squared_h(best, 0)));
  f_.W.col(k) = (scale_w * product_.col(best)).cwiseMax(floor_value<Real>);
  f_.H.row(k) = (scale_h * new_H_.row(best)).cwiseMax(floor_value<Real>);
  return true;
}

// NOLINTBEGIN(bugprone-macro-parentheses): types
#define SVRMU_INSTANTIATE(S, R)                                                                 \
  template std::vector<ComponentWorth> by_worth<S, R>(const ColumnFeed<S>&, const Factors<R>&); \
  template class ComponentSwap<S, R>;
SVRMU_INSTANTIATE(float, float)
SVRMU_INSTANTIATE(double, double)
SVRMU_INSTANTIATE(double, float)
#undef SVRMU_INSTANTIATE
// NOLINTEND(bugprone-macro-parentheses)

}  // namespace svrmu::fast
