// The loss itself, entry by entry or from the stored entries of sparse V.
#include "objective/cost.hpp"

#include <algorithm>
#include <cmath>
#include <type_traits>
#include <vector>

#include "linalg/parallel.hpp"
#include "linalg/products.hpp"
#include "linalg/workspace.hpp"
#include "objective/entrywise.hpp"

namespace svrmu {
namespace {

// Of a beta other than 0, 1 and 2, which have loops of their own. Rounding can make a divergence between
// nearly equal numbers negative; it is not.
double beta_divergence(double beta, double v, double x) {
  x = std::max(x, least_product<double>);
  const double sum = std::pow(v, beta) + (beta - 1) * std::pow(x, beta) - beta * v * std::pow(x, beta - 1);
  return std::max(sum / (beta * (beta - 1)), 0.0);
}

// R on the columns j0 .. j1, dense.
template <class Scalar>
void copy_outliers(const Outliers<Scalar>& R, const Batch<Scalar>& v, Index j0, Index j1, Scalar* out) {
  const Index F = v.features;
  std::visit(
      [&](const auto& data) {
        if constexpr (is_dense<std::decay_t<decltype(data)>>) {
          for (Index j = j0; j < j1; ++j) std::copy_n(R.dense.col(v.sample(j)).data(), F, out + (j - j0) * F);
        } else {
          std::fill_n(out, F * (j1 - j0), Scalar(0));
          for (Index j = j0; j < j1; ++j) {
            const auto e = entries(v, data, j);
            const Scalar* r = stored_outliers(R, v, j);
            for (Index p = 0; p < e.count; ++p) out[(j - j0) * F + e.rows[p]] = r[p];
          }
        }
      },
      v.data);
}

// What stored entries v of one column, approximated by x, change in a cost that has sum(x) and ||x||^2.
template <class Scalar>
void add_kl(const Scalar* v, const Scalar* x, Index count, Cost& cost) {
  const Losses stored = kl_loss(v, x, count);
  double sum = 0;
  double squared = 0;
  for (Index p = 0; p < count; ++p) {
    const double at = x[p];
    sum += std::max(at, least_product<double>);
    squared += at * at;
  }
  cost.loss += stored.loss - sum;
  cost.squared += stored.squared - squared;
}

}  // namespace

Cost& Cost::operator+=(const Cost& other) {
  loss += other.loss;
  outliers += other.outliers;
  squared += other.squared;
  return *this;
}

template <class Scalar>
Cost direct_cost(const DataTerm<Scalar>& term, const RowMatrix<Scalar>& W, const Batch<Scalar>& v,
                 const Matrix<Scalar>& h, const Outliers<Scalar>& R) {
  const Index F = v.features;
  const Index tile = entry_tile(F);
  std::vector<Cost> costs(static_cast<std::size_t>((v.count + tile - 1) / tile));
  parallel_tiles(v.count, tile, [&](Index j0, Index j1) {
    const Index n = j1 - j0;
    Workspace work;
    auto* x = work.take<Scalar>(F * n);
    auto* y = work.take<Scalar>(F * n);
    approximate(W, 0, F, h.data() + j0 * h.rows(), n, x);
    copy_block(v, 0, F, j0, j1, y);
    Scalar* outliers = nullptr;
    if (term.outliers == OutlierModel::multiplicative) {
      outliers = work.take<Scalar>(F * n);
      copy_outliers(R, v, j0, j1, outliers);
    }
    Cost& cost = costs[static_cast<std::size_t>(j0 / tile)];
    if (term.beta == 1 || term.beta == 0) {
      const Losses sums = term.kl() ? kl_loss(y, x, F * n) : is_loss(y, x, F * n);
      cost.loss = sums.loss;
      cost.squared = sums.squared;
      return;
    }
    for (Index j = 0; j < n; ++j)
      for (Index f = 0; f < F; ++f) {
        const double value = y[j * F + f];
        const double at = x[j * F + f];
        double r = 0;
        if (term.outliers == OutlierModel::closed_form)
          r = std::max(value - at - static_cast<double>(term.lambda), 0.0);
        else if (term.outliers == OutlierModel::multiplicative)
          r = outliers[j * F + f];
        const double residual = value - at - r;
        cost.squared += residual * residual;
        cost.outliers += static_cast<double>(term.lambda) * r;
        if (!term.frobenius()) cost.loss += beta_divergence(term.beta, value, at);
      }
    if (term.frobenius()) cost.loss = cost.squared / 2;
  });
  Cost total;
  for (const Cost& cost : costs) total += cost;
  return total;
}

template <class Scalar>
Cost pattern_cost(const DataTerm<Scalar>& term, const RowMatrix<Scalar>& W, const Matrix<Scalar>& gram,
                  const Matrix<Scalar>& column_sums, const Batch<Scalar>& v, const Matrix<Scalar>& h,
                  const Outliers<Scalar>& R) {
  const Index K = W.cols();
  std::vector<Cost> costs(static_cast<std::size_t>((v.count + column_tile - 1) / column_tile));
  parallel_tiles(v.count, column_tile, [&](Index j0, Index j1) {
    const Index n = j1 - j0;
    Cost& cost = costs[static_cast<std::size_t>(j0 / column_tile)];
    // ||Wh||^2 and sum(Wh) over all features; the stored entries then correct where V is not zero.
    Workspace work;
    auto* Gh = work.take<Scalar>(K * n);
    gemm(Op::plain, Op::plain, K, n, K, Scalar(1), gram.data(), K, h.data() + j0 * K, K, Scalar(0), Gh, K);
    for (Index i = 0; i < K * n; ++i)
      cost.squared += static_cast<double>(Gh[i]) * static_cast<double>(h.data()[j0 * K + i]);
    if (term.kl())
      for (Index j = j0; j < j1; ++j)
        for (Index k = 0; k < K; ++k)
          cost.loss += static_cast<double>(column_sums(k, 0)) * static_cast<double>(h(k, j));
    std::visit(
        [&](const auto& data) {
          if constexpr (!is_dense<std::decay_t<decltype(data)>>)
            for (Index j = j0; j < j1; ++j) {
              const auto e = entries(v, data, j);
              Workspace of_column;
              auto* x = of_column.take<Scalar>(e.count);
              sample(e.rows, e.count, W.data(), h.data() + j * K, K, x);
              if (term.kl()) {
                add_kl(scaled_values(e.values, e.count, v.scale, of_column), x, e.count, cost);
                continue;
              }
              for (Index p = 0; p < e.count; ++p) {
                const double value = v.scale * e.values[p];
                const double at = x[p];
                double r = 0;
                if (term.outliers == OutlierModel::closed_form)
                  r = std::max(value - at - static_cast<double>(term.lambda), 0.0);
                else if (term.outliers == OutlierModel::multiplicative)
                  r = stored_outliers(R, v, j)[p];
                const double residual = value - at - r;
                cost.squared += residual * residual - at * at;
                cost.outliers += static_cast<double>(term.lambda) * r;
              }
            }
        },
        v.data);
    if (term.frobenius()) cost.loss = cost.squared / 2;
  });
  Cost total;
  for (const Cost& cost : costs) total += cost;
  return total;
}

template <class Scalar>
Cost total_cost(const DataTerm<Scalar>& term, ColumnFeed<Scalar>& feed, const Factors<Scalar>& f,
                bool exact) {
  const bool from_stored = !exact && cost_cancels(term, feed);
  Matrix<Scalar> gram;
  Matrix<Scalar> column_sums;
  if (from_stored) {
    gram = WtW(f.W);
    column_sums = item_sum(f.W.data(), f.W.rows(), f.W.cols());
  }
  Cost cost;
  Matrix<Scalar> h;
  for (const Batch<Scalar>& v : feed.blocks(Counted::columns)) {
    take_columns(f.H, v, h);
    cost += from_stored ? pattern_cost(term, f.W, gram, column_sums, v, h, f.R)
                        : direct_cost(term, f.W, v, h, f.R);
  }
  cost.loss = feed.total(cost.loss);
  cost.outliers = feed.total(cost.outliers);
  cost.squared = feed.total(cost.squared);
  return cost;
}

#define SVRMU_INSTANTIATE(S)                                                                                 \
  template Cost direct_cost<S>(const DataTerm<S>&, const RowMatrix<S>&, const Batch<S>&, const Matrix<S>&,   \
                               const Outliers<S>&);                                                          \
  template Cost pattern_cost<S>(const DataTerm<S>&, const RowMatrix<S>&, const Matrix<S>&, const Matrix<S>&, \
                                const Batch<S>&, const Matrix<S>&, const Outliers<S>&);                      \
  template Cost total_cost<S>(const DataTerm<S>&, ColumnFeed<S>&, const Factors<S>&, bool);
SVRMU_INSTANTIATE(float)
SVRMU_INSTANTIATE(double)
#undef SVRMU_INSTANTIATE

}  // namespace svrmu
