// Multiplicative updates with inner repeats (Gillis & Glineur 2012).
#include "solvers/sweeps.hpp"

namespace svrmu {
namespace {

template <class Scalar>
class MuAcc final : public Solver<Scalar> {
 public:
  MuAcc(const MuAccOptions& options, const DataTerm<Scalar>& term)
      : sweeps_(options, term, mu_sweep<Scalar>) {}

  Descent descent() const override { return Descent::monotone; }
  void epoch(ColumnFeed<Scalar>& feed, Factors<Scalar>& f, const EpochContext<Scalar>&) override {
    sweeps_.epoch(feed, f);
  }
  const Sums<Scalar>* sums() const override { return sweeps_.sums(); }

 private:
  AlternatingSweeps<Scalar, MuAccOptions> sweeps_;
};

}  // namespace

template <class Scalar>
std::unique_ptr<Solver<Scalar>> make_solver(const MuAccOptions& options, const DataTerm<Scalar>& term) {
  return std::make_unique<MuAcc<Scalar>>(options, term);
}

SVRMU_INSTANTIATE_SOLVER(MuAccOptions)

}  // namespace svrmu
