// The default for the Frobenius loss: a good factorization from a handful of visits of V.
//   1. W is learned on a random subset of the columns, which a sketch Q has compressed.
//   2. One visit of V gives the sketch of all columns, Q'V, and H for that W.
//   3. Each later epoch makes cheap iterations on a surrogate of V that agrees with V at the last visit
//      (Surrogate), then visits V: an exact HALS iteration, the exact objective, and the next surrogate.
// An epoch that would end above the last one is undone, and an exact step taken instead. Where V is sparse or
// small, iterations on V itself are as cheap: extrapolated HALS does them. For a sparse V W is learned on the
// heaviest rows of the subset before, components are swapped for others where iterations come to rest, and
// all that is in single precision but for the objective, for as long as it gains.
#include <algorithm>
#include <array>
#include <span>
#include <vector>

#include "solvers/column_subset.hpp"
#include "solvers/fast_sizes.hpp"
#include "solvers/heavy_rows.hpp"
#include "solvers/surrogate.hpp"
#include "solvers/swapping_hals.hpp"

namespace svrmu {
namespace {

constexpr int least_inner = 10;
constexpr int most_inner = 40;
constexpr int most_on_subset = 200;
constexpr int most_on_sparse_subset = 20;
// Relative falls per iteration at which the subset has taught W enough. What a sparse one leaves to V is
// cheap.
constexpr double settled = 5e-5;
constexpr double settled_on_sparse = 1e-3;
constexpr double met = 1e-6;  // of 1/2||V||^2: noise-free data fall for ever
// Of ||WH||^2: an epoch in single precision that gains less has only rounding to gain.
constexpr double rounding_gain = 1e-7;
constexpr int sweeps_for_new_H = 10;
constexpr double inner_beta = 0.3;  // extrapolation never begins below it on a new surrogate

// Tells when the objective (given without 1/2||V||^2) falls by less than `limit` per iteration, lately, or is
// next to nothing.
class Settling {
 public:
  Settling(double squared_norm_of_V, double limit) : half_(squared_norm_of_V / 2), limit_(limit) {}

  bool operator()(int iteration, double value) {
    const double objective = std::max(half_ + value, 1e-30 * half_);
    fall_ = iteration < 3 ? 1 : std::max((last_ - value) / objective, fall_ / 2);
    last_ = value;
    return fall_ < limit_ || half_ + value < met * half_;
  }

 private:
  double half_;
  double limit_;
  double last_ = 0;
  double fall_ = 1;
};

template <class Scalar>
class Fast final : public Solver<Scalar> {
 public:
  Fast(const FastOptions& options, const DataTerm<Scalar>& term)
      : options_(options),
        term_(term),
        single_term_(in_single_precision(term)),
        exact_(term_),
        single_(single_term_) {}

  Descent descent() const override { return Descent::monotone; }

  void forget(ColumnFeed<Scalar>& feed, const Factors<Scalar>& f) override {
    sums_ = {};
    sums_.traces = traces_by_columns(feed, f);
    value_ = relative_objective(term_, feed, f, *sums_.traces);
    mode_ = first;
    visited_ = 0;
    exact_.forget();
    single_.give_back();
    single_f_ = {};
  }

  void epoch(ColumnFeed<Scalar>& feed, Factors<Scalar>& f, const EpochContext<Scalar>& context) override {
    const Index K = f.W.cols();
    const FastSizes sizes = sizes_for(feed, K);
    sweeps_ = choose_sweeps(options_.sweeps, feed, K);
    if (sizes.sketch == 0) {
      if (mode_ == first && sizes.subset > 0)
        begin_on_sparse(feed, f, context.start, sizes);
      else if (mode_ == in_single)
        iterate_in_single(feed, f, context.start, sizes);
      else
        iterate_on_V(feed, f, sizes);
      return;
    }
    if (mode_ == on_V) {
      exact_.iterate(feed, f, context.start, sweeps_);
      if (!feed.interrupted()) value_ = exact_.value();
      return;
    }

    if (mode_ == first)
      make_sketch(feed, f, sizes);
    else if (model_.Q.size() == 0)
      look_again(feed, f, sizes);
    if (feed.interrupted()) return;
    if (visited_ != 0) descend(feed, f, context.start);
    visit(feed, f);
    if (feed.interrupted()) return;
    sums_.traces = traces_of(f.W, sums_);
    const double value = relative_objective(term_, feed, f, *sums_.traces);
    if (value <= value_) {
      value_ = value;
      visited_ = 1;
      mode_ = on_surrogate;
      build(feed, f);
      return;
    }
    // The surrogate has no more to give at this precision, or the start was better than what it led to.
    mode_ = mode_ == first ? on_surrogate : on_V;
    visited_ = 0;
    if (mode_ == on_V) give_back_model();  // makes room
    step_from(feed, f, context.start);
    if (feed.interrupted()) return;
    value_ = exact_.value();
    if (mode_ == on_surrogate) exact_.forget();
  }

