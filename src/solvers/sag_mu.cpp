// Multiplicative updates with a stored gradient per batch, in the unbiased (SAGA) form.
// After Defazio, Bach & Lacoste-Julien, "SAGA", NIPS 2014, and the "fast" variant of the paper's author.
#include <vector>

#include "solvers/algorithm.hpp"

namespace svrmu {
namespace {

template <class Scalar>
class SagMu final : public Solver<Scalar> {
 public:
  SagMu(const SagMuOptions& options, const DataTerm<Scalar>& term)
      : options_(options), term_(term), step_(term_, repeats_of(options)) {}

  Descent descent() const override { return Descent::guarded; }

  void forget(ColumnFeed<Scalar>& feed, const Factors<Scalar>& f) override {
    const Index b = std::min(options_.batch_size, feed.total_samples());
    const auto batches = static_cast<std::size_t>((feed.total_samples() + b - 1) / b);
    const RowMatrix<Scalar> zero = RowMatrix<Scalar>::Zero(f.W.rows(), f.W.cols());
    minus_.assign(batches, zero);
    plus_.assign(batches, zero);
    sum_minus_ = zero;
    sum_plus_ = zero;
    passes_ = 0;
  }

  void epoch(ColumnFeed<Scalar>& feed, Factors<Scalar>& f, const EpochContext<Scalar>& context) override {
    const double per_sample = 1 / static_cast<double>(feed.total_samples());
    std::size_t i = 0;
    for (const Batch<Scalar>& v : feed.batches(options_.batch_size, options_.order)) {
      step_.move_h(feed, v, f);
      const bool learn = step_.gather_sums(feed, v, f);
      Combination<Scalar> down_now;
      step_.sums.add_down(1, f.W, down_now);
      RowMatrix<Scalar> plus = down_now.evaluate(f.W.rows(), f.W.cols());
      RowMatrix<Scalar>& minus = step_.sums.up;

      // First pass, with the table still empty: plain stochastic steps. Then P = S-/N + (new- + old+)/b and
      // Q = S+/N + (new+ + old-)/b.
      const double per_column = 1 / static_cast<double>(v.total);
      Combination<Scalar> P;
      Combination<Scalar> Q;
      P.add(per_column, minus);
      Q.add(per_column, plus);
      if (passes_ > 0) {
        P.add(per_column, plus_[i]).add(per_sample, sum_minus_);
        Q.add(per_column, minus_[i]).add(per_sample, sum_plus_);
      }
      if (learn) multiply_by_ratio(f.W, P, Q, scaled(term_.on_w, per_sample), context.step.next(), 1);

      sum_minus_ += minus - minus_[i];
      sum_plus_ += plus - plus_[i];
      minus_[i].swap(minus);
      plus_[i].swap(plus);
      ++i;
    }
    if (!feed.interrupted()) ++passes_;
  }

  void visit_state(StateVisitor<Scalar>& visit) override {
    auto batches = static_cast<Index>(minus_.size());
    visit("batches", batches);
    minus_.resize(static_cast<std::size_t>(batches));
    plus_.resize(static_cast<std::size_t>(batches));
    for (std::size_t i = 0; i < minus_.size(); ++i) {
      visit("minus_" + std::to_string(i), minus_[i]);
      visit("plus_" + std::to_string(i), plus_[i]);
    }
    visit("sum_minus", sum_minus_);
    visit("sum_plus", sum_plus_);
    visit("passes", passes_);
  }

 private:
  SagMuOptions options_;
  DataTerm<Scalar> term_;
  BatchStep<Scalar> step_;
  std::vector<RowMatrix<Scalar>> minus_;  // T-: V h' of each batch when it was last visited
  std::vector<RowMatrix<Scalar>> plus_;   // T+: W h h'
  RowMatrix<Scalar> sum_minus_;           // S-
  RowMatrix<Scalar> sum_plus_;            // S+
  Index passes_ = 0;
};

class SagMuAlgorithm final : public AlgorithmOf<SagMuOptions, Construct<SagMu>> {
 public:
  std::vector<SolverInfo> entries() const override {
    return {{"sag-mu", "variance-reduced by a stored gradient per batch; needs 2 F K numbers for each",
             SagMuOptions{}},
            {"sag-mu-acc", "sag-mu with 5 h steps per batch", accelerated(SagMuOptions{})}};
  }
  Traits traits() const override { return {}; }

 protected:
  void check(const SagMuOptions& o, const Request& request) const override {
    if (o.order == Order::reshuffle || o.order == Order::with_replacement)
      throw InvalidInput(
          "sag-mu keeps a gradient per batch, so batches must stay the same: order must be "
          "cyclic or permute_once");
    refuse_unguarded_epochs(o, request);
  }
  double numbers(const SagMuOptions& o, const Shape& shape, std::size_t) const override {
    const auto b = static_cast<double>(std::max<Index>(o.batch_size, 1));
    const double batches = std::ceil(static_cast<double>(shape.samples) / b);
    return usual_numbers(shape) + 4 * static_cast<double>(shape.features * shape.rank) * batches;
  }
  std::vector<StatePart> state(const SagMuOptions& o, const StateFacts& at) const override {
    const Index batches = (at.N - 1) / o.batch_size + 1;
    const auto count = static_cast<double>(batches);
    std::vector<StatePart> parts{state_matrix("sum_minus", at.F, at.K), state_matrix("sum_plus", at.F, at.K),
                                 state_number("batches", count, count),
                                 state_number("passes", 0, fields::huge)};
    for (Index i = 0; i < batches; ++i) {
      parts.push_back(state_matrix("minus_" + std::to_string(i), at.F, at.K));
      parts.push_back(state_matrix("plus_" + std::to_string(i), at.F, at.K));
    }
    return parts;
  }
};

}  // namespace

const Algorithm& sag_mu_algorithm() {
  static const SagMuAlgorithm algorithm;
  return algorithm;
}

}  // namespace svrmu
