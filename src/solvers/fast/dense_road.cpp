#include "solvers/fast/dense_road.hpp"

#include <algorithm>

#include "linalg/gram_matrices.hpp"
#include "linalg/range_finder.hpp"
#include "solvers/fast/constants.hpp"
#include "solvers/fast/settling.hpp"

namespace svrmu::fast {
namespace {

// Ends iterations on the surrogate where one gains less than the epoch does on average for the same work, its
// pass over V included. What an iteration gains counts for at least half of what the one before counted for.
// Objectives are without 1/2||V||^2 or 1/2||V^||^2. The first is that on V, the others are those on V^: they
// can be compared, since the epoch begins at Hs, for which V^ has the objective of V.
class GainPerWork {
 public:
  // `pass` is what a pass over V costs in iterations.
  GainPerWork(double objective, double pass) : first_(objective), last_(objective), pass_(pass) {}

  // Told the objective of each iteration.
  bool is_low(int iteration, double value) {
    recent_ = std::max(last_ - value, recent_ / 2);
    last_ = value;
    const double average = (first_ - value) / (iteration + pass_);
    return iteration >= least_iterations_on_surrogate && recent_ < average;
  }

 private:
  double first_;
  double last_;
  double pass_;
  double recent_ = 0;
};

// What a pass over V costs in iterations on a surrogate of that width. Its product with T is in single
// precision, V H' in that of V, where a double costs twice a float.
double iterations_per_pass(double F, double N, double K, double width, double sweeps, bool V_is_float) {
  const double sweep = 2 * K * K * sweeps;
  const double iteration = (F + N) * (4 * K * width + sweep + 2 * K * K);
  const double pass = 2 * F * N * K * (V_is_float ? 2 : 3) + (F + N) * sweep;
  return pass / iteration;
}

}  // namespace

template <class Scalar>
void DenseRoad<Scalar>::epoch(ColumnFeed<Scalar>& feed, Factors<Scalar>& f, const Factors<Scalar>& start,
                              const Sizes& sizes, int sweeps) {
  sweeps_ = sweeps;
  if (progress_.phase == Phase::on_V) return iterate_on_V(feed, f, start);
  if (progress_.phase == Phase::first)
    learn_W(feed, f, sizes);  // 1. to 3.
  else if (surrogate_.S.size() == 0)
    restore(feed, f, sizes);
  if (feed.interrupted()) return;
  if (surrogate_is_current_) descend(feed, f, start);  // 4.
  pass_over_V(feed, f);                                // 5.
  if (feed.interrupted()) return;
  // 6. f(W, H)
  progress_.sums.traces = traces_of(f.W, progress_.sums);
  const double objective = objective_without_norm(term_, feed, f, *progress_.sums.traces);
  if (objective <= progress_.objective)
    accept(feed, f, objective);
  else
    undo(feed, f, start);
}

// 1. v <- n columns of V, drawn at random; then 2. and 3. on them. Every member of a team learns W on the
// whole subset, and so the same W.
template <class Scalar>
void DenseRoad<Scalar>::learn_W(ColumnFeed<Scalar>& feed, Factors<Scalar>& f, const Sizes& sizes) {
  const ColumnSubset<Scalar> subset(feed, sizes.subset);
  subset.with_dense([&](const auto& v) {
    find_sketch(feed, subset, v, sizes.sketch);
    const Matrix<float> Stv = subset.gather(VtS(v, surrogate_.S), subset.places(v));
    const double squared = feed.total(squared_norm(v));
    learn_W_on_sketch(feed, Stv, squared, subset.of_H(f.H), subset.share_of_V(), f.W);
  });
}

// 2. S <- orthonormal basis, F x l, whose span holds most of v, by power steps from a random projection.
template <class Scalar>
template <class Any>
void DenseRoad<Scalar>::find_sketch(ColumnFeed<Scalar>& feed, const ColumnSubset<Scalar>& subset,
                                    const Batch<Any>& v, Index l) {
  const RowMatrix<float> signs = random_signs(subset.places(v), l, Random(feed.seed(), Purpose::sketch));
  surrogate_.S = range_finder(v, signs, sketch_power_steps, [&](Matrix<double>& sum) { feed.total(sum); });
}

// 3. W <- HALS on S (S'v) instead of v, from W0 and h, v's columns of H0, until it settles.
template <class Scalar>
void DenseRoad<Scalar>::learn_W_on_sketch(ColumnFeed<Scalar>& feed, const Matrix<float>& Stv,
                                          double squared_norm, Matrix<float> h, double share,
                                          RowMatrix<Scalar>& W) {
  const RowMatrix<float>& S = surrogate_.S;
  Settling settling(squared_norm, settled);
  const auto done = [&](int i, double value) {
    return settling(i, value) || i == most_iterations_on_subset || feed.look_for_interruption();
  };
  const auto total = [](HalfStep&) {};  // every member has the whole subset
  W_ = W.template cast<float>();
  Matrix<float> spare_h;
  Momentum momentum;
  iterations_({.U = {{S.data(), S.cols()}}, .Z = {{Stv.data(), Stv.rows()}}}, {W_, h, spare_W_, spare_h},
              {scaled(single_term_.on_w, share), single_term_.on_h, sweeps_}, momentum, total, done);
  W = W_.template cast<Scalar>();
}

// 4. (W, H) <- HALS on V^ instead of V, for as long as that is worth its work. Hs is the H of the epoch's
// start, and stays. What moves is H in single precision: where V is double, f.H is out of date until step 5.
template <class Scalar>
void DenseRoad<Scalar>::descend(ColumnFeed<Scalar>& feed, Factors<Scalar>& f, const Factors<Scalar>& start) {
  GainPerWork gain(
      progress_.objective,
      iterations_per_pass(static_cast<double>(f.W.rows()), static_cast<double>(feed.total_samples()),
                          static_cast<double>(f.W.cols()), static_cast<double>(surrogate_.width()), sweeps_,
                          is_single<Scalar>));
  const auto done = [&](int i, double value) {
    return gain.is_low(i, value) || i == most_iterations_on_surrogate || feed.look_for_interruption();
  };
  const auto total = [&](HalfStep& of_H) {
    Matrix<double> sum = Matrix<double>::Constant(1, 1, of_H.sum);
    feed.total(of_H.gram, of_H.cross, sum);
    of_H.sum = sum(0, 0);
  };
  momentum_ = {.weight = std::max(momentum_.weight, least_extrapolation)};
  W_ = f.W.template cast<float>();
  iterations_(surrogate_.product(single_H_.of_start(start.H)), {W_, single_H_.of(f.H), spare_W_, spare_H_},
              {single_term_.on_w, single_term_.on_h, sweeps_}, momentum_, total, done);
  f.W = W_.template cast<Scalar>();
}

// 5. One pass over V: a plain iteration on V itself, and what the next surrogate is made of.
template <class Scalar>
void DenseRoad<Scalar>::pass_over_V(ColumnFeed<Scalar>& feed, Factors<Scalar>& f) {
  const Index K = f.W.cols();
  Sums<Scalar>& sums = progress_.sums;
  RowMatrix<Scalar>& VHt = sums.up;
  if (!surrogate_is_current_) single_H_.round(f.H);  // else step 4 has moved it
  Matrix<float>& H = single_H_.of(f.H);
  W_ = f.W.template cast<float>();
  // T <- orthonormal with W = S S'W + T T'W
  surrogate_.complete(W_);
  // Y <- [S T]'V, of which S'V is computed by the first pass, and stays
  const ProjectedRows rows = surrogate_.make_room(H.cols()) ? ProjectedRows::all : ProjectedRows::of_T;
  // H <- sweeps with W'V = W'[S T] Y and W'W, in single precision and copied to f.H; V H' is summed
  const Matrix<float> WtST = surrogate_.coordinates(W_);
  const HalsStep<float> step = step_of_H(progress_.phase == Phase::first);
  sums.reset(term_, f.W.rows(), K);
  for (const Batch<Scalar>& v : feed.blocks()) {
    project_and_move_h(surrogate_.basis(), rows, v, surrogate_.Y, WtST, step, H, f.H);
    add_VHt(v, columns_of(f.H, v), K, VHt);
  }
  if (feed.interrupted()) return;
  // W <- sweeps with V H' and H H'
  sums.HHt = HHt(f.H);
  sums.total_over(feed);
  hals_sweep(f.W.data(), VHt.data(), f.W.rows(), sums.HHt, term_.on_w, sweeps_);
}

// 5. How H is swept. In the first epoch W is new, and H begins at max(e, (W'W)^-1 W'V).
template <class Scalar>
HalsStep<float> DenseRoad<Scalar>::step_of_H(bool W_is_new) const {
  HalsStep<float> step{WtW(W_), single_term_.on_h, W_is_new ? sweeps_over_new_H : sweeps_};
  if (W_is_new) step.inverse = ridge_inverse(step.G, single_term_.on_h, relative_ridge);
  return step;
}

// 6. Not above the epoch's start: D, and with it the next surrogate.
template <class Scalar>
void DenseRoad<Scalar>::accept(ColumnFeed<Scalar>& feed, Factors<Scalar>& f, double objective) {
  progress_.objective = objective;
  progress_.phase = Phase::on_surrogate;
  surrogate_is_current_ = true;
  correct_surrogate(feed, f);
}

// 6. D <- (V Hs' - [S T] Y Hs') (Hs Hs')^-1 with Hs = H.
template <class Scalar>
void DenseRoad<Scalar>::correct_surrogate(ColumnFeed<Scalar>& feed, Factors<Scalar>& f) {
  const RowMatrix<Scalar>& VHt = progress_.sums.up;
  surrogate_.correct(VHt.template cast<float>(), progress_.sums.HHt.template cast<double>(),
                     single_H_.of(f.H), [&](Matrix<double>& sum) { feed.total(sum); });
}

// 6. Above it: (W, H) <- a plain iteration on V from the epoch's start. In the first epoch, (W0, H0) was
// better than what the subset led to. Later the surrogate, which is in single precision, cannot gain any
// more: all further epochs iterate on V itself.
template <class Scalar>
void DenseRoad<Scalar>::undo(ColumnFeed<Scalar>& feed, Factors<Scalar>& f, const Factors<Scalar>& start) {
  progress_.phase = progress_.phase == Phase::first ? Phase::on_surrogate : Phase::on_V;
  surrogate_is_current_ = false;
  if (progress_.phase == Phase::on_V) {  // gives its memory to the iterations on V
    surrogate_ = {};
    single_H_.give_back();
    spare_H_.resize(0, 0);
  }
  assign(f, start);
  progress_.hals.plain_step(feed, f, sweeps_);
  if (feed.interrupted()) return;
  progress_.objective = progress_.hals.value();
  if (progress_.phase == Phase::on_surrogate) progress_.hals.forget();
}

// 6. The epochs after that: each is one iteration of HALS on V.
template <class Scalar>
void DenseRoad<Scalar>::iterate_on_V(ColumnFeed<Scalar>& feed, Factors<Scalar>& f,
                                     const Factors<Scalar>& start) {
  progress_.hals.iterate(feed, f, start, sweeps_);
  if (!feed.interrupted()) progress_.objective = progress_.hals.value();
}

// After a resume: S, Y and D are made again; their passes over V were counted the first time. T and what D
// needs of V are in the state.
template <class Scalar>
void DenseRoad<Scalar>::restore(ColumnFeed<Scalar>& feed, Factors<Scalar>& f, const Sizes& sizes) {
  const ColumnSubset<Scalar> subset(feed, sizes.subset, Counted::nothing);
  subset.with_dense([&](const auto& v) { find_sketch(feed, subset, v, sizes.sketch); });
  if (feed.interrupted() || !surrogate_is_current_) return;
  single_H_.round(f.H);
  surrogate_.make_room(f.H.cols());
  for (const Batch<Scalar>& v : feed.blocks(Counted::nothing))
    project(surrogate_.basis(), ProjectedRows::all, v, surrogate_.Y);
  if (!feed.interrupted()) correct_surrogate(feed, f);
}

// FastAlgorithm::state() says what these names mean.
template <class Scalar>
void DenseRoad<Scalar>::visit_state(StateVisitor<Scalar>& visit) {
  visit_as_number(visit, "visited", surrogate_is_current_);
  visit("model_beta", momentum_.weight);
  visit("VHt", progress_.sums.up);
  visit("HHt", progress_.sums.HHt);
  visit_as(visit, "R", surrogate_.T);
}

template class DenseRoad<float>;
template class DenseRoad<double>;

}  // namespace svrmu::fast