  bool looks_at_start_only(const ColumnFeed<Scalar>& feed, const Factors<Scalar>& f) const override {
    return mode_ == first && feed.is_sparse() && sizes_for(feed, f.W.cols()).subset > 0;
  }

  const Sums<Scalar>* sums() const override {
    return mode_ == first || mode_ == in_single || visited_ != 0 ? &sums_ : &exact_.sums();
  }

  void visit_state(StateVisitor<Scalar>& visit) override {
    visit("mode", mode_);
    visit("visited", visited_);
    visit("objective", value_);
    visit("model_beta", momentum_.beta);
    visit("VHt", sums_.up);
    visit("HHt", sums_.HHt);
    visit_as(visit, "R", model_.R);
    exact_.visit_state(visit);
    single_.visit_state(visit, "single_");
  }

 private:
  static constexpr Index first = 0;
  static constexpr Index on_surrogate = 1;
  static constexpr Index on_V = 2;
  static constexpr Index in_single = 3;

  static DataTerm<float> in_single_precision(const DataTerm<Scalar>& term) {
    DataTerm<float> result;
    result.on_w = rounded(term.on_w);
    result.on_h = rounded(term.on_h);
    return result;
  }

  FastSizes sizes_for(const ColumnFeed<Scalar>& feed, Index K) const {
    return choose_sizes(options_, feed.features(), feed.total_samples(), feed.is_sparse(), K);
  }

  void give_back_model() {
    model_ = {};
    for (Matrix<float>* H : {&H_, &H0_, &spare_H_}) H->resize(0, 0);
  }

  void step_from(ColumnFeed<Scalar>& feed, Factors<Scalar>& f, const Factors<Scalar>& start) {
    assign(f, start);
    exact_.plain_step(feed, f, sweeps_);
  }

  // An epoch on a sparse or small V in its own precision.
  void iterate_on_V(ColumnFeed<Scalar>& feed, Factors<Scalar>& f, const FastSizes& sizes) {
    mode_ = on_V;
    exact_.epoch(feed, f, sweeps_, sizes.subset > 0);
    if (!feed.interrupted()) value_ = exact_.value();
  }

  // The first epoch on a sparse V.
  void begin_on_sparse(ColumnFeed<Scalar>& feed, Factors<Scalar>& f, const Factors<Scalar>& start,
                       const FastSizes& sizes) {
    learn_from_sparse_subset(feed, start, sizes);
    if (!feed.interrupted()) exact_.iterate_from_W(feed, f, W_, sweeps_);
    W_.resize(0, 0);
    if (feed.interrupted()) return assign(f, start);
    if (exact_.value() > value_) step_from(feed, f, start);
    if (feed.interrupted()) return;
    value_ = exact_.value();
    sums_.traces = exact_.sums().traces;
    exact_.give_back();
    single_.begin_from(value_, sums_.traces);
    mode_ = in_single;
  }

  // A later one, in single precision; only the objective that it ends with is exact.
  void iterate_in_single(ColumnFeed<Scalar>& feed, Factors<Scalar>& f, const Factors<Scalar>& start,
                         const FastSizes& sizes) {
    Factors<float>& single_f = single_factors(f);
    if constexpr (!single)
      if (single_f.W.size() == 0) assign(single_f, f);
    single_.epoch(feed, single_f, sweeps_, true);
    if constexpr (!single) assign(f, single_f);
    if (feed.interrupted()) return;

    const Traces traces = single ? *single_.sums().traces : traces_by_columns(feed, f);
    if (feed.interrupted()) return;
    const double value = relative_objective(term_, feed, f, traces);
    const double gain = value_ - value;
    if (gain >= 0) {
      value_ = value;
      sums_.traces = traces;
    }
    if (gain > rounding_gain * traces.squared) return;
    // Single precision has no more to give.
    mode_ = on_V;
    single_.give_back();
    single_f_ = {};
    exact_.begin_from(value_, sums_.traces);
    if (gain >= 0) return;
    assign(f, start);
    iterate_on_V(feed, f, sizes);
  }

