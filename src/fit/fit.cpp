// The one loop: epochs, clocks, evaluation, safeguard, stopping and reporting.
#include "svrmu/fit.hpp"

#include <chrono>
#include <cmath>
#include <utility>

#include "data/feed.hpp"
#include "fit/agree.hpp"
#include "fit/evaluate.hpp"
#include "fit/frobenius_start.hpp"
#include "fit/initialize.hpp"
#include "fit/result.hpp"
#include "fit/scaling.hpp"
#include "fit/scan.hpp"
#include "fit/state.hpp"
#include "fit/validate.hpp"
#include "linalg/copies.hpp"
#include "linalg/parallel.hpp"
#include "solvers/solver.hpp"
#include "svrmu/error.hpp"

namespace svrmu {
namespace {

constexpr double smallest_step_factor = 1e-3;
constexpr double step_recovery = 1.2;

class Stopwatch {
 public:
  double seconds() const { return std::chrono::duration<double>(Clock::now() - begin_).count(); }

 private:
  using Clock = std::chrono::steady_clock;
  Clock::time_point begin_ = Clock::now();
};

// What every run on this V has in common.
template <class Scalar>
struct Problem {
  const MatrixSource<Scalar>& source;
  const Team& team;
  Shape shape;
  Scan scan;
  SolverOptions solver;
  std::vector<std::string> warnings;
};

template <class Scalar>
Shape shape_of(const MatrixSource<Scalar>& V, const Team& team, Index rank) {
  double sizes[] = {static_cast<double>(V.samples()), static_cast<double>(V.stored())};
  team.sum(std::span<double>(sizes));
  return {.features = V.features(),
          .samples = static_cast<Index>(sizes[0]),
          .local_samples = V.samples(),
          .rank = rank,
          .stored = sizes[1],
          .sparse = V.is_sparse()};
}

template <class Scalar>
class Run {
 public:
  Run(const Problem<Scalar>& problem, const FitOptions<Scalar>& options, std::uint64_t seed, Scaling scaling)
      : problem_(problem),
        options_(options),
        seed_(seed),
        scaling_(scaling),
        feed_(problem.source, problem.team, seed, static_cast<Scalar>(scaling.v),
              [this] { return stop_wanted(); }) {
    // One member's token or limit ends the epoch of all, so all keep what is needed to go on.
    const bool mine = options.stop.stop_possible() || std::isfinite(options.stopping.time_limit_seconds);
    can_be_interrupted_ = problem.team.max(mine ? 1 : 0) > 0;
  }

  FitResult<Scalar> from_start() {
    factors_ =
        initialize(feed_, options_, seed_, problem_.scan, is_multiplicative(problem_.solver), scaling_);
    if (options_.start == Start::frobenius)
      descend_frobenius(problem_.source, problem_.team, problem_.scan, scaling_, feed_, factors_);
    if (keeps_R(problem_.solver))
      factors_.R = initialize_outliers(feed_, options_.given, outlier_start(), seed_, problem_.scan, scaling_,
                                       factors_);
    begin();
    const Stopwatch watch;
    solver_->prepare(feed_, factors_);
    solver_seconds_ = problem_.team.max(watch.seconds());
    const Sums<Scalar>* known = solver_->sums();
    report(evaluate_factors(factors_, known != nullptr && known->give_objective() ? known : nullptr));
    if (!std::isfinite(history_.back().objective))
      throw InvalidInput(
          "the objective of the start is not finite: a given W, H or R, a penalty, or V is too large");
    best_objective_ = history_.back().objective;
    if (keeps_best()) best_ = factors_;
    return iterate();
  }

