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

  void epoch(ColumnFeed<Scalar>& feed, Factors<Scalar>& f, const EpochContext<Scalar>&) override {
    sums_.reset(term_, f.W.rows(), f.W.cols());
    const Matrix<Scalar> G = WtW(f.W);
    Matrix<Scalar> h;
    Matrix<Scalar> WtV;
    for (const Batch<Scalar>& v : feed.blocks()) {
      take_columns(f.H, v, h);
      WtV.resize(h.rows(), h.cols());
      multiply_WtV(f.W, v, WtV.data());
      hals_sweep(h.data(), WtV.data(), h.cols(), G, term_.on_h);
      put_columns(h, v, f.H);
      add_sums(term_, f.W, v, h, f.R, sums_);
    }
    if (feed.interrupted()) return;
    sums_.total_over(feed);
    hals_sweep(f.W.data(), sums_.up.data(), f.W.rows(), sums_.HHt, term_.on_w);
  }

  const Sums<Scalar>* sums() const override { return &sums_; }

 private:
  HalsOptions options_;
  DataTerm<Scalar> term_;
  Sums<Scalar> sums_;
};

class HalsAlgorithm final : public AlgorithmOf<HalsOptions, Construct<Hals>> {
 public:
  std::vector<SolverInfo> entries() const override {
    return {{"hals", "hierarchical alternating least squares; fast per epoch", HalsOptions{}}};
  }
  Traits traits() const override { return {.multiplicative = false}; }
};

}  // namespace

const Algorithm& hals_algorithm() {
  static const HalsAlgorithm algorithm;
  return algorithm;
}

}  // namespace svrmu
