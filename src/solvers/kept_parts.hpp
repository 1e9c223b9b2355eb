// An epoch of svrmu with correction replace where the parts of all batches are kept, for losses other than
// Frobenius: no snapshot is needed after the first.
#pragma once

#include <utility>
#include <vector>

#include "linalg/products.hpp"
#include "objective/replaced_sums.hpp"
#include "solvers/correction.hpp"
#include "solvers/solver.hpp"

namespace svrmu {

// How far an epoch begins along the move of the last one, which has several steps of W in it: 1 went too far
// in one of ten epochs.
inline constexpr double share_of_last_move = 0.8;

template <class Scalar>
class KeptParts {
 public:
  KeptParts(const DataTerm<Scalar>& term, const Repeats& repeats, Index batch_size, Order order)
      : term_(term), batch_size_(batch_size), order_(order), step_(term, repeats), all_(term) {}

  // One pass in which each batch replaces its part by the one at (W, h). It begins a little further along the
  // last epoch's move, as those of mu-ext do.
  void epoch(ColumnFeed<Scalar>& feed, Factors<Scalar>& f, const Factors<Scalar>& start,
             const StepRatio& step) {
    if (parts_.empty()) gather(feed, f);
    if (feed.interrupted()) return;
    Sums<Scalar> all = parts_.front();
    for (std::size_t i = 1; i < parts_.size(); ++i) all.blend(1, parts_[i], 1);
    all_.begin(std::move(all));

    const bool further = W_before_.size() > 0;
    const double reach = share_of_last_move * step.now();
    RowMatrix<Scalar> growth;  // of W, with which the parts grow
    if (further) {
      extrapolate_by_ratio(f.W.data(), W_before_.data(), f.W.size(), reach);
      growth = f.W.cwiseQuotient(start.W);
      all_.grow(growth);
    }
    auto part = parts_.begin();
    for (const Batch<Scalar>& v : feed.batches(batch_size_, order_)) {
      if (further) extrapolate_h(v, reach, f);
      step_.move_h(feed, v, f);
      const bool learn = step_.gather_sums(feed, v, f);
      all_.weigh(f.W, step_.sums);
      if (further) all_.grow(growth, *part);
      all_.replace(*part, step_.sums);
      std::swap(*part++, step_.sums);
      if (learn) all_.move(f.W, step.next());
    }
    W_before_ = start.W;
    H_before_ = start.H;
  }

  // The next epoch gathers the parts anew and has nowhere to extrapolate from.
  void drop() {
    parts_.clear();
    W_before_.resize(0, 0);
    H_before_.resize(0, 0);
  }

  void visit_state(StateVisitor<Scalar>& visit) {
    visit_parts(visit);
    visit("W_before", W_before_);
    visit("H_before", H_before_);
  }

 private:
  void gather(ColumnFeed<Scalar>& feed, const Factors<Scalar>& f) {
    for (const Batch<Scalar>& v : feed.batches(batch_size_, order_, Counted::columns)) {
      take_columns(f.H, v, step_.h);
      step_.gather_sums(feed, v, f);
      all_.weigh(f.W, step_.sums);
      parts_.push_back(step_.sums);
    }
  }

  void extrapolate_h(const Batch<Scalar>& v, double reach, Factors<Scalar>& f) {
    take_columns(f.H, v, step_.h);
    take_columns(H_before_, v, h_before_);
    extrapolate_by_ratio(step_.h.data(), h_before_.data(), h_before_.size(), reach);
    put_columns(step_.h, v, f.H);
  }

  // One above the other; beside each other for the sums of h.
  void visit_parts(StateVisitor<Scalar>& visit) {
    auto count = static_cast<Index>(parts_.size());
    RowMatrix<Scalar> up;
    Matrix<Scalar> h_sum;
    RowMatrix<Scalar> rest;
    if (count > 0) {
      const Sums<Scalar>& first = parts_.front();
      up.resize(count * first.up.rows(), first.up.cols());
      if (term_.kl()) h_sum.resize(first.h_sum.size(), count);
      rest.resize(count * first.rest.rows(), first.rest.cols());
      for (Index i = 0; i < count; ++i) {
        const Sums<Scalar>& part = parts_[static_cast<std::size_t>(i)];
        up.middleRows(i * part.up.rows(), part.up.rows()) = part.up;
        if (term_.kl()) h_sum.col(i) = part.h_sum;
        rest.middleRows(i * part.rest.rows(), part.rest.rows()) = part.rest;
      }
    }
    const bool taken = count == 0;
    visit("parts", count);
    visit("parts_up", up);
    visit("parts_h_sum", h_sum);
    visit("parts_rest", rest);
    if (!taken || count == 0) return;
    parts_.resize(static_cast<std::size_t>(count));
    for (Index i = 0; i < count; ++i) {
      Sums<Scalar>& part = parts_[static_cast<std::size_t>(i)];
      part.up = up.middleRows(i * (up.rows() / count), up.rows() / count);
      if (term_.kl()) part.h_sum = h_sum.col(i);
      part.rest = rest.middleRows(i * (rest.rows() / count), rest.rows() / count);
    }
  }

  const DataTerm<Scalar>& term_;
  Index batch_size_;
  Order order_;
  BatchStep<Scalar> step_;
  ReplacedSums<Scalar> all_;
  std::vector<Sums<Scalar>> parts_;
  RowMatrix<Scalar> W_before_;  // where the last epoch began; empty: nowhere to extrapolate from
  Matrix<Scalar> H_before_;
  Matrix<Scalar> h_before_;  // the batch's part of it
};

// The parts of all batches, where they are kept, and where the last epoch began.
inline std::vector<StatePart> parts_state(const SvrmuOptions& o, const StateFacts& at) {
  if (o.correction != Correction::replace || at.loss.is_frobenius()) return {};
  const Index count = at.number("parts") > 0 ? batches_of(o, at.N) : 0;
  const bool kl = at.loss == Loss::kullback_leibler();
  const bool further = !at.is_empty("W_before");
  return {state_number("parts", static_cast<double>(count), static_cast<double>(count)),
          state_matrix("parts_up", count * at.F, count > 0 ? at.K : 0),
          state_matrix("parts_h_sum", kl && count > 0 ? at.K : 0, kl ? count : 0),
          state_matrix("parts_rest", kl ? 0 : count * at.F, kl || count == 0 ? 0 : at.K),
          state_matrix("W_before", at.F, at.K, true),
          state_matrix("H_before", further ? at.K : 0, further ? at.N : 0)};
}

}  // namespace svrmu
