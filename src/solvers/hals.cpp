// Hierarchical alternating least squares.
// Cichocki & Phan, "Fast local algorithms for large scale nonnegative matrix and tensor factorizations",
// 2009.
#include "linalg/batch_products.hpp"
#include "solvers/algorithm.hpp"
#include "solvers/initial_scaling.hpp"

namespace svrmu {
namespace {

template <class Scalar>
class Hals final : public Solver<Scalar> {
 public:
  Hals(const HalsOptions& options, const DataTerm<Scalar>& term) : options_(options), term_(term) {}

  Descent descent() const override { return Descent::monotone; }

  void prepare(ColumnFeed<Scalar>& feed, Factors<Scalar>& f) override {
    if (options_.initial_scaling) scale_start(term_, feed, f);
  }

  void epoch(ColumnFeed<Scalar>& feed, Factors<Scalar>& f, const EpochContext<Scalar>& context) override {
    const bool measure = context.measure_violation;
    violation_ = {};
    sums_.reset(term_, f.W.rows(), f.W.cols());
    const Matrix<Scalar> G = WtW(f.W);
    Matrix<Scalar> h;
    Matrix<Scalar> WtV;
    for (const Batch<Scalar>& v : feed.blocks()) {
      take_columns(f.H, v, h);
      WtV.resize(h.rows(), h.cols());
      multiply_WtV(f.W, v, WtV.data());
      violation_.of_h += sweep(h, WtV, G, term_.on_h, measure);
      put_columns(h, v, f.H);
      add_sums(term_, f.W, v, h, f.R, sums_);
    }
    if (feed.interrupted()) return;
    sums_.total_over(feed);
    violation_.of_w = sweep(f.W, sums_.up, sums_.HHt, term_.on_w, measure);
    if (measure) violation_.of_h = feed.total(violation_.of_h);
  }

  const Sums<Scalar>* sums() const override { return &sums_; }
  Violation violation() const override { return violation_; }

 private:
  // Items are runs of K numbers in both factors.
  template <class M>
  static double sweep(M& X, const M& A, const Matrix<Scalar>& G, Shrink<Scalar> shrink, bool measure) {
    const Index count = X.size() / G.rows();
    if (measure) return hals_violation(X.data(), A.data(), count, G, shrink);
    hals_sweep(X.data(), A.data(), count, G, shrink);
    return 0;
  }

  HalsOptions options_;
  DataTerm<Scalar> term_;
  Sums<Scalar> sums_;
  Violation violation_;
};

class HalsAlgorithm final : public AlgorithmOf<HalsOptions, Construct<Hals>> {
 public:
  std::vector<SolverInfo> entries() const override {
    return {{"hals", "hierarchical alternating least squares; fast per epoch", HalsOptions{}}};
  }
  Traits traits() const override { return {.multiplicative = false, .violation = true}; }
};

}  // namespace

const Algorithm& hals_algorithm() {
  static const HalsAlgorithm algorithm;
  return algorithm;
}

}  // namespace svrmu