  FitResult<Scalar> from_checkpoint(const FitResult<Scalar>& previous) {
    const Checkpoint<Scalar>& from = previous.checkpoint;
    factors_ = to_factors<Scalar>(from.current);
    if (keeps_R(problem_.solver) && problem_.shape.sparse) factors_.R.offsets = pattern_offsets();
    agree(problem_.team, [&] { check_outliers(factors_.R); });
    begin();
    if (from.best) {
      best_ = to_factors<Scalar>(*from.best);
      best_->R.offsets = factors_.R.offsets;
    } else if (keeps_best()) {
      best_ = factors_;
    }
    CopyIn<Scalar> copy(from);
    solver_->visit_state(copy);
    history_ = previous.history;
    if (!history_.empty() && history_.back().partial) history_.pop_back();
    best_objective_ = from.best_objective;
    best_entry_ = from.best_entry;
    best_epoch_ = from.best_epoch;
    epoch_ = from.epoch;
    step_factor_ = from.step_factor;
    rollbacks_ = from.rollbacks;
    solver_seconds_ = from.solver_seconds;
    evaluate_seconds_ = from.evaluate_seconds;
    kkt_start_ = from.kkt_start;
    feed_.set_counts(from.gradient_count, from.columns_read);
    return iterate();
  }

 private:
  void begin() {
    const Penalties working = scaling_.penalties(options_.penalties, options_.loss);
    term_ = make_term<Scalar>(problem_.solver, options_.loss, working, scaling_.v);
    solver_ = std::visit([&](const auto& o) { return make_solver<Scalar>(o, term_); }, problem_.solver);
    evaluator_.emplace(problem_.source, problem_.team, term_, options_.loss, problem_.scan, scaling_);
  }

  FitResult<Scalar> iterate() {
    // A run that is continued has arrived already by its tolerances; only limits can hold it back.
    Stopping limits = options_.stopping;
    limits.relative_change = 0;
    limits.kkt = 0;
    std::optional<StopReason> reason = should_stop(limits, history_);
    if (!reason && observer_stops_) reason = StopReason::cancelled;
    while (!reason) {
      remember_start();
      const double step = step_of(problem_.solver, epoch_) * step_factor_;
      const Stopwatch watch;
      epoch_watch_ = watch;
      feed_.begin_epoch(epoch_ + 1);
      in_epoch_ = true;
      solver_->epoch(feed_, factors_, {step, start_});
      in_epoch_ = false;
      solver_seconds_ = problem_.team.max(solver_seconds_ + watch.seconds());  // one clock decides for all
      if (feed_.interrupted()) {
        reason = stop_requested() ? StopReason::cancelled : StopReason::time_limit;
        return interrupted(*reason, step);
      }
      ++epoch_;
      const double budget = options_.stopping.gradient_budget;
      const bool last =
          epoch_ >= options_.stopping.max_epochs || (budget > 0 && feed_.gradient_count() >= budget);
      if (epoch_ % options_.evaluate_every != 0 && !last) continue;
      reason = judge(step);
      if (!reason) reason = should_stop(options_.stopping, history_);
      if (!reason && is_exact()) reason = StopReason::relative_change;
      if (!reason && observer_stops_) reason = StopReason::cancelled;
    }
    return finish(*reason);
  }

  // Evaluates the epoch and lets the safeguard decide what becomes of it.
  std::optional<StopReason> judge(double step) {
    const Evaluation now = evaluate();
    const bool finite = std::isfinite(now.objective);
    const bool guard = has_safeguard(problem_.solver);
    const Descent descent = solver_->descent();
    const double start = history_.front().objective;
    const bool rose = now.objective > best_objective_ + evaluator_->rounding(start);
    const bool above_start = now.objective > start + evaluator_->rounding(start);
    const bool undo = guard && (!finite || (descent == Descent::guarded && rose) ||
                                (descent == Descent::wandering && above_start));
    if (!finite && (!guard || descent == Descent::monotone || step_factor_ <= smallest_step_factor)) {
      factors_ = best_ ? *best_ : start_;
      solver_->forget(feed_, factors_);  // its state belongs to the factors that failed
      return StopReason::numerical_failure;
    }
    if (undo) {
      // Statistics of a failed epoch are forgotten with it, but for variance reduction they stay valid.
      factors_ = best_ ? *best_ : start_;
      if (!finite || descent == Descent::wandering) solver_->forget(feed_, factors_);
      solver_->roll_back();
      step_factor_ = std::max(step_factor_ / 2, smallest_step_factor);
      ++rollbacks_;
      EpochRecord undone = history_[best_entry_];
      undone.rolled_back = true;
      undone.relative_change = 0;
      report(undone, step);
      return std::nullopt;
    }
    report(now, step);
    if (descent == Descent::guarded) step_factor_ = std::min(1.0, step_factor_ * step_recovery);
    if (now.objective <= best_objective_ || !returns_best()) {
      best_objective_ = std::min(now.objective, best_objective_);
      best_entry_ = history_.size() - 1;
      best_epoch_ = epoch_;
      best_.reset();
      if (keeps_best()) best_ = factors_;
    }
    return std::nullopt;
  }

