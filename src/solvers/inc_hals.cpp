// Incremental HALS with exact statistics: A = V H' and B = H H' are kept exact while h changes batch by
// batch, and W is swept after each batch. Every sweep descends on the whole objective.
#include "linalg/batch_products.hpp"
#include "solvers/algorithm.hpp"

namespace svrmu {
namespace {

template <class Scalar>
class IncHals final : public Solver<Scalar> {
 public:
  // once: on a stream. The statistics are then those of all columns that were served.
  IncHals(const IncHalsOptions& options, const DataTerm<Scalar>& term, bool once = false)
      : options_(options), once_(once), term_(term) {}

  Descent descent() const override { return Descent::monotone; }

  void forget(ColumnFeed<Scalar>& feed, const Factors<Scalar>& f) override {
    if (once_)
      statistics_.reset(term_, f.W.rows(), f.W.cols());
    else
      all_sums(term_, feed, Counted::columns, f, statistics_);
  }

  void assume(const Factors<Scalar>& f) override { assumed_sums(term_, f, statistics_); }

  void epoch(ColumnFeed<Scalar>& feed, Factors<Scalar>& f, const EpochContext<Scalar>& context) override {
    const Index F = f.W.rows();
    const Index K = f.W.cols();
    fresh_.reset(term_, F, K);
    for (const Batch<Scalar>& drawn : feed.batches(options_.batch_size, options_.order)) {
      Batch<Scalar> v = drawn;
      v.weights = {};  // a column is in the statistics once, however often it was drawn
      take_columns(f.H, v, before_);
      h_ = before_;
      WtV_.resize(K, v.count);
      multiply_WtV(f.W, v, WtV_.data());
      hals_sweep(h_.data(), WtV_.data(), v.count, WtW(f.W), term_.on_h, options_.sweeps);
      put_columns(h_, v, f.H);

      // A <- A + V (h - h_before)', B <- B + h h' - h_before h_before'
      now_.reset(term_, F, K);
      if (once_) {
        add_sums(term_, f.W, v, h_, f.R, now_);
        statistics_.blend(context.keep, now_, 1);
      } else {
        past_.reset(term_, F, K);
        add_sums_pair(term_, v, f.W, h_, f.R, now_, f.W, before_, f.R, past_);
        now_.total_over(feed);
        past_.total_over(feed);
        statistics_.blend(1, now_, 1);
        statistics_.blend(1, past_, -1);
        fresh_.blend(1, now_, 1);
      }
      if (now_.up.isZero(0)) continue;

      hals_sweep(f.W.data(), statistics_.up.data(), F, statistics_.HHt, term_.on_w, options_.sweeps);
    }
    if (once_ || feed.interrupted()) return;
    // Differences drift by rounding: the epoch's own sums replace them.
    if (options_.order == Order::with_replacement)
      all_sums(term_, feed, Counted::columns, f, statistics_);
    else
      std::swap(statistics_, fresh_);
  }

  const Sums<Scalar>* sums() const override { return once_ ? &now_ : &statistics_; }

  void visit_state(StateVisitor<Scalar>& visit) override {
    visit("A", statistics_.up);
    visit("B", statistics_.HHt);
  }

 private:
  IncHalsOptions options_;
  bool once_;
  DataTerm<Scalar> term_;
  Sums<Scalar> statistics_;
  Sums<Scalar> fresh_;  // of the columns that this epoch has seen
  Sums<Scalar> now_;
  Sums<Scalar> past_;
  Matrix<Scalar> before_;
  Matrix<Scalar> h_;
  Matrix<Scalar> WtV_;
};

class IncHalsAlgorithm final : public AlgorithmOf<IncHalsOptions, ConstructStreaming<IncHals>> {
 public:
  std::vector<SolverInfo> entries() const override {
    return {
        {"inc-hals", "hals in mini-batches with exact statistics: monotone, for streams", IncHalsOptions{}}};
  }
  Traits traits() const override { return {.multiplicative = false, .streams = true}; }

 protected:
  IncHalsOptions on_stream(const IncHalsOptions& o, StreamOptionsOf whose) const override {
    return in_served_order(o, whose);
  }
  std::vector<StatePart> stream_state(const StateFacts& at) const override {
    return {state_matrix("A", at.F, at.K), state_matrix("B", at.K, at.K)};
  }
  std::vector<StatePart> state(const IncHalsOptions&, const StateFacts& at) const override {
    return {state_matrix("A", at.F, at.K), state_matrix("B", at.K, at.K)};
  }
};

}  // namespace

const Algorithm& inc_hals_algorithm() {
  static const IncHalsAlgorithm algorithm;
  return algorithm;
}

}  // namespace svrmu
