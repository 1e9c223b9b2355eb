// HALS with extrapolation on V itself, one visit of V per iteration.
#pragma once

#include <Eigen/Cholesky>
#include <algorithm>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>

#include "linalg/batch_products.hpp"
#include "linalg/copies.hpp"
#include "linalg/gemm.hpp"
#include "linalg/parallel.hpp"
#include "solvers/momentum.hpp"
#include "solvers/solver.hpp"

namespace svrmu {

// Sweeps over a factor per product with V. Few where a sweep costs as much as the product (sparse V), many
// where W is not much taller than wide and sweeps alone can settle H.
template <class Scalar>
int choose_sweeps(int wanted, const ColumnFeed<Scalar>& feed, Index K) {
  if (wanted > 0) return wanted;
  const double per_column = feed.total_stored() / static_cast<double>(feed.total_samples());
  if (per_column < 2 * static_cast<double>(K)) return 2;
  return 10 * K > feed.features() ? 8 : 4;
}

// (W'W + ridge)^-1: H = max(0, that times W'V) is where sweeps over an unknown H begin, and W alike.
template <class Scalar>
Matrix<Scalar> least_squares(const Matrix<Scalar>& WtW, Shrink<Scalar> shrink) {
  const Index K = WtW.rows();
  Matrix<double> G = WtW.template cast<double>();
  const double ridge = 1e-6 * G.trace() / static_cast<double>(K) + static_cast<double>(shrink.l2);
  G.diagonal().array() += ridge > 0 ? ridge : 1.0;
  return G.llt().solve(Matrix<double>::Identity(K, K)).template cast<Scalar>();
}

// X <- max(floor, inverse A) for `count` items. For use inside a tile.
template <class Scalar>
void start_tile(const Matrix<Scalar>& inverse, const Scalar* A, Index count, Scalar* X) {
  const Index K = inverse.rows();
  gemm(Op::plain, Op::plain, K, count, K, Scalar(1), inverse.data(), K, A, K, Scalar(0), X, K);
  for (Index i = 0; i < K * count; ++i) X[i] = std::max(X[i], floor_value<Scalar>);
}

// The objective at (W, H) without 1/2||V||^2, which never changes.
template <class Scalar, class Real>
double relative_objective(const DataTerm<Real>& term, const ColumnFeed<Scalar>& feed, const Factors<Real>& f,
                          const Traces& traces) {
  return traces.squared / 2 - traces.cross + penalty(term.on_w, f.W) + feed.total(penalty(term.on_h, f.H));
}

// The factors are (W, Hy): W after its sweeps, and the extrapolated H, for which V Hy' and so the objective
// are known. An iteration that ends above the last one is undone and made again without extrapolation, which
// cannot rise. Factors and products are in the precision Real, whatever that of V is.
template <class Scalar, class Real = Scalar>
class ExtrapolatedHals {
 public:
  // A sparse V is kept by rows as well where `copy` says so.
  enum class Copy { if_small, always };
  explicit ExtrapolatedHals(const DataTerm<Real>& term, Copy copy = Copy::if_small)
      : term_(term), copy_(copy) {}

  // The next iteration begins anew from the factors that it is given.
  void forget() {
    H_.resize(0, 0);
    Wy_.resize(0, 0);
    value_ = unknown;
  }

  // The same with all memory.
  void give_back() {
    forget();
    sums_ = {};
    rows_ = {};
    copied_ = 0;
  }

  // The next iteration begins from factors whose objective and traces are these.
  void begin_from(double value, const std::optional<Traces>& traces) {
    forget();
    value_ = value;
    sums_.traces = traces;
  }

  void iterate(ColumnFeed<Scalar>& feed, Factors<Real>& f, const Factors<Real>& start, int sweeps) {
    const bool plain = value_ == unknown;
    if (Wy_.size() == 0) begin_at(f);  // not H_: a member of a team may have no columns
    const double beta = plain ? 0 : momentum_.beta;
    move(feed, f, sweeps, beta);
    if (feed.interrupted()) return;
    double value = evaluate(feed, f);
    if (!plain && value > value_) {
      momentum_.reject();
      assign(f, start);
      begin_at(f);
      move(feed, f, sweeps, 0);
      if (feed.interrupted()) return;
      value = evaluate(feed, f);
    } else if (!plain) {
      momentum_.accept();
    }
    value_ = value;
  }

  // The first iteration, from a model of W alone: H in single precision, by least squares and sweeps; then W.
  void iterate_from_W(ColumnFeed<Scalar>& feed, Factors<Real>& f, const RowMatrix<float>& W, int sweeps) {
    const Index K = W.cols();
    const Shrink<float> on_h = rounded(term_.on_h);
    const Matrix<float> G = WtW(W);
    const Matrix<float> inverse = least_squares(G, on_h);
    visit(feed, f, [&](const Batch<Scalar>& v, Index j0, Index j1) {
      const Index n = j1 - j0;
      float* A = scratch<float>(0, K * n);
      float* h = scratch<float>(1, K * n);
      WtV_tile(W, v, j0, j1, A);
      start_tile(inverse, A, n, h);
      hals_tile(h, A, n, G, on_h, std::max(1, sweeps / 2));
      std::copy_n(h, K * n, f.H.data() + v.sample(j0) * K);
    });
    if (feed.interrupted()) return;
    assign(f.W, W);
    finish_sums(feed, f);
    hals_sweep(f.W.data(), sums_.up.data(), f.W.rows(), sums_.HHt, term_.on_w, sweeps);
    forget();
    value_ = evaluate(feed, f);
  }