  // Ended in the middle of an epoch: what there is becomes the result if it is good, but going on starts from
  // the epoch's beginning.
  FitResult<Scalar> interrupted(StopReason reason, double step) {
    Factors<Scalar> partial = std::exchange(factors_, std::move(start_));
    const double gradient_count = feed_.gradient_count();
    const Index columns_read = feed_.columns_read();
    feed_.set_counts(gradient_count_at_start_, columns_read_at_start_);
    Checkpoint<Scalar> checkpoint = make_checkpoint();
    checkpoint.current = to_iterate(factors_);
    feed_.set_counts(gradient_count, columns_read);
    checkpoint.matrices = std::move(state_at_start_.matrices);
    checkpoint.numbers = std::move(state_at_start_.numbers);

    const Evaluation now = evaluate_factors(partial, nullptr);
    const bool better = std::isfinite(now.objective) && now.objective < best_objective_;
    if (better || (!has_safeguard(problem_.solver) && std::isfinite(now.objective))) {
      ++epoch_;
      report(now, step);
      history_.back().partial = true;
      best_entry_ = history_.size() - 1;
      best_.reset();
      factors_ = std::move(partial);
    }
    return result(reason, std::move(checkpoint));
  }

  FitResult<Scalar> finish(StopReason reason) {
    Checkpoint<Scalar> checkpoint = make_checkpoint();
    MoveOut<Scalar> move(checkpoint);
    solver_->visit_state(move);
    FitResult<Scalar> r = result(reason, std::move(checkpoint));
    r.checkpoint.current = to_iterate(std::move(factors_));
    return r;
  }

  FitResult<Scalar> result(StopReason reason, Checkpoint<Scalar> checkpoint) {
    FitResult<Scalar> r;
    r.reason = reason;
    r.history = std::move(history_);
    r.returned = best_entry_;
    r.seed = seed_;
    r.rank = options_.rank;
    r.loss = options_.loss;
    r.penalties = options_.penalties;
    r.solver = problem_.solver;
    r.warnings = problem_.warnings;
    r.checkpoint = std::move(checkpoint);
    // Memory that was touched before: new memory would take longer to touch than to fill.
    r.W = std::move(start_.W);
    r.H = std::move(start_.H);
    fill_outputs(feed_, term_, scaling_, best_ ? *best_ : factors_, options_.normalize, r);
    return r;
  }

  // All but the current factors.
  Checkpoint<Scalar> make_checkpoint() {
    Checkpoint<Scalar> c;
    if (best_ && best_epoch_ != epoch_) c.best = to_iterate(*best_);
    c.best_epoch = best_epoch_;
    c.best_objective = best_objective_;
    c.best_entry = best_entry_;
    c.epoch = epoch_;
    c.step_factor = step_factor_;
    c.rollbacks = rollbacks_;
    c.gradient_count = feed_.gradient_count();
    c.columns_read = feed_.columns_read();
    c.solver_seconds = solver_seconds_;
    c.evaluate_seconds = evaluate_seconds_;
    c.w_scale = scaling_.w;
    c.h_scale = scaling_.h;
    c.kkt_start = kkt_start_;
    return c;
  }

  // The factors at the start of the epoch: to restore, and as the snapshot of svrmu.
  void remember_start() {
    if (solver_->looks_at_start_only(feed_, factors_)) {
      std::swap(start_, factors_);
      factors_.W.resize(start_.W.rows(), start_.W.cols());
      factors_.H.resize(start_.H.rows(), start_.H.cols());
    } else {
      assign(start_.W, factors_.W);
      assign(start_.H, factors_.H);
      start_.R = factors_.R;
    }
    if (!can_be_interrupted_) return;
    CopyOut<Scalar> copy(state_at_start_);
    solver_->visit_state(copy);
    gradient_count_at_start_ = feed_.gradient_count();
    columns_read_at_start_ = feed_.columns_read();
  }