  // Penalties on W refer to all of V.
  static double share_of_V(const ColumnFeed<Scalar>& feed, const ColumnSubset<Scalar>& subset) {
    return static_cast<double>(subset.size()) / static_cast<double>(feed.total_samples());
  }

  // 1. The sketch, from a subset of the columns where they lie; and, in the first epoch, W learned on what
  // the sketch leaves of them. Every member of a team does the latter with the whole subset, and so the same.
  void make_sketch(ColumnFeed<Scalar>& feed, Factors<Scalar>& f, const FastSizes& sizes,
                   Counted counted = Counted::columns) {
    const ColumnSubset<Scalar> subset(feed, sizes.subset, counted);
    subset.look_at_dense([&](const auto& v) {
      const std::vector<Index> places = subset.places(v);
      model_.Q = range_finder(v, random_signs(places, sizes.sketch, Random(feed.seed(), Purpose::sketch)),
                              [&](Matrix<double>& sum) { feed.total(sum); });
      if (mode_ != first) return;
      learn_W(feed, subset.gather(VtQ(v, model_.Q), places), subset.squared_norm(v),
              subset.of_H(f.H).template cast<float>(), share_of_V(feed, subset), f.W);
    });
  }

  void learn_W(ColumnFeed<Scalar>& feed, const Matrix<float>& QtV, double squared_norm_of_V, Matrix<float> H,
               double share, RowMatrix<Scalar>& W) {
    const RowMatrix<float>& Q = model_.Q;
    Settling settling(squared_norm_of_V, settled);
    const auto done = [&](int i, double value) {
      return settling(i, value) || i == most_on_subset || feed.look_for_interruption();
    };
    W_ = W.template cast<float>();
    Matrix<float> spare_H;
    Momentum momentum;
    descent_(
        {{Q.data(), Q.cols()}}, {{QtV.data(), QtV.rows()}}, {W_, H, spare_W_, spare_H},
        {scaled(single_term_.on_w, share), single_term_.on_h, sweeps_}, momentum, [](HalfStep&) {}, done);
    W = W_.template cast<Scalar>();
  }

  // 2. and 3. An exact HALS iteration by one visit of V, which also gives R'V (and Q'V, the first time).
  void visit(ColumnFeed<Scalar>& feed, Factors<Scalar>& f) {
    const Index K = f.W.cols();
    if (visited_ == 0) round_H(f);
    Matrix<float>& H = model_H(f);
    W_ = f.W.template cast<float>();
    model_.R = completion(model_.Q, W_);
    const bool sketch = model_.Y.size() == 0;
    const bool new_H = mode_ == first;
    // W'V = (W'Q) Q'V + (W'R) R'V
    const Index l = model_.Q.cols();
    Matrix<float> WtQR(K, l + K);
    WtQR.leftCols(l) = cross_sum(W_.data(), K, model_.Q.data(), l, W_.rows()).template cast<float>();
    WtQR.rightCols(K) = cross_sum(W_.data(), K, model_.R.data(), K, W_.rows()).template cast<float>();
    const Matrix<float> G = WtW(W_);
    const Matrix<float> inverse = least_squares(G, single_term_.on_h);
    if (sketch) model_.make_room(f.H.cols());

    sums_.reset(term_, f.W.rows(), K);
    for (const Batch<Scalar>& v : feed.blocks()) {
      parallel_tiles(v.count, column_tile, [&](Index j0, Index j1) {
        const Index n = j1 - j0;
        const Index at = v.sample(j0);
        project(v, j0, j1, sketch);
        float* A = scratch<float>(0, K * n);
        float* h = H.data() + at * K;
        gemm(Op::plain, Op::plain, K, n, l + K, 1.0F, WtQR.data(), K, model_.Y.data() + at * (l + K), l + K,
             0.0F, A, K);
        if (new_H) start_tile(inverse, A, n, h);
        hals_tile(h, A, n, G, single_term_.on_h, new_H ? sweeps_for_new_H : sweeps_);
        if constexpr (!single) std::copy_n(h, K * n, f.H.data() + at * K);
      });
      add_VHt(v, f.H.data() + v.sample(0) * K, K, sums_.up);
    }
    if (feed.interrupted()) return;
    sums_.HHt = HHt(f.H);
    sums_.total_over(feed);
    hals_sweep(f.W.data(), sums_.up.data(), f.W.rows(), sums_.HHt, term_.on_w, sweeps_);
  }

