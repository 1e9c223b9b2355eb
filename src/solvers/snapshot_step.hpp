// The h step on a batch, and the batch's sums before and after: at the snapshot and at (W, h).
#pragma once

#include <vector>

#include "solvers/solver.hpp"

namespace svrmu {

template <class Scalar>
class SnapshotStep : public BatchStep<Scalar> {
 public:
  SnapshotStep(const DataTerm<Scalar>& term, const Repeats& repeats)
      : BatchStep<Scalar>(term, repeats), term_(term) {}

  // A new snapshot. The sums there of so many batches are kept, for all steps that follow.
  void begin(Index kept) {
    kept_.clear();
    kept_.resize(static_cast<std::size_t>(kept));
  }
  Index kept() const { return static_cast<Index>(kept_.size()); }
  // The sums at hand are those of this batch at the snapshot, or at the next one.
  void keep(Index batch) { kept_[static_cast<std::size_t>(batch)] = this->sums; }

  // Which batch it is must be said where the sums at the snapshot are kept. False when it is entirely zero: W
  // then has nothing to learn from it.
  bool move_h_and_gather(const ColumnFeed<Scalar>& feed, const Batch<Scalar>& v, Factors<Scalar>& f,
                         const Factors<Scalar>& start, Index batch = 0) {
    this->move_h(feed, v, f);
    at_snapshot_ = kept_.empty() ? &fresh_ : &kept_[static_cast<std::size_t>(batch)];
    const bool known = !kept_.empty() && at_snapshot_->up.size() > 0;
    if (known) return this->gather_sums(feed, v, f);
    take_columns(start.H, v, hs_);
    Sums<Scalar>& now = this->sums;
    now.reset(term_, f.W.rows(), f.W.cols());
    at_snapshot_->reset(term_, f.W.rows(), f.W.cols());
    add_sums_pair(term_, v, f.W, this->h, f.R, now, start.W, hs_, start.R, *at_snapshot_);
    now.total_over(feed);
    at_snapshot_->total_over(feed);
    return !now.up.isZero(0);
  }

  // The batch's sums at (Ws, hs).
  Sums<Scalar>& sums_s() { return *at_snapshot_; }

 private:
  const DataTerm<Scalar>& term_;
  Matrix<Scalar> hs_;
  Sums<Scalar> fresh_;
  std::vector<Sums<Scalar>> kept_;
  Sums<Scalar>* at_snapshot_ = &fresh_;
};

}  // namespace svrmu
