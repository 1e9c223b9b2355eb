// Multiplicative updates with an exponential average of both parts of the gradient.
// Serizel, Essid & Richard, "Mini-batch stochastic approaches for accelerated multiplicative updates in
// nonnegative matrix factorisation with beta-divergence", MLSP 2016.
#include "solvers/algorithm.hpp"

namespace svrmu {
namespace {

template <class Scalar>
class AsagMu final : public Solver<Scalar> {
 public:
  AsagMu(const AsagMuOptions& options, const DataTerm<Scalar>& term)
      : options_(options), term_(term), step_(term_, Repeats{}) {}

  Descent descent() const override { return Descent::wandering; }

  void forget(ColumnFeed<Scalar>&, const Factors<Scalar>& f) override {
    minus_ = RowMatrix<Scalar>::Zero(f.W.rows(), f.W.cols());
    plus_ = minus_;
    filled_ = 0;
  }

  void epoch(ColumnFeed<Scalar>& feed, Factors<Scalar>& f, const EpochContext<Scalar>& context) override {
    const double lambda = options_.memory_weight;
    const auto N = static_cast<double>(feed.total_samples());
    const auto b = static_cast<double>(std::min(options_.batch_size, feed.total_samples()));
    for (const Batch<Scalar>& v : feed.batches(options_.batch_size, options_.order)) {
      step_.move_h(feed, v, f);
      const bool learn = step_.gather_sums(feed, v, f);
      // D <- (1 - lambda) D + lambda (the batch's part); a short batch counts as much as the others.
      const double weight = lambda * b / static_cast<double>(v.total);
      Combination<Scalar> minus;
      Combination<Scalar> plus;
      minus.add(1 - lambda, minus_).add(weight, step_.sums.up);
      plus.add(1 - lambda, plus_);
      step_.sums.add_down(weight, f.W, plus);
      minus_ = minus.evaluate(f.W.rows(), f.W.cols());
      plus_ = plus.evaluate(f.W.rows(), f.W.cols());
      filled_ = (1 - lambda) * filled_ + lambda;
      if (!learn) continue;
      // W <- W .* D- ./ D+
      Combination<Scalar> up;
      Combination<Scalar> down;
      up.add(1, minus_);
      down.add(1, plus_);
      multiply_by_ratio(f.W, up, down, scaled(term_.on_w, filled_ * b / N), context.step.next(),
                        term_.exponent);
    }
  }

  void visit_state(StateVisitor<Scalar>& visit) override {
    visit("minus", minus_);
    visit("plus", plus_);
    visit("filled", filled_);
  }

 private:
  AsagMuOptions options_;
  DataTerm<Scalar> term_;
  BatchStep<Scalar> step_;
  RowMatrix<Scalar> minus_;  // D-
  RowMatrix<Scalar> plus_;   // D+
  double filled_ = 0;        // total weight in the averages, which start from zero
};

class AsagMuAlgorithm final : public AlgorithmOf<AsagMuOptions, Construct<AsagMu>> {
 public:
  std::vector<SolverInfo> entries() const override {
    return {{"asag-mu", "stochastic updates with averaged gradients; every loss", AsagMuOptions{}}};
  }
  Traits traits() const override { return {.every_loss = true}; }

 protected:
  std::vector<StatePart> state(const AsagMuOptions&, const StateFacts& at) const override {
    return {state_matrix("minus", at.F, at.K), state_matrix("plus", at.F, at.K),
            state_number("filled", 0, 2)};
  }
};

}  // namespace

const Algorithm& asag_mu_algorithm() {
  static const AsagMuAlgorithm algorithm;
  return algorithm;
}

}  // namespace svrmu
