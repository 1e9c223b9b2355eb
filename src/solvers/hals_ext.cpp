// HALS with inner sweeps and extrapolation of both factors.
// Ang & Gillis, "Accelerating nonnegative matrix factorization algorithms using extrapolation", Neural
// Computation 2019.
#include "solvers/algorithm.hpp"
#include "solvers/extrapolated_hals.hpp"

namespace svrmu {
namespace {

template <class Scalar>
class HalsExt final : public Solver<Scalar> {
 public:
  HalsExt(const HalsExtOptions& options, const DataTerm<Scalar>& term)
      : options_(options), term_(term), hals_(term_) {}

  Descent descent() const override { return Descent::monotone; }
  void forget(ColumnFeed<Scalar>&, const Factors<Scalar>&) override { hals_.forget(); }
  void epoch(ColumnFeed<Scalar>& feed, Factors<Scalar>& f, const EpochContext<Scalar>& context) override {
    hals_.iterate(feed, f, context.start, choose_sweeps(options_.sweeps, feed, f.W.cols()));
  }
  const Sums<Scalar>* sums() const override { return &hals_.sums(); }
  void visit_state(StateVisitor<Scalar>& visit) override { hals_.visit_state(visit); }

 private:
  HalsExtOptions options_;
  DataTerm<Scalar> term_;
  ExtrapolatedHals<Scalar> hals_;
};

class HalsExtAlgorithm final : public AlgorithmOf<HalsExtOptions, Construct<HalsExt>> {
 public:
  std::vector<SolverInfo> entries() const override {
    return {{"hals-ext", "hals with inner sweeps and extrapolation; one pass over V per epoch",
             HalsExtOptions{}}};
  }
  Traits traits() const override { return {.multiplicative = false}; }

 protected:
  double numbers(const HalsExtOptions&, const Shape& shape, std::size_t) const override {
    return usual_numbers(shape) + static_cast<double>((shape.features + shape.local_samples) * shape.rank);
  }
  std::vector<StatePart> state(const HalsExtOptions&, const StateFacts& at) const override {
    return extrapolated_state(at);
  }
};

}  // namespace

const Algorithm& hals_ext_algorithm() {
  static const HalsExtAlgorithm algorithm;
  return algorithm;
}

}  // namespace svrmu