  // What is left of V is its rounding: the objective only wanders from here on.
  bool is_exact() const {
    return options_.stopping.relative_change > 0 &&
           history_.back().relative_error < 20 * static_cast<double>(std::numeric_limits<Scalar>::epsilon());
  }

  Evaluation evaluate() { return evaluate_factors(factors_, solver_->sums()); }

  Evaluation evaluate_factors(const Factors<Scalar>& factors, const Sums<Scalar>* sums) {
    const Stopwatch watch;
    const Evaluation now = (*evaluator_)(factors, sums);
    if (options_.stopping.kkt > 0) {
      const double gradient = evaluator_->projected_gradient(factors);
      if (epoch_ == 0 || kkt_start_ == 0) kkt_start_ = gradient;
      kkt_ = kkt_start_ > 0 ? gradient / kkt_start_ : 0;
    }
    evaluate_seconds_ += watch.seconds();
    return now;
  }

  void report(const Evaluation& now, double step = 1) {
    EpochRecord r;
    r.objective = now.objective;
    r.cost = now.cost;
    r.relative_error = now.relative_error;
    if (options_.stopping.kkt > 0) r.kkt = kkt_;
    if (!history_.empty()) {
      const double before = history_.back().objective;
      r.relative_change = before > 0 ? std::abs(before - now.objective) / before : 0;
    }
    report(r, step);
  }

  void report(EpochRecord r, double step) {
    r.epoch = epoch_;
    r.gradient_count = feed_.gradient_count();
    r.columns_read = feed_.columns_read();
    r.solver_seconds = solver_seconds_;
    r.evaluate_seconds = evaluate_seconds_;
    r.step = step;
    r.rollbacks = rollbacks_;
    history_.push_back(r);
    const bool stop = options_.observer && options_.observer(r) == Flow::stop;
    if (problem_.team.max(stop ? 1 : 0) > 0) observer_stops_ = true;
  }

  // Solvers that wander return the best factors seen; the others the last ones evaluated.
  bool returns_best() const {
    return has_safeguard(problem_.solver) && solver_->descent() == Descent::wandering;
  }
  bool keeps_best() const { return returns_best() || options_.evaluate_every > 1; }
  bool stop_requested() const { return problem_.team.max(options_.stop.stop_requested() ? 1 : 0) > 0; }
  bool stop_wanted() const {
    if (!in_epoch_ || !can_be_interrupted_) return false;
    return options_.stop.stop_requested() ||
           solver_seconds_ + epoch_watch_.seconds() >= options_.stopping.time_limit_seconds;
  }
  OutlierStart outlier_start() const {
    return std::visit(
        []<class O>(const O& o) {
          if constexpr (requires { o.outlier_start; }) return o.outlier_start;
          return OutlierStart::scaled_uniform;
        },
        problem_.solver);
  }
  // R was made for the V of the run that is continued; here it must fit this one.
  void check_outliers(const Outliers<Scalar>& R) const {
    const bool kept = keeps_R(problem_.solver);
    const Index dense =
        kept && !problem_.shape.sparse ? problem_.shape.features * problem_.shape.local_samples : 0;
    const Index stored = R.offsets.empty() ? 0 : R.offsets.back();
    if (R.dense.size() != dense || static_cast<Index>(R.values.size()) != stored)
      throw InvalidInput(
          "the outliers of the result to go on from do not fit V: it must be the V of that run");
  }
  std::vector<Index> pattern_offsets() {
    // The offsets depend on V alone: any start gives them.
    return initialize_outliers(feed_, {}, OutlierStart::uniform, 0, problem_.scan, scaling_, factors_)
        .offsets;
  }

  const Problem<Scalar>& problem_;
  const FitOptions<Scalar>& options_;
  std::uint64_t seed_;
  Scaling scaling_;
  ColumnFeed<Scalar> feed_;
  DataTerm<Scalar> term_;
  std::unique_ptr<Solver<Scalar>> solver_;
  std::optional<Evaluator<Scalar>> evaluator_;

  Factors<Scalar> factors_;
  Factors<Scalar> start_;                // of the present epoch
  std::optional<Factors<Scalar>> best_;  // what to return, where it is not the present iterate
  double best_objective_ = 0;
  std::size_t best_entry_ = 0;  // of the history: the factors to return
  Index best_epoch_ = 0;
  Checkpoint<Scalar> state_at_start_;
  double gradient_count_at_start_ = 0;
  Index columns_read_at_start_ = 0;

