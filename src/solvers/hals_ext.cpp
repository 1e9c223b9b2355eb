// HALS with inner sweeps and extrapolation of both factors.
// Ang & Gillis, "Accelerating nonnegative matrix factorization algorithms using extrapolation", Neural
// Computation 2019.
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

}  // namespace

template <class Scalar>
std::unique_ptr<Solver<Scalar>> make_solver(const HalsExtOptions& options, const DataTerm<Scalar>& term) {
  return std::make_unique<HalsExt<Scalar>>(options, term);
}

SVRMU_INSTANTIATE_SOLVER(HalsExtOptions)

}  // namespace svrmu
