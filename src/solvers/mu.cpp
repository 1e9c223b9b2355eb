// Batch multiplicative updates, and their form with L1 outliers (r-nmf).
// Lee & Seung, "Algorithms for non-negative matrix factorization", NIPS 2001.
// Fevotte & Idier, "Algorithms for nonnegative matrix factorization with the beta-divergence", 2011.
#include "solvers/algorithm.hpp"

namespace svrmu {
namespace {

template <class Scalar>
class Mu final : public Solver<Scalar> {
 public:
  Mu(const MuOptions& options, const DataTerm<Scalar>& term) : term_(term), first_(options.update_first) {}
  Mu(const RNmfOptions&, const DataTerm<Scalar>& term) : term_(term), first_(UpdateFirst::h) {}

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

class MuAlgorithm final : public AlgorithmOf<MuOptions, Construct<Mu>> {
 public:
  std::vector<SolverInfo> entries() const override {
    return {{"mu", "batch multiplicative updates; every loss; slow and steady", MuOptions{}}};
  }
  Traits traits() const override { return {.every_loss = true}; }
};

class RNmfAlgorithm final : public AlgorithmOf<RNmfOptions, Construct<Mu>> {
 public:
  std::vector<SolverInfo> entries() const override {
    return {{"r-nmf", "mu with outliers, V ~ WH + R", RNmfOptions{}}};
  }
  Traits traits() const override { return {.robust = true}; }

 protected:
  double numbers(const RNmfOptions& o, const Shape& shape, std::size_t) const override {
    return usual_numbers(shape) + numbers_of_R(o.outlier_update, shape);
  }
};

}  // namespace

const Algorithm& mu_algorithm() {
  static const MuAlgorithm algorithm;
  return algorithm;
}

const Algorithm& r_nmf_algorithm() {
  static const RNmfAlgorithm algorithm;
  return algorithm;
}

}  // namespace svrmu