  double value() const { return value_; }
  const Sums<Real>& sums() const { return sums_; }
  const SparseRows<Real>& rows() const { return rows_; }

  void visit_state(StateVisitor<Scalar>& visit, const std::string& prefix = {}) {
    visit_as(visit, prefix + "H", H_);
    visit_as(visit, prefix + "Wy", Wy_);
    visit(prefix + "beta", momentum_.beta);
    visit(prefix + "beta_limit", momentum_.limit);
    visit(prefix + "value", value_);
    visit(prefix + "copied", copied_);
  }

 private:
  void begin_at(const Factors<Real>& f) {
    assign(Wy_, f.W);
    assign(H_, f.H);
  }

  // Hn <- sweeps from Hy at Wy,  Hy <- Hn + beta (Hn - H),  H <- Hn;  then W alike, at Hy.
  void move(ColumnFeed<Scalar>& feed, Factors<Real>& f, int sweeps, double beta) {
    const Index K = f.W.cols();
    keep_rows(feed, K);
    const Matrix<Real> G = WtW(Wy_);
    visit(feed, f, [&](const Batch<Scalar>& v, Index j0, Index j1) {
      const Index first = v.sample(j0) * K;
      Real* A = scratch<Real>(0, K * (j1 - j0));
      WtV_tile(Wy_, v, j0, j1, A);
      hals_tile(f.H.data() + first, A, j1 - j0, G, term_.on_h, sweeps);
      extrapolate(f.H.data() + first, H_.data() + first, K * (j1 - j0), beta);
    });
    if (!feed.interrupted()) move_W(feed, f, sweeps, beta);
  }

  // One pass over V: move_h(v, j0, j1) moves H on a tile, V H' and, while h is in the cache, H H' are summed.
  template <class MoveH>
  void visit(ColumnFeed<Scalar>& feed, Factors<Real>& f, const MoveH& move_h) {
    const Index K = f.W.cols();
    sums_.traces.reset();
    if (rows_.empty())
      assign_zero(sums_.up, f.W.rows(), K);
    else
      sums_.up.resize(f.W.rows(), K);  // finish_sums() writes all of it
    Matrix<double> HHt = Matrix<double>::Zero(K, K);
    for (const Batch<Scalar>& v : feed.blocks()) {
      parallel_tiles(v.count, column_tile, [&](Index j0, Index j1) { move_h(v, j0, j1); });
      const Real* h = f.H.data() + v.sample(0) * K;
      if (rows_.empty()) add_VHt(v, h, K, sums_.up);
      HHt += gram(h, v.count, K).template cast<double>();
    }
    sums_.HHt = HHt.template cast<Real>();
  }

  void move_W(ColumnFeed<Scalar>& feed, Factors<Real>& f, int sweeps, double beta) {
    finish_sums(feed, f);
    hals_sweep(Wy_.data(), sums_.up.data(), Wy_.rows(), sums_.HHt, term_.on_w, sweeps);
    parallel_tiles(Wy_.size(), copied_tile, [&](Index begin, Index end) {
      extrapolate(Wy_.data() + begin, f.W.data() + begin, end - begin, beta);
    });
  }

  // The visit's sums are complete, but for V H' where V is kept by rows.
  void finish_sums(ColumnFeed<Scalar>& feed, const Factors<Real>& f) {
    if (!rows_.empty()) rows_.multiply(f.H, sums_.up);
    sums_.total_over(feed);
  }

  double evaluate(const ColumnFeed<Scalar>& feed, const Factors<Real>& f) {
    sums_.traces = traces_of(f.W, sums_);
    return relative_objective(term_, feed, f, *sums_.traces);
  }

  bool worth_copying(const ColumnFeed<Scalar>& feed, Index K) const {
    return feed.is_sparse() && feed.total_samples() <= std::numeric_limits<std::int32_t>::max() &&
           (copy_ == Copy::always || sparse_rows_are_small(feed.total_stored(), sizeof(Real), feed.features(),
                                                           feed.total_samples(), K, sizeof(Scalar)));
  }
  void keep_rows(ColumnFeed<Scalar>& feed, Index K) {
    if (!rows_.empty() || !worth_copying(feed, K)) return;
    // After resume() the copy is made again: it was counted the first time.
    const Counted counted = copied_ != 0 ? Counted::nothing : Counted::columns;
    for (const Batch<Scalar>& v : feed.blocks(counted)) rows_.count(v);
    if (feed.interrupted()) return;
    rows_.begin_filling();
    for (const Batch<Scalar>& v : feed.blocks(counted)) rows_.fill(v);
    copied_ = 1;
  }

  // `next` is the new iterate and becomes the point beyond it; `last` becomes the new iterate.
  static void extrapolate(Real* next, Real* last, Index size, double beta) {
    const auto b = static_cast<Real>(beta);
    for (Index i = 0; i < size; ++i) {
      const Real x = next[i];
      next[i] = std::max(x + b * (x - last[i]), floor_value<Real>);
      last[i] = x;
    }
  }

  const DataTerm<Real>& term_;
  Copy copy_;
  Momentum momentum_;
  static constexpr double unknown = std::numeric_limits<double>::max();  // finite: model files keep it
  double value_ = unknown;
  Matrix<Real> H_;      // the H that was extrapolated
  RowMatrix<Real> Wy_;  // W, extrapolated
  Sums<Real> sums_;     // at (W, Hy)
  SparseRows<Real> rows_;
  Index copied_ = 0;  // V was copied by rows, in this run or before it was resumed
};

}  // namespace svrmu