  void project(const Batch<Scalar>& v, Index j0, Index j1, bool sketch) {
    const Index l = model_.Q.cols();
    float* y = model_.Y.data() + v.sample(j0) * model_.stride();
    const std::array<Projection, 2> both = {{{&model_.R, y + l}, {&model_.Q, y}}};
    project_tile(std::span(both).first(sketch ? 2 : 1), v, j0, j1, model_.stride());
  }

  // After resume(): what the sketch and the last visit left. It was counted when it was first made.
  void look_again(ColumnFeed<Scalar>& feed, Factors<Scalar>& f, const FastSizes& sizes) {
    make_sketch(feed, f, sizes, Counted::nothing);
    if (visited_ == 0) return;
    round_H(f);
    model_.make_room(f.H.cols());
    for (const Batch<Scalar>& v : feed.blocks(Counted::nothing))
      parallel_tiles(v.count, column_tile, [&](Index j0, Index j1) { project(v, j0, j1, true); });
    if (feed.interrupted()) return;
    build(feed, f);
  }

  void build(ColumnFeed<Scalar>& feed, Factors<Scalar>& f) {
    model_.build(sums_.up.template cast<float>(), sums_.HHt.template cast<double>(), model_H(f),
                 [&](Matrix<double>& sum) { feed.total(sum); });
  }

  // 3. Iterations on the surrogate, for as long as one of them gains more than the epoch does on average for
  // the same work, its visit of V included.
  void descend(ColumnFeed<Scalar>& feed, Factors<Scalar>& f, const Factors<Scalar>& start) {
    const auto F = static_cast<double>(f.W.rows());
    const auto N = static_cast<double>(feed.total_samples());
    const auto K = static_cast<double>(f.W.cols());
    const auto rank = static_cast<double>(model_.rank());
    const double sweep = 2 * K * K * sweeps_;
    const double iteration = (F + N) * (4 * K * rank + sweep + 2 * K * K);
    const double looks = 2 * F * N * K * (single ? 2 : 3) + (F + N) * sweep;
    const double visit_cost = looks / iteration;
    double last = value_;
    double recent = 0;
    const auto done = [&](int i, double value) {
      const double gain = last - value;
      recent = std::max(gain, recent / 2);
      const double average = (value_ - value) / (i + visit_cost);
      last = value;
      return (i >= least_inner && recent < average) || i == most_inner || feed.look_for_interruption();
    };
    const auto total = [&](HalfStep& h) {
      Matrix<double> sum = Matrix<double>::Constant(1, 1, h.sum);
      feed.total(h.gram, h.cross, sum);
      h.sum = sum(0, 0);
    };
    momentum_ = {.beta = std::max(momentum_.beta, inner_beta)};
    W_ = f.W.template cast<float>();
    if constexpr (single) {
      descent_(model_.left(), model_.right(start.H), {W_, f.H, spare_W_, spare_H_},
               {single_term_.on_w, single_term_.on_h, sweeps_}, momentum_, total, done);
    } else {
      H0_ = H_;
      descent_(model_.left(), model_.right(H0_), {W_, H_, spare_W_, spare_H_},
               {single_term_.on_w, single_term_.on_h, sweeps_}, momentum_, total, done);
    }
    f.W = W_.template cast<Scalar>();
  }

