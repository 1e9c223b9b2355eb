#include "fit/run.hpp"

#include <cmath>
#include <functional>
#include <limits>
#include <utility>

#include "fit/agree.hpp"
#include "fit/check.hpp"
#include "fit/initialize.hpp"
#include "fit/lift_zeros.hpp"
#include "fit/resolve.hpp"
#include "fit/result.hpp"
#include "fit/state.hpp"
#include "linalg/batch_copies.hpp"
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
  feed_.set_pack(pack_columns<Scalar>);
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
    Checkpoint<Scalar> checkpoint = make_checkpoint(counts());
    checkpoint.in_start = true;
    checkpoint.current = to_iterate(factors_);
    return result(StopReason::time_limit, std::move(checkpoint));
  }
  return finish(iterate());
}

// All members of the team see the same interruption.
template <class Scalar>
void Run<Scalar>::leave_if_cancelled() const {
  if (feed_.interrupted() || (evaluator_ && evaluator_->interrupted()))
    throw Cancelled("asked to stop before there was anything to return");
}

template <class Scalar>
FitResult<Scalar> Run<Scalar>::from_checkpoint(const FitResult<Scalar>& previous) {
  const Checkpoint<Scalar>& from = previous.checkpoint;
  factors_ = to_factors<Scalar>(from.current);
  if (keeps_R(setting_.solver) && setting_.shape.sparse)  // they depend on V alone: any start gives them
    factors_.R.offsets =
        initialize_outliers(feed_, {}, OutlierStart::uniform, 0, problem_.scan(), scaling_, factors_).offsets;
  leave_if_cancelled();
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
  leave_if_cancelled();
  const bool whole = setting_.start != Start::frobenius || descend_frobenius();
  if (keeps_R(setting_.solver))
    factors_.R = initialize_outliers(feed_, options_.given,
                                     *setting_.solver.template find<OutlierStart>(Meaning::outlier_start),
                                     seed_, problem_.scan(), scaling_, factors_);
  leave_if_cancelled();
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
  if (!reason && run.stop_requested()) throw Cancelled("asked to stop while the start was made");
  const bool whole = reason && *reason != StopReason::time_limit;
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
  std::function<bool()> interrupted;
  if (can_be_interrupted_) interrupted = [this] { return evaluation_unwanted(); };
  evaluator_.emplace(problem_.source(), problem_.team(), term_, options_.loss, problem_.scan(), scaling_,
                     std::move(interrupted));
}

// Prepares the solver and evaluates the start.
template <class Scalar>
void Run<Scalar>::begin_history() {
  const Stopwatch watch;
  solver_->prepare(feed_, factors_);
  leave_if_cancelled();
  solver_seconds_ = problem_.team().max(solver_seconds_ + watch.seconds());
  const Sums<Scalar>* known = solver_->sums();
  const Evaluation start = evaluate(factors_, known != nullptr && known->give_objective() ? known : nullptr);
  leave_if_cancelled();
  record(start);
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
    phase_ = Phase::epoch;
    solver_->epoch(feed_, factors_,
                   {.step = ratio, .start = start_, .measure_violation = stopping_.violation > 0});
    phase_ = Phase::judging;
    // One clock decides for all.
    solver_seconds_ = problem_.team().max(solver_seconds_ + watch.seconds());
    if (feed_.interrupted()) return std::nullopt;
    ++epoch_;
    if (stopping_.violation > 0) take_violation(solver_->violation());
    const double budget = stopping_.gradient_budget;
    const bool last = epoch_ >= stopping_.max_epochs || (budget > 0 && feed_.gradient_count() >= budget);
    if (epoch_ % options_.evaluate_every != 0 && !last) continue;
    reason = judge(last_step_);
    if (evaluator_->interrupted()) {
      --epoch_;  // it is not known how good it is
      return std::nullopt;
    }
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
  if (evaluator_->interrupted()) return std::nullopt;
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
Evaluation Run<Scalar>::evaluate(const Factors<Scalar>& factors, const Sums<Scalar>* sums) {
  const Stopwatch watch;
  evaluator_->begin();
  const Evaluation now = (*evaluator_)(factors, sums);
  if (stopping_.kkt > 0 && !evaluator_->interrupted()) {
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
  // What a solver does between two epochs it does whole, or its state would be of no use.
  if (!can_be_interrupted_ || phase_ == Phase::judging || phase_ == Phase::finishing) return false;
  if (options_.stop.stop_requested()) return true;
  return phase_ == Phase::epoch && solver_seconds_ + epoch_watch_.seconds() >= stopping_.time_limit_seconds;
}

template <class Scalar>
bool Run<Scalar>::evaluation_unwanted() const {
  return phase_ == Phase::finishing ? grace_is_over() : options_.stop.stop_requested();
}

// How a run ends is in run_finish.cpp, which uses some of these.
#define SVRMU_INSTANTIATE(S)                                                                     \
  template Run<S>::Run(const Problem<S>&, const Setting&, const FitOptions<S>&, const Stopping&, \
                       std::uint64_t, const Scaling&);                                           \
  template FitResult<S> Run<S>::from_start();                                                    \
  template FitResult<S> Run<S>::from_checkpoint(const FitResult<S>&);                            \
  template Evaluation Run<S>::evaluate(const Factors<S>&, const Sums<S>*);                       \
  template void Run<S>::record(const Evaluation&, double);                                       \
  template bool Run<S>::stop_requested() const;
SVRMU_INSTANTIATE(float)
SVRMU_INSTANTIATE(double)
#undef SVRMU_INSTANTIATE

}  // namespace svrmu
