// Multiplicative updates that begin a little further along the last move of each factor.
// After Hien, Leplat & Gillis, "Block majorization minimization with extrapolation and application to
// beta-NMF", 2024. Departures: factors are extrapolated by their ratio, in both directions, which keeps them
// positive; and an epoch that ends above the last one is undone and followed by a plain one, which cannot.
#include "linalg/products.hpp"
#include "solvers/algorithm.hpp"

namespace svrmu {
namespace {

template <class M>
void extrapolate(M& x, const M& before, double a) {
  extrapolate_by_ratio(x.data(), before.data(), x.size(), a);
}

template <class Scalar>
class MuExt final : public Solver<Scalar> {
 public:
  MuExt(const MuExtOptions&, const DataTerm<Scalar>& term) : term_(term) {}

  Descent descent() const override { return Descent::guarded; }

  void forget(ColumnFeed<Scalar>&, const Factors<Scalar>&) override { roll_back(); }

  void epoch(ColumnFeed<Scalar>& feed, Factors<Scalar>& f, const EpochContext<Scalar>& context) override {
    const bool further = W_before_.size() > 0;
    const Basis<Scalar> basis(term_, f.W);
    RowMatrix<Scalar> W = f.W;
    if (further) extrapolate(W, W_before_, context.step.now());
    sums_.reset(term_, W.rows(), W.cols());
    Matrix<Scalar> h;
    Matrix<Scalar> before;
    for (const Batch<Scalar>& v : feed.blocks()) {
      take_columns(f.H, v, h);
      if (further) {
        take_columns(H_before_, v, before);
        extrapolate(h, before, context.step.now());
      }
      // h with W as it is; V h' of the new h, and the rest of W's ratio, with W further on
      update_h(term_, basis, v, h, f.R, Repeats{}, feed);
      put_columns(h, v, f.H);
      add_sums(term_, W, v, h, f.R, sums_);
    }
    if (feed.interrupted()) return;
    sums_.total_over(feed);
    // W <- W .* up ./ down
    multiply_by_ratio(W, sums_, term_.on_w, 1, term_.exponent);
    W_before_ = context.start.W;
    H_before_ = context.start.H;
    f.W = std::move(W);
  }

  const Sums<Scalar>* sums() const override { return &sums_; }

  // The next epoch is a plain one.
  void roll_back() override {
    W_before_.resize(0, 0);
    H_before_.resize(0, 0);
  }

  void visit_state(StateVisitor<Scalar>& visit) override {
    visit("W_before", W_before_);
    visit("H_before", H_before_);
  }

 private:
  DataTerm<Scalar> term_;
  Sums<Scalar> sums_;
  RowMatrix<Scalar> W_before_;  // where the last epoch began; empty: nowhere to extrapolate from
  Matrix<Scalar> H_before_;
};

class MuExtAlgorithm final : public AlgorithmOf<MuExtOptions, Construct<MuExt>> {
 public:
  std::vector<SolverInfo> entries() const override {
    return {{"mu-ext", "mu from extrapolated factors; every loss; the first to try for kl and is",
             MuExtOptions{}}};
  }
  Traits traits() const override { return {.every_loss = true}; }

 protected:
  void check(const MuExtOptions&, const Request& request) const override {
    refuse_rare_evaluations(request,
                            "mu-ext looks at every epoch to know whether it went too far; set it to 1");
  }
  double numbers(const MuExtOptions&, const Shape& shape, std::size_t) const override {
    return usual_numbers(shape) + static_cast<double>((shape.features + shape.local_samples) * shape.rank);
  }
  std::vector<StatePart> state(const MuExtOptions&, const StateFacts& at) const override {
    const bool ready = !at.is_empty("W_before");
    return {state_matrix("W_before", at.F, at.K, true),
            state_matrix("H_before", ready ? at.K : 0, ready ? at.N : 0)};
  }
};

}  // namespace

const Algorithm& mu_ext_algorithm() {
  static const MuExtAlgorithm algorithm;
  return algorithm;
}

}  // namespace svrmu
