// Online multiplicative updates, and their form with outliers (r-onmf): W follows sums over the batches seen
// so far. After Zhao & Tan, "Online nonnegative matrix factorization with outliers", 2016; the sums restart
// with each epoch unless told otherwise.
#include "solvers/algorithm.hpp"
#include "solvers/online_replace.hpp"

namespace svrmu {
namespace {

template <class Scalar, class Options>
class Onmf final : public Solver<Scalar> {
 public:
  Onmf(const Options& options, bool accumulate, const DataTerm<Scalar>& term)
      : options_(options), accumulate_(accumulate), term_(term), step_(term_, repeats_of(options)) {}

  Descent descent() const override { return Descent::wandering; }

  void forget(ColumnFeed<Scalar>&, const Factors<Scalar>& f) override {
    statistics_.reset(term_, f.W.rows(), f.W.cols());
    columns_ = 0;
  }

  void epoch(ColumnFeed<Scalar>& feed, Factors<Scalar>& f, const EpochContext<Scalar>& context) override {
    if (!accumulate_) forget(feed, f);
    const auto N = static_cast<double>(feed.total_samples());
    for (const Batch<Scalar>& v : feed.batches(options_.batch_size, options_.order)) {
      step_.move_h(feed, v, f);
      const bool learn = step_.gather_sums(feed, v, f);
      statistics_.blend(1, step_.sums, 1);
      columns_ += v.total;
      if (!learn) continue;
      // W <- W .* A ./ (W B + C)
      const Shrink<Scalar> shrink = scaled(term_.on_w, static_cast<double>(columns_) / N);
      for (int i = 0; i < options_.w_repeats; ++i)
        multiply_by_ratio(f.W, statistics_, shrink, context.step.next(), 1);
    }
  }

  void visit_state(StateVisitor<Scalar>& visit) override {
    if (!accumulate_) return;
    visit("A", statistics_.up);
    visit("B", statistics_.HHt);
    visit("C", statistics_.rest);
    visit("columns", columns_);
  }

 private:
  Options options_;
  bool accumulate_;
  DataTerm<Scalar> term_;
  BatchStep<Scalar> step_;
  Sums<Scalar> statistics_;
  Index columns_ = 0;  // in the statistics
};

struct MakeOnmf {
  template <class Scalar>
  static std::unique_ptr<Solver<Scalar>> make(const OnmfOptions& options, const DataTerm<Scalar>& term) {
    if (options.statistics == Statistics::replace) return make_online_replace(options, term);
    const bool accumulate = options.statistics == Statistics::accumulate;
    return std::make_unique<Onmf<Scalar, OnmfOptions>>(options, accumulate, term);
  }
  template <class Scalar>
  static std::unique_ptr<Solver<Scalar>> make(const ROnmfOptions& options, const DataTerm<Scalar>& term) {
    return std::make_unique<Onmf<Scalar, ROnmfOptions>>(options, false, term);
  }
};

class OnmfAlgorithm final : public AlgorithmOf<OnmfOptions, MakeOnmf> {
 public:
  std::vector<SolverInfo> entries() const override {
    return {{"onmf", "online updates from sums over batches; for one-pass streams", OnmfOptions{}},
            {"onmf-acc", "onmf with 5 h steps per batch", accelerated(OnmfOptions{})}};
  }
  Traits traits() const override { return {}; }

 protected:
  std::vector<StatePart> state(const OnmfOptions& o, const StateFacts& at) const override {
    if (o.statistics == Statistics::reset) return {};
    return {state_matrix("A", at.F, at.K), state_matrix("B", at.K, at.K),
            o.statistics == Statistics::accumulate ? state_matrix("C", 0, 0) : state_matrix("seen", 1, at.N),
            state_number("columns", 0, fields::huge)};
  }
};

class ROnmfAlgorithm final : public AlgorithmOf<ROnmfOptions, MakeOnmf> {
 public:
  std::vector<SolverInfo> entries() const override {
    return {{"r-onmf", "onmf with outliers, V ~ WH + R", ROnmfOptions{}},
            {"r-onmf-acc", "r-onmf with 5 (h, r) steps per batch", accelerated(ROnmfOptions{})}};
  }
  Traits traits() const override { return {.robust = true}; }

 protected:
  double numbers(const ROnmfOptions& o, const Shape& shape, std::size_t) const override {
    return usual_numbers(shape) + numbers_of_R(o.outlier_update, shape);
  }
};

}  // namespace

const Algorithm& onmf_algorithm() {
  static const OnmfAlgorithm algorithm;
  return algorithm;
}

const Algorithm& r_onmf_algorithm() {
  static const ROnmfAlgorithm algorithm;
  return algorithm;
}

}  // namespace svrmu
