#include "fit/evaluate.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "linalg/products.hpp"
#include "solvers/solver.hpp"

namespace svrmu {
namespace {

// Below this share of ||V||^2 the trace form has lost too many digits. In a large V rounding errors cancel
// each other; in a small one they need not, and another pass over V costs little.
template <class Scalar>
double trace_limit(double entries) {
  if (sizeof(Scalar) == 8) return 1e-5;
  return entries < 1e7 ? 1e-2 : 3e-5;
}

}  // namespace

template <class Scalar>
Evaluator<Scalar>::Evaluator(const MatrixSource<Scalar>& source, const Team& team,
                             const DataTerm<Scalar>& term, const Loss& loss, const Scan& scan,
                             const Scaling& scaling, std::function<bool()> interrupted)
    : feed_(source, team, 0, static_cast<Scalar>(scaling.v), std::move(interrupted)),
      term_(term),
      squared_(scan.squared * scaling.v * scaling.v),
      trace_limit_(trace_limit<Scalar>(scan.entries)),
      unit_(scaling.loss(loss)) {}

template <class Scalar>
Cost Evaluator<Scalar>::from_sums(const Factors<Scalar>& f, const Sums<Scalar>& sums) const {
  const Traces traces = sums.traces ? *sums.traces : traces_of(f.W, sums);
  Cost cost;
  cost.loss = squared_ / 2 - traces.cross + traces.squared / 2;
  cost.squared = 2 * cost.loss;
  return cost;
}

template <class Scalar>
Evaluation Evaluator<Scalar>::operator()(const Factors<Scalar>& f, const Sums<Scalar>* sums) {
  Cost cost;
  const bool plain = term_.frobenius() && term_.outliers == OutlierModel::none;
  if (plain && sums != nullptr) {
    cost = from_sums(f, *sums);
  } else if (plain) {
    Sums<Scalar> fresh;
    fresh.traces = traces_by_columns(feed_, f);
    cost = from_sums(f, fresh);
  } else {
    cost = total_cost(term_, feed_, f, false);
  }
  if (interrupted()) return {};
  const bool cancels = plain || cost_cancels(term_, feed_);
  if (cancels && cost.squared < 2 * trace_limit_ * squared_) cost = total_cost(term_, feed_, f, true);

  const double on_h = feed_.total(penalty(term_.on_h, f.H));
  const double on_w = penalty(term_.on_w, f.W);

  Evaluation result;
  result.cost = cost.loss / unit_;
  result.objective = (cost.loss + cost.outliers + on_w + on_h) / unit_;
  result.on_h = on_h / unit_;
  result.relative_error = std::sqrt(std::max(cost.squared, 0.0) / squared_);
  return result;
}

template <class Scalar>
double Evaluator<Scalar>::projected_gradient(const Factors<Scalar>& f) {
  const Index K = f.W.cols();
  // W_k c_k and H_k / c_k of equal norm: the gradient must not depend on where the weight of a component
  // lies.
  const Eigen::VectorXd w = f.W.template cast<double>().colwise().squaredNorm();
  Matrix<double> h = f.H.template cast<double>().rowwise().squaredNorm();
  for (Index k = 0; k < K; ++k) h(k, 0) = feed_.total(h(k, 0));
  Eigen::Array<Scalar, Eigen::Dynamic, 1> c(K);
  for (Index k = 0; k < K; ++k)
    c(k) = w(k) > 0 && h(k, 0) > 0 ? static_cast<Scalar>(std::pow(h(k, 0) / w(k), 0.25)) : Scalar(1);

  Factors<Scalar> balanced;
  balanced.W = f.W * c.matrix().asDiagonal();
  const Basis<Scalar> basis(term_, balanced.W);
  Sums<Scalar> sums;
  sums.reset(term_, f.W.rows(), K);
  // Whether an entry is at the floor is a matter of the factors as they are, not as they are balanced.
  const auto projected = [](double gradient, Scalar x) {
    const double g = x > floor_value<Scalar> ? gradient : std::min(gradient, 0.0);
    return g * g;
  };
  double squared = 0;
  Matrix<Scalar> part;
  Matrix<Scalar> h_balanced;
  for (const Batch<Scalar>& v : feed_.blocks(Counted::columns)) {
    take_columns(f.H, v, part);
    h_balanced = part;
    for (Index j = 0; j < v.count; ++j) h_balanced.col(j).array() /= c;
    const Matrix<Scalar> gradient = gradient_h(term_, basis, v, h_balanced, f.R);
    for (Index i = 0; i < part.size(); ++i) {
      const Scalar on_h = term_.on_h.l1 + term_.on_h.l2 * h_balanced.data()[i];
      squared += projected(static_cast<double>(gradient.data()[i] + on_h), part.data()[i]);
    }
    add_sums(term_, balanced.W, v, h_balanced, f.R, sums);
  }
  squared = feed_.total(squared);
  sums.total_over(feed_);
  Combination<Scalar> gradient_W;
  gradient_W.add(-1, sums.up);
  sums.add_down(1, balanced.W, gradient_W);
  const RowMatrix<Scalar> gradient = gradient_W.evaluate(f.W.rows(), K);
  for (Index i = 0; i < gradient.size(); ++i) {
    const Scalar on_w = term_.on_w.l1 + term_.on_w.l2 * balanced.W.data()[i];
    squared += projected(static_cast<double>(gradient.data()[i] + on_w), f.W.data()[i]);
  }
  return std::sqrt(squared);
}

template <class Scalar>
double Evaluator<Scalar>::rounding(double start) const {
  const double size = term_.frobenius() ? squared_ / 2 / unit_ : start;
  return 8 * static_cast<double>(std::numeric_limits<Scalar>::epsilon()) * size;
}

template class Evaluator<float>;
template class Evaluator<double>;

}  // namespace svrmu