  std::vector<EpochRecord> history_;
  Index epoch_ = 0;
  double step_factor_ = 1;
  Index rollbacks_ = 0;
  double solver_seconds_ = 0;
  double evaluate_seconds_ = 0;
  double kkt_ = 0;
  double kkt_start_ = 0;
  bool observer_stops_ = false;
  bool can_be_interrupted_ = false;
  bool in_epoch_ = false;  // only then can a pass be interrupted
  Stopwatch epoch_watch_;
};

}  // namespace

template <class Scalar>
FitResult<Scalar> fit(const MatrixSource<Scalar>& V, const SolverOptions& solver,
                      const FitOptions<Scalar>& options, const Team& team) {
  const Shape shape = shape_of(V, team, options.rank);
  agree(team, [&] { check_options(solver, options, shape); });
  const ThreadScope threads(options.threads);
  Problem<Scalar> problem{V, team, shape, scan(V, team), solver, {}};
  check_data(solver, options.loss, problem.scan);
  problem.solver = resolve(solver, options, shape, problem.scan, problem.warnings);
  agree(team, [&] { check_memory(memory_needed(problem.solver, options.start, shape, sizeof(Scalar))); });
  Scaling scaling;
  scaling.v = scale_of(problem.scan);

  std::optional<FitResult<Scalar>> best;
  FitOptions<Scalar> left = options;  // the time limit is for all runs together
  for (int i = 0; i < options.restarts && (i == 0 || left.stopping.time_limit_seconds > 0); ++i) {
    Run<Scalar> run(problem, left, options.seed + static_cast<std::uint64_t>(i), scaling);
    FitResult<Scalar> result = run.from_start();
    left.stopping.time_limit_seconds -= result.history.back().solver_seconds;
    const bool cancelled = result.reason == StopReason::cancelled;
    if (!best || result.record().objective < best->record().objective) best = std::move(result);
    if (!cancelled) continue;
    best->reason = StopReason::cancelled;
    break;
  }
  return *std::move(best);
}

template <class Scalar>
FitResult<Scalar> resume(const MatrixSource<Scalar>& V, const FitResult<Scalar>& previous,
                         const FitOptions<Scalar>& options, const Team& team) {
  FitOptions<Scalar> same = options;
  same.rank = previous.rank;
  same.loss = previous.loss;
  same.penalties = previous.penalties;
  same.start = Start::automatic;
  same.given = {};
  same.restarts = 1;
  const Shape shape = shape_of(V, team, previous.rank);
  const auto& at = previous.checkpoint.current;
  agree(team, [&] {
    check_options(previous.solver, same, shape);
    if (at.W.rows() == shape.features && at.H.cols() == shape.local_samples) return;
    throw InvalidInput("V is " + std::to_string(shape.features) + " x " +
                       std::to_string(shape.local_samples) + ", but the result to go on from was made from " +
                       std::to_string(at.W.rows()) + " x " + std::to_string(at.H.cols()));
  });
  const ThreadScope threads(options.threads);
  Problem<Scalar> problem{V, team, shape, scan(V, team), previous.solver, previous.warnings};
  check_data(previous.solver, same.loss, problem.scan);
  agree(team, [&] { check_memory(memory_needed(problem.solver, same.start, shape, sizeof(Scalar))); });
  const Checkpoint<Scalar>& c = previous.checkpoint;
  const Scaling scaling{.v = c.w_scale * c.h_scale, .w = c.w_scale, .h = c.h_scale};
  Run<Scalar> run(problem, same, previous.seed, scaling);
  return run.from_checkpoint(previous);
}

#define SVRMU_INSTANTIATE(S)                                                                         \
  template FitResult<S> fit<S>(const MatrixSource<S>&, const SolverOptions&, const FitOptions<S>&,   \
                               const Team&);                                                         \
  template FitResult<S> resume<S>(const MatrixSource<S>&, const FitResult<S>&, const FitOptions<S>&, \
                                  const Team&);
SVRMU_INSTANTIATE(float)
SVRMU_INSTANTIATE(double)
#undef SVRMU_INSTANTIATE

}  // namespace svrmu