  // The sparse road: W learned on the heaviest rows of a subset of the columns, then, with that H, all of W.
  void learn_from_sparse_subset(ColumnFeed<Scalar>& feed, const Factors<Scalar>& f, const FastSizes& sizes) {
    const ColumnSubset<Scalar> subset(feed, sizes.subset);
    const SparseMatrix<float> V = subset.of_sparse();
    if (feed.interrupted()) return;
    const HeavyRows heavy(V, sizes.rows);
    Factors<float> part{heavy.of_W(f.W), subset.of_H(f.H).template cast<float>(), {}};
    DataTerm<float> term;
    term.on_w = scaled(single_term_.on_w, share_of_V(feed, subset));
    term.on_h = scaled(single_term_.on_h, heavy.share());
    learn(feed, heavy.of(V), term, part);
    if (feed.interrupted()) return;

    const Index K = f.W.cols();
    RowMatrix<float> VHt;
    assign_zero(VHt, f.W.rows(), K);
    for_columns(V, [&](ColumnFeed<float>& all) {
      for (const Batch<float>& v : all.blocks()) add_VHt(v, part.H.data() + v.sample(0) * K, K, VHt);
    });
    const Matrix<float> G = HHt(part.H);
    const Matrix<float> inverse = least_squares(G, term.on_w);
    W_.resize(f.W.rows(), K);
    parallel_tiles(W_.rows(), column_tile, [&](Index begin, Index end) {
      start_tile(inverse, VHt.data() + begin * K, end - begin, W_.data() + begin * K);
    });
    heavy.put(part.W, W_);
    hals_sweep(W_.data(), VHt.data(), W_.rows(), G, term.on_w, std::max(1, sweeps_ / 2));
  }

  void learn(ColumnFeed<Scalar>& whole, const SparseMatrix<float>& V, const DataTerm<float>& term,
             Factors<float>& f) const {
    ExtrapolatedHals<float> hals(term, ExtrapolatedHals<float>::Copy::always);
    Settling settling(norms(V.valuePtr(), V.nonZeros()).squared, settled_on_sparse);
    Factors<float> start;
    for_columns(V, [&](ColumnFeed<float>& feed) {
      for (int i = 1; i <= most_on_sparse_subset; ++i) {
        start = f;
        hals.iterate(feed, f, start, sweeps_);
        if (settling(i, hals.value()) || whole.look_for_interruption()) break;
      }
    });
  }

  template <class Body>
  static void for_columns(const SparseMatrix<float>& V, const Body& body) {
    const auto source = view(V);
    const Team alone;
    ColumnFeed<float> feed(*source, alone, 0, 1.0F, {});
    body(feed);
  }

  // Factors and H in single precision: themselves where that is what they are.
  static constexpr bool single = std::is_same_v<Scalar, float>;
  Factors<float>& single_factors(Factors<Scalar>& f) {
    if constexpr (single) {
      return f;
    } else {
      return single_f_;
    }
  }
  Matrix<float>& model_H(Factors<Scalar>& f) {
    if constexpr (single) {
      return f.H;
    } else {
      return H_;
    }
  }
  void round_H(const Factors<Scalar>& f) {
    if constexpr (!single) H_ = f.H.template cast<float>();
  }

  FastOptions options_;
  DataTerm<Scalar> term_;
  DataTerm<float> single_term_;
  int sweeps_ = 4;
  Index mode_ = first;
  Index visited_ = 0;  // the surrogate is that of the present factors
  double value_ = 0;   // objective of the present factors, without 1/2||V||^2
  Sums<Scalar> sums_;  // at the last visit

  Surrogate model_;
  ModelDescent descent_;
  Momentum momentum_;
  RowMatrix<float> W_;
  RowMatrix<float> spare_W_;
  Matrix<float> H_;  // where Scalar is double: H rounded, and at the last visit
  Matrix<float> H0_;
  Matrix<float> spare_H_;

  SwappingHals<Scalar> exact_;
  SwappingHals<Scalar, float> single_;
  Factors<float> single_f_;  // where Scalar is double: what single_ works on
};

}  // namespace

template <class Scalar>
std::unique_ptr<Solver<Scalar>> make_solver(const FastOptions& options, const DataTerm<Scalar>& term) {
  return std::make_unique<Fast<Scalar>>(options, term);
}

SVRMU_INSTANTIATE_SOLVER(FastOptions)

}  // namespace svrmu
