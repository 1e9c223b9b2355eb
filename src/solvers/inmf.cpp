// Incremental multiplicative updates: W follows an exponential average of the batches' sums.
// Bucak & Gunsel, "Incremental subspace learning via non-negative matrix factorization", 2009.
#include "objective/cost.hpp"
#include "solvers/algorithm.hpp"

namespace svrmu {
namespace {

template <class Scalar>
class Inmf final : public Solver<Scalar> {
 public:
  Inmf(const InmfOptions& options, const DataTerm<Scalar>& term)
      : options_(options), term_(with_guard(term)), step_(term_, Repeats{}) {}

  Descent descent() const override { return Descent::wandering; }

  void forget(ColumnFeed<Scalar>& feed, const Factors<Scalar>& f) override {
    all_sums(term_, feed, Counted::columns, f, past_);
  }

  void epoch(ColumnFeed<Scalar>& feed, Factors<Scalar>& f, const EpochContext<Scalar>& context) override {
    const Index b = std::min(options_.batch_size, feed.total_samples());
    for (const Batch<Scalar>& v : feed.batches(options_.batch_size, options_.order)) {
      // A short batch counts as much as the others.
      const double weight = options_.new_weight * static_cast<double>(b) / static_cast<double>(v.total);
      double residual = 0;
      for (int j = 0; j < options_.inner_iterations; ++j) {
        step_.move_h(feed, v, f);
        const bool learn = step_.gather_sums(feed, v, f);
        // A <- beta A + alpha V h', B <- beta B + alpha h h', W <- W .* A ./ (W B)
        now_ = past_;
        now_.blend(options_.past_weight, step_.sums, weight);
        if (!learn) break;
        multiply_by_ratio(f.W, now_, term_.on_w, context.step.next(), 1);
        if (options_.inner_iterations == 1) break;
        const double next = feed.total(direct_cost(term_, f.W, v, step_.h, f.R).squared);
        if (j > 0 && residual - next < options_.inner_tolerance * next) break;
        residual = next;
      }
      std::swap(past_, now_);
    }
  }

  void visit_state(StateVisitor<Scalar>& visit) override {
    visit("A", past_.up);
    visit("B", past_.HHt);
  }

 private:
  // The authors add 1e-9 to both denominators.
  static DataTerm<Scalar> with_guard(DataTerm<Scalar> term) {
    term.on_w.l1 = Scalar(1e-9);
    term.on_h.l1 = Scalar(1e-9);
    return term;
  }

  InmfOptions options_;
  DataTerm<Scalar> term_;
  BatchStep<Scalar> step_;
  Sums<Scalar> past_;  // A and B
  Sums<Scalar> now_;
};

class InmfAlgorithm final : public AlgorithmOf<InmfOptions, Construct<Inmf>> {
 public:
  std::vector<SolverInfo> entries() const override {
    return {{"inmf", "incremental updates with an average of past batches", InmfOptions{}}};
  }
  Traits traits() const override { return {.penalties = false}; }

 protected:
  void check(const InmfOptions& o, const Request&) const override {
    if (o.inner_iterations == 1 && o.inner_tolerance != InmfOptions{}.inner_tolerance)
      throw InvalidInput("inner_tolerance is set, but inner_iterations 1 never looks at it");
  }
  std::vector<StatePart> state(const InmfOptions&, const StateFacts& at) const override {
    return {state_matrix("A", at.F, at.K), state_matrix("B", at.K, at.K)};
  }
};

}  // namespace

const Algorithm& inmf_algorithm() {
  static const InmfAlgorithm algorithm;
  return algorithm;
}

}  // namespace svrmu
