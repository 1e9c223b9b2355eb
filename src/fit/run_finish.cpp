// How a run ends: what is returned, and what going on needs.
#include <cmath>
#include <functional>
#include <limits>
#include <utility>

#include "fit/resolve.hpp"
#include "fit/result.hpp"
#include "fit/run.hpp"
#include "fit/state.hpp"

namespace svrmu {

template <class Scalar>
FitResult<Scalar> Run<Scalar>::finish(std::optional<StopReason> reason) {
  if (!reason) return finish_interrupted();
  stopped_ = *reason == StopReason::cancelled;
  grace_ = {};
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
  stopped_ = stop_requested();
  grace_ = {};
  phase_ = Phase::finishing;
  const StopReason reason = stopped_ ? StopReason::cancelled : StopReason::time_limit;
  const bool has_read = feed_.columns_read() != counts_at_start_.columns_read;
  Factors<Scalar> partial = std::exchange(factors_, std::move(start_));
  Checkpoint<Scalar> checkpoint = make_checkpoint(counts_at_start_);
  checkpoint.current = to_iterate(factors_);
  checkpoint.matrices = std::move(state_at_start_.matrices);
  checkpoint.numbers = std::move(state_at_start_.numbers);

  if (!has_read) return result(reason, std::move(checkpoint));

  const Evaluation now = evaluate(partial, nullptr);
  if (evaluator_->interrupted()) return result(reason, std::move(checkpoint));
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
  phase_ = Phase::finishing;
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
  std::function<bool()> interrupted;
  if (stopped_) interrupted = [this] { return grace_is_over(); };
  r.null_cost = problem_.null_cost(interrupted);
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

#define SVRMU_INSTANTIATE(S)                                       \
  template FitResult<S> Run<S>::finish(std::optional<StopReason>); \
  template FitResult<S> Run<S>::result(StopReason, Checkpoint<S>); \
  template Checkpoint<S> Run<S>::make_checkpoint(const Run<S>::Counts&) const;
SVRMU_INSTANTIATE(float)
SVRMU_INSTANTIATE(double)
#undef SVRMU_INSTANTIATE

}  // namespace svrmu
