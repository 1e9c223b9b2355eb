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

class MuAccAlgorithm final : public AlgorithmOf<MuAccOptions, Construct<MuAcc>> {
 public:
  std::vector<SolverInfo> entries() const override {
    return {{"mu-acc", "mu with inner repeats; a good batch method without settings", MuAccOptions{}}};
  }
  Traits traits() const override { return {}; }

 protected:
  void check(const MuAccOptions& o, const Request&) const override { check_work_ratio(o); }
  double numbers(const MuAccOptions&, const Shape& shape, std::size_t) const override {
    return usual_numbers(shape) + static_cast<double>(shape.local_samples * shape.rank);  // W'V
  }
};

}  // namespace

const Algorithm& mu_acc_algorithm() {
  static const MuAccAlgorithm algorithm;
  return algorithm;
}

}  // namespace svrmu
