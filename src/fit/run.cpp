#include "fit/run.hpp"

#include <cmath>
#include <limits>
#include <utility>

#include "fit/agree.hpp"
#include "fit/check.hpp"
#include "fit/initialize.hpp"
#include "fit/lift_zeros.hpp"
#include "fit/resolve.hpp"
#include "fit/result.hpp"
#include "fit/state.hpp"
#include "linalg/copies.hpp"
#include "svrmu/error.hpp"

namespace svrmu {
namespace {

constexpr double smallest_step_factor = 1e-3;
constexpr double step_recovery = 1.2;

// Of a start by the Frobenius loss: most epochs, and the fall per epoch at which the other loss takes over.
constexpr Index start_epochs = 20;
constexpr double start_settled = 1e-2;
// From so many samples on the first epoch, which learns on a part of them, leaves the second next to nothing.
constexpr Index samples_for_one_epoch = 10000;

}  // namespace

template <class Scalar>
Run<Scalar>::Run(const Problem<Scalar>& problem, const Setting& setting, const FitOptions<Scalar>& options,
                 const Stopping& stopping, std::uint64_t seed, const Scaling& scaling)
    : problem_(problem),
      setting_(setting),
      options_(options),
      stopping_(stopping),
      seed_(seed),
      scaling_(scaling),
      feed_(problem.source(), problem.team(), seed, static_cast<Scalar>(scaling_.v),
            [this] { return stop_wanted(); }),
      evaluated_before_(feed_.total_samples()) {
  // One member's token or limit ends the epoch of all, so all keep what is needed to go on.
  const bool mine = options.stop.stop_possible() || std::isfinite(stopping.time_limit_seconds);
  can_be_interrupted_ = problem.team().max(mine ? 1 : 0) > 0;
}

template <class Scalar>
FitResult<Scalar> Run<Scalar>::from_start() {
  const bool whole = make_start();
  begin();
  begin_history();
  if (!whole) {
    const StopReason reason = stop_requested() ? StopReason::cancelled : StopReason::time_limit;
    Checkpoint<Scalar> checkpoint = make_checkpoint(counts());
    checkpoint.in_start = true;
    checkpoint.current = to_iterate(factors_);
    return result(reason, std::move(checkpoint));
  }
  return finish(iterate());
}

template <class Scalar>
FitResult<Scalar> Run<Scalar>::from_checkpoint(const FitResult<Scalar>& previous) {
  const Checkpoint<Scalar>& from = previous.checkpoint;
  factors_ = to_factors<Scalar>(from.current);
  if (keeps_R(setting_.solver) && setting_.shape.sparse)  // they depend on V alone: any start gives them
    factors_.R.offsets =
        initialize_outliers(feed_, {}, OutlierStart::uniform, 0, problem_.scan(), scaling_, factors_).offsets;
  agree(problem_.team(), [&] { check_outliers(factors_.R, keeps_R(setting_.solver), setting_.shape); });
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
  violation_start_ = from.violation_start;
  feed_.set_counts(from.gradient_count, from.columns_read);
  w_steps_ = from.w_steps;
  evaluated_before_ = from.columns_evaluated;
  return finish(iterate());
}

template <class Scalar>
bool Run<Scalar>::make_start() {
  const bool multiplicative = algorithm_of(setting_.solver).traits().multiplicative;
  factors_ = initialize(feed_, options_, seed_, problem_.scan(), multiplicative, scaling_);
  const bool whole = setting_.start != Start::frobenius || descend_frobenius();
  if (keeps_R(setting_.solver))
    factors_.R = initialize_outliers(feed_, options_.given,
                                     *setting_.solver.template find<OutlierStart>(Meaning::outlier_start),
                                     seed_, problem_.scan(), scaling_, factors_);
  return whole;
}

// A start for other losses. Where the Frobenius loss is small, theirs is not far from it, and its algorithm
// is there in a few passes over V. That run is like any other: it can be interrupted, and its work is
// counted.
template <class Scalar>
bool Run<Scalar>::descend_frobenius() {
  FitOptions<Scalar> options;
  options.rank = options_.rank;
  options.start = Start::random;
  options.stop = options_.stop;
  options.stopping = {.max_epochs = feed_.total_samples() < samples_for_one_epoch ? start_epochs : 1,
                      .relative_change = start_settled,
                      .time_limit_seconds = stopping_.time_limit_seconds};
  const Problem<Scalar> frobenius(problem_, choose_solver({}).solver, options);
  Run run(frobenius, frobenius.setting(), options, options.stopping, seed_, scaling_);
  run.factors_ = std::move(factors_);
  run.feed_.set_counts(feed_.gradient_count(), feed_.columns_read());
  run.begin();
  run.begin_history();
  const std::optional<StopReason> reason = run.iterate();
  const bool whole = reason && *reason != StopReason::cancelled && *reason != StopReason::time_limit;
  factors_ = std::move(run.factors_);
  lift_zeros(feed_, factors_);
  solver_seconds_ = run.solver_seconds_;
  evaluate_seconds_ = run.evaluate_seconds_;
  feed_.set_counts(run.feed_.gradient_count(), run.feed_.columns_read());
  evaluated_before_ = run.counts().columns_evaluated;
  return whole;
}

template <class Scalar>
void Run<Scalar>::begin() {
  const Penalties working = scaling_.penalties(options_.penalties, options_.loss);
  term_ = make_term<Scalar>(setting_.solver, options_.loss, working, scaling_.v);
  solver_ = make_solver<Scalar>(setting_.solver, term_);
  evaluator_.emplace(problem_.source(), problem_.team(), term_, options_.loss, problem_.scan(), scaling_);
}

// Prepares the solver and evaluates the start.
template <class Scalar>
void Run<Scalar>::begin_history() {
  const Stopwatch watch;
  solver_->prepare(feed_, factors_);
  solver_seconds_ = problem_.team().max(solver_seconds_ + watch.seconds());
  const Sums<Scalar>* known = solver_->sums();
  record(evaluate(factors_, known != nullptr && known->give_objective() ? known : nullptr));
  if (!std::isfinite(history_.back().objective))
    throw InvalidInput(
        "the objective of the start is not finite: a given W, H or R, a penalty, or V is too large");
  best_objective_ = history_.back().objective;
  if (keeps_best()) best_ = factors_;
}

// Nothing: interrupted in the middle of an epoch.
template <class Scalar>
std::optional<StopReason> Run<Scalar>::iterate() {
  // A run that is continued has arrived already by its tolerances; only limits can hold it back.
  Stopping limits = stopping_;
  limits.relative_change = 0;
  limits.kkt = 0;
  limits.violation = 0;
  limits.error_fall = 0;
  std::optional<StopReason> reason = should_stop(limits, history_);
  if (!reason && observer_stops_) reason = StopReason::cancelled;
  while (!reason) {
    remember_start();
    const StepRatio ratio = step_of(setting_.solver, step_factor_, epoch_, w_steps_);
    last_step_ = ratio.now();
    const Stopwatch watch;
    epoch_watch_ = watch;
    feed_.begin_epoch(epoch_ + 1);
    in_epoch_ = true;
    solver_->epoch(feed_, factors_,
                   {.step = ratio, .start = start_, .measure_violation = stopping_.violation > 0});
    in_epoch_ = false;
    // One clock decides for all.
    solver_seconds_ = problem_.team().max(solver_seconds_ + watch.seconds());
    if (feed_.interrupted()) return std::nullopt;
    ++epoch_;
    if (stopping_.violation > 0) take_violation(solver_->violation());
    const double budget = stopping_.gradient_budget;
    const bool last = epoch_ >= stopping_.max_epochs || (budget > 0 && feed_.gradient_count() >= budget);
    if (epoch_ % options_.evaluate_every != 0 && !last) continue;
    reason = judge(last_step_);
    if (!reason && has_arrived()) reason = StopReason::relative_change;
    if (!reason) reason = should_stop(stopping_, history_);
    if (!reason && observer_stops_) reason = StopReason::cancelled;
  }
  return reason;
}

// Evaluates the epoch and lets the safeguard decide what becomes of it.
template <class Scalar>
std::optional<StopReason> Run<Scalar>::judge(double step) {
  const Evaluation now = evaluate(factors_, solver_->sums());
  const bool finite = std::isfinite(now.objective);
  const bool guard = has_safeguard(setting_.solver);
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
    record(undone, step);
    return std::nullopt;
  }
  record(now, step);
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

// The factors at the start of the epoch: to restore, and as the snapshot of svrmu.
template <class Scalar>
void Run<Scalar>::remember_start() {
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
  counts_at_start_ = counts();
}

template <class Scalar>
FitResult<Scalar> Run<Scalar>::finish(std::optional<StopReason> reason) {
  if (!reason) return finish_interrupted();
  Checkpoint<Scalar> checkpoint = make_checkpoint(counts());
  MoveOut<Scalar> move(checkpoint);
  solver_->visit_state(move);
  FitResult<Scalar> r = result(*reason, std::move(checkpoint));
  r.checkpoint.current = to_iterate(std::move(factors_));
  return r;
}

// What there is becomes the result if it is good, but going on starts from the epoch's beginning.
template <class Scalar>
FitResult<Scalar> Run<Scalar>::finish_interrupted() {
  const StopReason reason = stop_requested() ? StopReason::cancelled : StopReason::time_limit;
  Factors<Scalar> partial = std::exchange(factors_, std::move(start_));
  Checkpoint<Scalar> checkpoint = make_checkpoint(counts_at_start_);
  checkpoint.current = to_iterate(factors_);
  checkpoint.matrices = std::move(state_at_start_.matrices);
  checkpoint.numbers = std::move(state_at_start_.numbers);

  const Evaluation now = evaluate(partial, nullptr);
  violation_ = std::numeric_limits<double>::quiet_NaN();  // of an epoch that is not whole
  const bool better = std::isfinite(now.objective) && now.objective < best_objective_;
  if (better || (!has_safeguard(setting_.solver) && std::isfinite(now.objective))) {
    ++epoch_;
    record(now, last_step_);
    history_.back().partial = true;
    best_entry_ = history_.size() - 1;
    best_.reset();
    factors_ = std::move(partial);
  }
  return result(reason, std::move(checkpoint));
}

template <class Scalar>
FitResult<Scalar> Run<Scalar>::result(StopReason reason, Checkpoint<Scalar> checkpoint) {
  FitResult<Scalar> r;
  r.reason = reason;
  r.history = std::move(history_);
  r.returned = best_entry_;
  r.seed = seed_;
  r.rank = options_.rank;
  r.loss = options_.loss;
  r.penalties = options_.penalties;
  r.solver = setting_.solver;
  r.algorithm = problem_.choice().name;
  r.choice = problem_.choice().reason;
  r.warnings = setting_.warnings;
  r.null_cost = problem_.null_cost();
  r.checkpoint = std::move(checkpoint);
  // Memory that was touched before: new memory would take longer to touch than to fill.
  r.W = std::move(start_.W);
  r.H = std::move(start_.H);
  fill_outputs(feed_, problem_.scan(), term_, scaling_, best_ ? *best_ : factors_, options_.normalize, r);
  return r;
}

// All but the current factors.
template <class Scalar>
Checkpoint<Scalar> Run<Scalar>::make_checkpoint(const Counts& counts) const {
  Checkpoint<Scalar> c;
  if (best_ && best_epoch_ != epoch_) c.best = to_iterate(*best_);
  c.best_epoch = best_epoch_;
  c.best_objective = best_objective_;
  c.best_entry = best_entry_;
  c.epoch = epoch_;
  c.step_factor = step_factor_;
  c.rollbacks = rollbacks_;
  counts.into(c);
  c.w_steps = counts.w_steps;
  c.solver_seconds = solver_seconds_;
  c.evaluate_seconds = evaluate_seconds_;
  c.w_scale = scaling_.w;
  c.h_scale = scaling_.h;
  c.kkt_start = kkt_start_;
  c.violation_start = violation_start_;
  return c;
}

template <class Scalar>
Evaluation Run<Scalar>::evaluate(const Factors<Scalar>& factors, const Sums<Scalar>* sums) {
  const Stopwatch watch;
  const Evaluation now = (*evaluator_)(factors, sums);
  if (stopping_.kkt > 0) {
    const double gradient = evaluator_->projected_gradient(factors);
    if (epoch_ == 0 || kkt_start_ == 0) kkt_start_ = gradient;
    kkt_ = kkt_start_ > 0 ? gradient / kkt_start_ : 0;
  }
  evaluate_seconds_ += watch.seconds();
  return now;
}

// The gradient in W of the working objective is that of the objective times unit / w; so for H.
template <class Scalar>
void Run<Scalar>::take_violation(const Violation& met) {
  const double unit = scaling_.loss(options_.loss);
  const double now = met.of_w * (scaling_.w / unit) + met.of_h * (scaling_.h / unit);
  if (violation_start_ == 0) violation_start_ = now;
  violation_ = violation_start_ > 0 ? now / violation_start_ : 0;
}

template <class Scalar>
void Run<Scalar>::record(const Evaluation& now, double step) {
  EpochRecord r;
  r.objective = now.objective;
  r.cost = now.cost;
  r.relative_error = now.relative_error;
  if (stopping_.kkt > 0) r.kkt = kkt_;
  r.violation = violation_;
  if (!history_.empty()) {
    const double before = history_.back().objective;
    r.relative_change = before > 0 ? std::abs(before - now.objective) / before : 0;
  }
  record(r, step);
}

template <class Scalar>
void Run<Scalar>::record(EpochRecord r, double step) {
  r.epoch = epoch_;
  r.run = number_;
  counts().into(r);
  r.solver_seconds = solver_seconds_;
  r.evaluate_seconds = evaluate_seconds_;
  r.step = step;
  r.rollbacks = rollbacks_;
  history_.push_back(r);
  const bool stop = options_.observer && options_.observer(r) == Flow::stop;
  if (problem_.team().max(stop ? 1 : 0) > 0) observer_stops_ = true;
}

// Solvers that wander return the best factors seen; the others the last ones evaluated.
template <class Scalar>
bool Run<Scalar>::returns_best() const {
  return has_safeguard(setting_.solver) && solver_->descent() == Descent::wandering;
}

template <class Scalar>
bool Run<Scalar>::stop_requested() const {
  return problem_.team().max(options_.stop.stop_requested() ? 1 : 0) > 0;
}

template <class Scalar>
bool Run<Scalar>::stop_wanted() const {
  if (!in_epoch_ || !can_be_interrupted_) return false;
  return options_.stop.stop_requested() ||
         solver_seconds_ + epoch_watch_.seconds() >= stopping_.time_limit_seconds;
}

template class Run<float>;
template class Run<double>;

}  // namespace svrmu
