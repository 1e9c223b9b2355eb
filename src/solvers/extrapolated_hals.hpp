// HALS with extrapolation on V itself, one pass over V per iteration.
#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <string>

#include "linalg/batch_products.hpp"
#include "linalg/copies.hpp"
#include "linalg/hals_step.hpp"
#include "solvers/algorithm.hpp"
#include "solvers/momentum.hpp"

namespace svrmu {

// Sweeps over a factor per product with V. Few where a sweep costs as much as the product (sparse V), many
// where W is not much taller than wide and sweeps alone can settle H. Measured by
// bench/compete --sets lowrank,cbcl,reuters,debian.
template <class Scalar>
int choose_sweeps(int wanted, const ColumnFeed<Scalar>& feed, Index K) {
  if (wanted > 0) return wanted;
  const double per_column = feed.total_stored() / static_cast<double>(feed.total_samples());
  if (per_column < 2 * static_cast<double>(K)) return 2;
  return 10 * K > feed.features() ? 8 : 4;
}

// The objective at (W, H) without 1/2||V||^2, which never changes.
template <class Scalar, class Real>
double objective_without_norm(const DataTerm<Real>& term, const ColumnFeed<Scalar>& feed,
                              const Factors<Real>& f, const Traces& traces) {
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
    value_.reset();
  }

  // The same with all memory.
  void give_back() {
    forget();
    sums_ = {};
    rows_ = {};
    was_copied_ = false;
  }

  // The next iteration begins from factors whose objective and traces are these.
  void begin_from(double value, const std::optional<Traces>& traces) {
    forget();
    value_ = value;
    sums_.traces = traces;
  }

  void iterate(ColumnFeed<Scalar>& feed, Factors<Real>& f, const Factors<Real>& start, int sweeps) {
    const bool plain = !value_;
    if (Wy_.size() == 0) begin_at(f);  // not H_: a member of a team may have no columns
    move(feed, f, sweeps, plain ? 0 : momentum_.weight);
    if (feed.interrupted()) return;
    double value = evaluate(feed, f);
    if (!plain && value > *value_) {
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

  // An iteration without extrapolation, which cannot rise.
  void plain_step(ColumnFeed<Scalar>& feed, Factors<Real>& f, int sweeps) {
    forget();
    iterate(feed, f, f, sweeps);
  }

  // The objective without 1/2||V||^2; infinite where it is not known.
  double value() const { return value_.value_or(std::numeric_limits<double>::infinity()); }
  const Sums<Real>& sums() const { return sums_; }
  const SparseRows<Real>& rows() const { return rows_; }

  void visit_state(StateVisitor<Scalar>& visit, const std::string& prefix = {}) {
    visit_as(visit, prefix + "H", H_);
    visit_as(visit, prefix + "Wy", Wy_);
    visit(prefix + "beta", momentum_.weight);
    visit(prefix + "beta_limit", momentum_.limit);
    visit_optional(visit, prefix + "value", value_);
    visit_as_number(visit, prefix + "copied", was_copied_);
  }

 protected:
  const DataTerm<Real>& term() const { return term_; }

  // move_h(v) moves H on each block of V; V H' and, while h is in the cache, H H' are summed.
  template <class MoveH>
  void pass_over_V(ColumnFeed<Scalar>& feed, const Factors<Real>& f, const MoveH& move_h) {
    const Index K = f.W.cols();
    sums_.traces.reset();
    if (rows_.empty())
      assign_zero(sums_.up, f.W.rows(), K);
    else
      sums_.up.resize(f.W.rows(), K);  // sweep_W() writes all of it
    Matrix<double> HHt = Matrix<double>::Zero(K, K);
    for (const Batch<Scalar>& v : feed.blocks()) {
      move_h(v);
      const Real* h = columns_of(f.H, v);
      if (rows_.empty()) add_VHt(v, h, K, sums_.up);
      HHt += gram(h, v.count, K).template cast<double>();
    }
    sums_.HHt = HHt.template cast<Real>();
  }

  // W <- sweeps with V H' and H H' of the pass, of which only V H' is missing where V is kept by rows.
  void sweep_W(ColumnFeed<Scalar>& feed, const Matrix<Real>& H, RowMatrix<Real>& W, int sweeps) {
    if (!rows_.empty()) rows_.multiply(H, sums_.up);
    sums_.total_over(feed);
    hals_sweep(W.data(), sums_.up.data(), W.rows(), sums_.HHt, term_.on_w, sweeps);
  }

  double evaluate(const ColumnFeed<Scalar>& feed, const Factors<Real>& f) {
    sums_.traces = traces_of(f.W, sums_);
    return objective_without_norm(term_, feed, f, *sums_.traces);
  }

 private:
  void begin_at(const Factors<Real>& f) {
    assign(Wy_, f.W);
    assign(H_, f.H);
  }

  // Hn <- sweeps from Hy at Wy,  Hy <- Hn + weight (Hn - H),  H <- Hn;  then W alike, at Hy.
  void move(ColumnFeed<Scalar>& feed, Factors<Real>& f, int sweeps, double weight) {
    keep_rows(feed, f.W.cols());
    const HalsStep<Real> step{WtW(Wy_), term_.on_h, sweeps};
    pass_over_V(feed, f, [&](const Batch<Scalar>& v) {
      move_h_beyond(step, Wy_, v, weight, columns_of(f.H, v), columns_of(H_, v));
    });
    if (feed.interrupted()) return;
    sweep_W(feed, f.H, Wy_, sweeps);
    extrapolate(Wy_, f.W, weight);
  }

  bool worth_copying(const ColumnFeed<Scalar>& feed, Index K) const {
    return feed.is_sparse() && feed.total_samples() <= std::numeric_limits<std::int32_t>::max() &&
           (copy_ == Copy::always || sparse_rows_are_small(feed.total_stored(), sizeof(Real), feed.features(),
                                                           feed.total_samples(), K, sizeof(Scalar)));
  }
  void keep_rows(ColumnFeed<Scalar>& feed, Index K) {
    if (!rows_.empty() || !worth_copying(feed, K)) return;
    // After resume() the copy is made again: it was counted the first time.
    const Counted counted = was_copied_ ? Counted::nothing : Counted::columns;
    for (const Batch<Scalar>& v : feed.blocks(counted)) rows_.count(v);
    if (feed.interrupted()) return;
    rows_.begin_filling();
    for (const Batch<Scalar>& v : feed.blocks(counted)) rows_.fill(v);
    was_copied_ = true;
  }

  const DataTerm<Real>& term_;
  Copy copy_;
  Momentum momentum_;
  std::optional<double> value_;
  Matrix<Real> H_;      // the H that was extrapolated
  RowMatrix<Real> Wy_;  // W, extrapolated
  Sums<Real> sums_;     // at (W, Hy)
  SparseRows<Real> rows_;
  bool was_copied_ = false;  // V by rows, in this run or before it was resumed
};

// What visit_state() of an ExtrapolatedHals shows.
inline std::vector<StatePart> extrapolated_state(const StateFacts& at, const std::string& prefix = {}) {
  constexpr double any = fields::largest;
  return {state_matrix(prefix + "H", at.K, at.N, true),
          state_matrix(prefix + "Wy", at.F, at.K, at.is_empty(prefix + "H")),
          state_number(prefix + "beta", 0, 1),
          state_number(prefix + "beta_limit", 0, 1),
          state_number(prefix + "value", -any, any),
          state_flag(prefix + "copied")};
}

}  // namespace svrmu
