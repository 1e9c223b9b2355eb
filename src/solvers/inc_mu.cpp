// Incremental multiplicative updates with exact statistics: A = V H' and B = H H' are kept exact while h
// changes batch by batch, so that every step descends on the whole objective. Also onmf with statistics =
// replace, which begins with empty statistics instead of a pass over V.
#include "solvers/online.hpp"
#include "solvers/online_replace.hpp"

namespace svrmu {
namespace {

template <class Scalar, class Options>
class IncMu final : public Solver<Scalar> {
 public:
  IncMu(const Options& options, int w_repeats, bool knows_all, const DataTerm<Scalar>& term)
      : options_(options),
        w_repeats_(w_repeats),
        knows_all_(knows_all),
        term_(term),
        step_(term_, repeats_of(options)) {}

  // Until each column has been seen once, the statistics are those of a part of V.
  Descent descent() const override { return knows_all_ ? Descent::monotone : Descent::wandering; }

  void forget(ColumnFeed<Scalar>& feed, const Factors<Scalar>& f) override {
    if (knows_all_) {
      all_sums(term_, feed, Counted::columns, f, statistics_);
    } else {
      statistics_.reset(term_, f.W.rows(), f.W.cols());
      seen_ = Matrix<Scalar>::Zero(1, f.H.cols());
    }
    columns_ = knows_all_ ? feed.total_samples() : 0;
  }

  void epoch(ColumnFeed<Scalar>& feed, Factors<Scalar>& f, const EpochContext<Scalar>& context) override {
    const auto N = static_cast<double>(feed.total_samples());
    fresh_.reset(term_, f.W.rows(), f.W.cols());
    for (const Batch<Scalar>& drawn : feed.batches(options_.batch_size, options_.order)) {
      Batch<Scalar> v = drawn;
      v.weights = {};  // a column is in the statistics once, however often it was drawn
      take_columns(f.H, v, before_);
      const double newcomers = forget_unseen(v);
      step_.move_h(feed, v, f);

      // A <- A + V (h - h_before)', B <- B + h h' - h_before h_before'
      Sums<Scalar>& now = step_.sums;
      now.reset(term_, f.W.rows(), f.W.cols());
      past_.reset(term_, f.W.rows(), f.W.cols());
      add_sums_pair(term_, v, f.W, step_.h, f.R, now, f.W, before_, f.R, past_);
      now.total_over(feed);
      past_.total_over(feed);
      statistics_.blend(1, now, 1);
      statistics_.blend(1, past_, -1);
      fresh_.blend(1, now, 1);
      columns_ += static_cast<Index>(feed.total(newcomers));
      if (now.up.isZero(0)) continue;

      // W <- W .* A ./ (W B)
      const Shrink<Scalar> shrink = scaled(term_.on_w, static_cast<double>(columns_) / N);
      for (int i = 0; i < w_repeats_; ++i)
        multiply_by_ratio(f.W, statistics_, shrink, context.step.next(), 1);
    }
    if (feed.interrupted()) return;
    // Differences drift by rounding: the epoch's own sums replace them.
    if (options_.order == Order::with_replacement) {
      if (columns_ == feed.total_samples()) all_sums(term_, feed, Counted::columns, f, statistics_);
    } else {
      std::swap(statistics_, fresh_);
    }
  }

  const Sums<Scalar>* sums() const override { return knows_all_ ? &statistics_ : nullptr; }

  void visit_state(StateVisitor<Scalar>& visit) override {
    visit("A", statistics_.up);
    visit("B", statistics_.HHt);
    visit("columns", columns_);
    if (!knows_all_) visit("seen", seen_);
  }

 private:
  // Columns that are not in the statistics have nothing to take out of them. Returns how many there are.
  double forget_unseen(const Batch<Scalar>& v) {
    if (knows_all_) return 0;
    double newcomers = 0;
    for (Index j = 0; j < v.count; ++j) {
      Scalar& seen = seen_(0, v.sample(j));
      if (seen != Scalar(0)) continue;
      before_.col(j).setZero();
      seen = 1;
      ++newcomers;
    }
    return newcomers;
  }

  Options options_;
  int w_repeats_;
  bool knows_all_;
  DataTerm<Scalar> term_;
  BatchStep<Scalar> step_;
  Sums<Scalar> statistics_;  // A and B
  Sums<Scalar> past_;        // of the batch with its former h
  Sums<Scalar> fresh_;       // of this epoch's batches
  Matrix<Scalar> before_;
  Matrix<Scalar> seen_;  // 1 x N: which columns are in the statistics
  Index columns_ = 0;
};

struct MakeIncMu {
  template <class Scalar>
  static std::unique_ptr<Solver<Scalar>> make(const IncMuOptions& options, const DataTerm<Scalar>& term) {
    return std::make_unique<IncMu<Scalar, IncMuOptions>>(options, 1, true, term);
  }
  // Columns that are seen once have no former h to take out of the statistics.
  template <class Scalar>
  static std::unique_ptr<Solver<Scalar>> make_streaming(const IncMuOptions& options,
                                                        const DataTerm<Scalar>& term) {
    return std::make_unique<Online<Scalar, IncMuOptions>>(options, 1, OnlineSums::never_and_once, term);
  }
};

class IncMuAlgorithm final : public AlgorithmOf<IncMuOptions, MakeIncMu> {
 public:
  std::vector<SolverInfo> entries() const override {
    return {{"inc-mu", "mini-batches with exact statistics: monotone, no step to choose", IncMuOptions{}},
            {"inc-mu-acc", "inc-mu with 5 h steps per batch: the first mini-batch method to try",
             accelerated(IncMuOptions{})}};
  }
  Traits traits() const override { return {.noisy_small_batches = false, .streams = true}; }

 protected:
  IncMuOptions on_stream(const IncMuOptions& o, StreamOptionsOf whose) const override {
    return in_served_order(o, whose);
  }
  std::vector<StatePart> stream_state(const StateFacts& at) const override { return statistics_state(at); }
  std::vector<StatePart> state(const IncMuOptions&, const StateFacts& at) const override {
    return statistics_state(at);
  }
};

}  // namespace

template <class Scalar>
std::unique_ptr<Solver<Scalar>> make_online_replace(const OnmfOptions& options,
                                                    const DataTerm<Scalar>& term) {
  return std::make_unique<IncMu<Scalar, OnmfOptions>>(options, options.w_repeats, false, term);
}

template std::unique_ptr<Solver<float>> make_online_replace(const OnmfOptions&, const DataTerm<float>&);
template std::unique_ptr<Solver<double>> make_online_replace(const OnmfOptions&, const DataTerm<double>&);

const Algorithm& inc_mu_algorithm() {
  static const IncMuAlgorithm algorithm;
  return algorithm;
}

}  // namespace svrmu
