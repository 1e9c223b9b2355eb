// An epoch of svrmu with correction replace, from a snapshot: one pass in which each batch takes its part of
// the snapshot's sums out, and puts the one at (W, h) in.
#pragma once

#include "objective/replaced_sums.hpp"
#include "solvers/snapshot_step.hpp"

namespace svrmu {

template <class Scalar>
class ReplacedParts {
 public:
  ReplacedParts(const DataTerm<Scalar>& term, const Repeats& repeats, Index batch_size, Order order)
      : term_(term), batch_size_(batch_size), order_(order), step_(term, repeats), all_(term) {}

  // `full` are the sums at the snapshot `start`. Returns those at the end, which are the next snapshot's.
  // `kept`: there is room for the parts of all batches, which stay the same.
  Sums<Scalar> epoch(ColumnFeed<Scalar>& feed, Factors<Scalar>& f, const Factors<Scalar>& start,
                     const Sums<Scalar>& full, const StepRatio& step, bool kept) {
    // Where a batch's sums do not depend on W, those of all batches are the sums at the end. Each is what the
    // batch has at the next snapshot.
    const bool last = sums_outlast_W(term_);
    const Index batches = last && kept ? (feed.total_samples() - 1) / batch_size_ + 1 : 0;
    if (step_.kept() != batches) step_.begin(batches);
    Index batch = 0;
    Sums<Scalar> next;
    if (last)
      next.reset(term_, f.W.rows(), f.W.cols());
    else
      feed.count_gradient(feed.total_samples());
    all_.begin(start.W, full);
    for (const Batch<Scalar>& v : feed.batches(batch_size_, order_)) {
      const bool learn = step_.move_h_and_gather(feed, v, f, start, batch);
      if (last) next.blend(1, step_.sums, 1);
      all_.weigh(start.W, step_.sums_s());
      all_.weigh(f.W, step_.sums);
      all_.replace(step_.sums_s(), step_.sums);
      if (batches > 0) step_.keep(batch++);
      if (learn) all_.move(f.W, step.next());
    }
    if (!last && !feed.interrupted()) all_sums(term_, feed, Counted::columns, f, next);
    return next;
  }

  // Another snapshot follows than the end of the last epoch.
  void drop() { step_.begin(0); }

 private:
  const DataTerm<Scalar>& term_;
  Index batch_size_;
  Order order_;
  SnapshotStep<Scalar> step_;
  ReplacedSums<Scalar> all_;
};

}  // namespace svrmu
