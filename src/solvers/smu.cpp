// Stochastic multiplicative updates: each batch moves its own columns of H, then W as if it were all there
// is. Described in section 3 of Kasai, "Stochastic variance reduced multiplicative update for NMF", ICASSP
// 2018.
#include "solvers/algorithm.hpp"

namespace svrmu {
namespace {

template <class Scalar>
class Smu final : public Solver<Scalar> {
 public:
  Smu(const SmuOptions& options, const DataTerm<Scalar>& term, bool once = false)
      : options_(options), once_(once), term_(term), step_(term_, repeats_of(options)) {}

  Descent descent() const override { return Descent::wandering; }

  void epoch(ColumnFeed<Scalar>& feed, Factors<Scalar>& f, const EpochContext<Scalar>& context) override {
    const double N = feed.all_samples();
    for (const Batch<Scalar>& v : feed.batches(options_.batch_size, options_.order)) {
      step_.move_h(feed, v, f);
      if (!step_.gather_sums(feed, v, f)) continue;
      // W <- (1-a) W + a W .* (V h') ./ (W h h')
      multiply_by_ratio(f.W, step_.sums, scaled(term_.on_w, static_cast<double>(v.total) / N),
                        context.step.next(), term_.exponent);
    }
  }

  const Sums<Scalar>* sums() const override { return once_ ? &step_.sums : nullptr; }

 private:
  SmuOptions options_;
  bool once_;  // on a stream: an epoch is one batch
  DataTerm<Scalar> term_;
  BatchStep<Scalar> step_;
};

class SmuAlgorithm final : public AlgorithmOf<SmuOptions, ConstructStreaming<Smu>> {
 public:
  std::vector<SolverInfo> entries() const override {
    return {{"smu", "stochastic multiplicative updates; fast at first, has a noise floor", SmuOptions{}},
            {"smu-acc", "smu with 5 h steps per batch", accelerated(SmuOptions{})}};
  }
  Traits traits() const override { return {.every_loss = true, .streams = true}; }

 protected:
  SmuOptions on_stream(const SmuOptions& o, StreamOptionsOf whose) const override {
    return in_served_order(o, whose);
  }
};

}  // namespace

const Algorithm& smu_algorithm() {
  static const SmuAlgorithm algorithm;
  return algorithm;
}

}  // namespace svrmu
