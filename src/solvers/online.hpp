// Online multiplicative updates: W follows sums over the batches seen so far, A of v h' and B of h h'.
#pragma once

#include "solvers/algorithm.hpp"

namespace svrmu {

// When the sums begin anew.
enum class OnlineSums {
  each_epoch,
  never,
  never_and_once  // on a stream: an epoch is one batch, which never comes again
};

template <class Scalar, class Options>
class Online final : public Solver<Scalar> {
 public:
  Online(const Options& options, int w_repeats, OnlineSums kind, const DataTerm<Scalar>& term)
      : options_(options),
        w_repeats_(w_repeats),
        kind_(kind),
        term_(term),
        step_(term_, repeats_of(options)) {}

  Descent descent() const override { return Descent::wandering; }

  void forget(ColumnFeed<Scalar>&, const Factors<Scalar>& f) override {
    statistics_.reset(term_, f.W.rows(), f.W.cols());
    columns_ = 0;
  }

  void assume(const Factors<Scalar>& f) override {
    assumed_sums(term_, f, statistics_);
    columns_ = static_cast<double>(f.H.cols());
  }

  void epoch(ColumnFeed<Scalar>& feed, Factors<Scalar>& f, const EpochContext<Scalar>& context) override {
    if (kind_ == OnlineSums::each_epoch) forget(feed, f);
    for (const Batch<Scalar>& v : feed.batches(options_.batch_size, options_.order)) {
      step_.move_h(feed, v, f);
      const bool learn = step_.gather_sums(feed, v, f);
      statistics_.blend(context.keep, step_.sums, 1);
      columns_ = context.keep * columns_ + static_cast<double>(v.total);
      if (!learn) continue;
      // W <- W .* A ./ (W B + C)
      const Shrink<Scalar> shrink = scaled(term_.on_w, columns_ / feed.all_samples());
      for (int i = 0; i < w_repeats_; ++i)
        multiply_by_ratio(f.W, statistics_, shrink, context.step.next(), 1);
    }
  }

  const Sums<Scalar>* sums() const override {
    return kind_ == OnlineSums::never_and_once ? &step_.sums : nullptr;
  }

  void visit_state(StateVisitor<Scalar>& visit) override {
    if (kind_ == OnlineSums::each_epoch) return;
    visit("A", statistics_.up);
    visit("B", statistics_.HHt);
    if (kind_ == OnlineSums::never) visit("C", statistics_.rest);
    visit("columns", columns_);
  }

 private:
  Options options_;
  int w_repeats_;
  OnlineSums kind_;
  DataTerm<Scalar> term_;
  BatchStep<Scalar> step_;
  Sums<Scalar> statistics_;
  double columns_ = 0;  // in the statistics
};

}  // namespace svrmu
