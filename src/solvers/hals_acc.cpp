// HALS with inner sweeps (Gillis & Glineur 2012).
#include "solvers/initial_scaling.hpp"
#include "solvers/sweeps.hpp"

namespace svrmu {
namespace {

template <class Scalar>
class HalsAcc final : public Solver<Scalar> {
 public:
  HalsAcc(const HalsAccOptions& options, const DataTerm<Scalar>& term)
      : options_(options), term_(term), sweeps_(options, term, one_sweep) {}

  Descent descent() const override { return Descent::monotone; }
  void prepare(ColumnFeed<Scalar>& feed, Factors<Scalar>& f) override {
    if (options_.initial_scaling) scale_start(term_, feed, f);
  }
  void epoch(ColumnFeed<Scalar>& feed, Factors<Scalar>& f, const EpochContext<Scalar>&) override {
    sweeps_.epoch(feed, f);
  }
  const Sums<Scalar>* sums() const override { return sweeps_.sums(); }

 private:
  static double one_sweep(Scalar* X, const Scalar* A, Index count, const Matrix<Scalar>& G,
                          Shrink<Scalar> shrink) {
    return hals_sweep(X, A, count, G, shrink);
  }

  HalsAccOptions options_;
  DataTerm<Scalar> term_;
  AlternatingSweeps<Scalar, HalsAccOptions> sweeps_;
};

class HalsAccAlgorithm final : public AlgorithmOf<HalsAccOptions, Construct<HalsAcc>> {
 public:
  std::vector<SolverInfo> entries() const override {
    return {{"hals-acc", "hals with inner sweeps; the best of the classical methods in memory",
             HalsAccOptions{}}};
  }
  Traits traits() const override { return {.multiplicative = false}; }

 protected:
  void check(const HalsAccOptions& o, const Request&) const override { check_work_ratio(o); }
  double numbers(const HalsAccOptions&, const Shape& shape, std::size_t) const override {
    return usual_numbers(shape) + static_cast<double>(shape.local_samples * shape.rank);  // W'V
  }
};

}  // namespace

const Algorithm& hals_acc_algorithm() {
  static const HalsAccAlgorithm algorithm;
  return algorithm;
}

}  // namespace svrmu
