// The h step on a batch, and the batch's sums before and after: at the snapshot and at (W, h).
#pragma once

#include "solvers/solver.hpp"

namespace svrmu {

template <class Scalar>
class SnapshotStep : public BatchStep<Scalar> {
 public:
  SnapshotStep(const DataTerm<Scalar>& term, const Repeats& repeats)
      : BatchStep<Scalar>(term, repeats), term_(term) {}

  // False when the batch is entirely zero: W then has nothing to learn from it.
  bool move_h_and_gather(const ColumnFeed<Scalar>& feed, const Batch<Scalar>& v, Factors<Scalar>& f,
                         const Factors<Scalar>& start) {
    this->move_h(feed, v, f);
    take_columns(start.H, v, hs_);
    Sums<Scalar>& sums = this->sums;
    sums.reset(term_, f.W.rows(), f.W.cols());
    sums_s.reset(term_, f.W.rows(), f.W.cols());
    add_sums_pair(term_, v, f.W, this->h, f.R, sums, start.W, hs_, start.R, sums_s);
    sums.total_over(feed);
    sums_s.total_over(feed);
    return !sums.up.isZero(0);
  }

  Sums<Scalar> sums_s;  // at (Ws, hs)

 private:
  const DataTerm<Scalar>& term_;
  Matrix<Scalar> hs_;
};

}  // namespace svrmu
