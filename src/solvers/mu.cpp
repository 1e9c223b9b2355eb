// Batch multiplicative updates, and their form with L1 outliers (r-nmf).
// Lee & Seung, "Algorithms for non-negative matrix factorization", NIPS 2001.
// Fevotte & Idier, "Algorithms for nonnegative matrix factorization with the beta-divergence", 2011.
#include "solvers/solver.hpp"

namespace svrmu {
namespace {

template <class Scalar>
class Mu final : public Solver<Scalar> {
 public:
  Mu(const DataTerm<Scalar>& term, UpdateFirst first) : term_(term), first_(first) {}

  Descent descent() const override { return Descent::monotone; }

  void epoch(ColumnFeed<Scalar>& feed, Factors<Scalar>& f, const EpochContext<Scalar>&) override {
    if (first_ == UpdateFirst::w) {
      all_sums(term_, feed, Counted::gradient, f, sums_);
      if (feed.interrupted()) return;
      move_W(f.W);
      move_H(feed, f, Counted::columns, false);
    } else {
      sums_.reset(term_, f.W.rows(), f.W.cols());
      move_H(feed, f, Counted::gradient, true);
      if (feed.interrupted()) return;
      sums_.total_over(feed);
      move_W(f.W);
    }
  }

  const Sums<Scalar>* sums() const override { return first_ == UpdateFirst::h ? &sums_ : nullptr; }

 private:
  // H (and R), block by block; V h' of the new h from the same visit.
  void move_H(ColumnFeed<Scalar>& feed, Factors<Scalar>& f, Counted counted, bool with_sums) {
    const Basis<Scalar> basis(term_, f.W);
    Matrix<Scalar> h;
    for (const Batch<Scalar>& v : feed.blocks(counted)) {
      take_columns(f.H, v, h);
      update_h(term_, basis, v, h, f.R, Repeats{}, feed);
      put_columns(h, v, f.H);
      if (with_sums) add_sums(term_, f.W, v, h, f.R, sums_);
    }
  }

  // W <- W .* up ./ down
  void move_W(RowMatrix<Scalar>& W) { multiply_by_ratio(W, sums_, term_.on_w, 1, term_.exponent); }

  DataTerm<Scalar> term_;
  UpdateFirst first_;
  Sums<Scalar> sums_;
};

}  // namespace

template <class Scalar>
std::unique_ptr<Solver<Scalar>> make_solver(const MuOptions& options, const DataTerm<Scalar>& term) {
  return std::make_unique<Mu<Scalar>>(term, options.update_first);
}

template <class Scalar>
std::unique_ptr<Solver<Scalar>> make_solver(const RNmfOptions&, const DataTerm<Scalar>& term) {
  return std::make_unique<Mu<Scalar>>(term, UpdateFirst::h);
}

SVRMU_INSTANTIATE_SOLVER(MuOptions)
SVRMU_INSTANTIATE_SOLVER(RNmfOptions)

}  // namespace svrmu
