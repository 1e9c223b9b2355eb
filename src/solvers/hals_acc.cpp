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

}  // namespace

template <class Scalar>
std::unique_ptr<Solver<Scalar>> make_solver(const HalsAccOptions& options, const DataTerm<Scalar>& term) {
  return std::make_unique<HalsAcc<Scalar>>(options, term);
}

SVRMU_INSTANTIATE_SOLVER(HalsAccOptions)

}  // namespace svrmu
