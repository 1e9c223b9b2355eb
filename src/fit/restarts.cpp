#include "fit/restarts.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <span>
#include <utility>

#include "svrmu/error.hpp"

namespace svrmu {
namespace {

// Eigen's sparse matrices copy where others move, unless they are marked. R may be as large as V.
template <class Scalar>
FitResult<Scalar>&& moved(FitResult<Scalar>& result) {
  result.R_sparse.markAsRValue();
  return std::move(result);
}

bool same_tolerances(const Stopping& a, const Stopping& b) {
  return a.relative_change == b.relative_change && a.kkt == b.kkt && a.violation == b.violation &&
         a.error_fall == b.error_fall;
}

// Limits of time do not change what a run that ended within them gives.
bool same_rules(const Stopping& a, const Stopping& b) {
  return same_tolerances(a, b) && a.max_epochs == b.max_epochs && a.gradient_budget == b.gradient_budget;
}

// By itself, so that higher limits do not change what it gives.
bool ended_before_its_limits(StopReason reason) {
  return reason != StopReason::epoch_limit && reason != StopReason::gradient_budget &&
         reason != StopReason::time_limit && reason != StopReason::cancelled;
}

}  // namespace

template <class Scalar>
Restarts<Scalar>::Restarts(const Problem<Scalar>& problem, const FitOptions<Scalar>& options)
    : problem_(problem) {
  const GivenStart<Scalar>& given = options.given;
  state_.restarts = options.restarts;
  state_.first_seed = options.seed;
  state_.start = problem.options().start;
  state_.given = given.W || given.H || given.R || given.R_sparse;
  state_.stopping = options.stopping;
}

template <class Scalar>
Restarts<Scalar>::Restarts(const Problem<Scalar>& problem, const FitOptions<Scalar>& options,
                           const FitResult<Scalar>& previous)
    : problem_(problem), previous_(&previous), state_(previous.checkpoint.runs) {
  if (state_.restarts == 1) state_.first_seed = previous.seed;
  previous_stands_ = state_.restarts > 1 && same_tolerances(state_.stopping, options.stopping) &&
                     ended_before_its_limits(state_.reason);
  if (same_rules(state_.stopping, options.stopping)) {
    stand_ = state_.ended;
    if (state_.other_seconds > 0 || std::isfinite(state_.other_objective))
      ended_.push_back({number_of(state_.other_seed), state_.other_objective, state_.other_seconds});
  }
  state_.stopping = options.stopping;
}

template <class Scalar>
double Restarts<Scalar>::seconds_left() const {
  double left = state_.stopping.time_limit_seconds;
  for (const Ended& run : ended_) left -= run.seconds;
  return left;
}

template <class Scalar>
FitResult<Scalar> Restarts<Scalar>::run(int number) const {
  if (previous_ != nullptr && state_.given)
    throw InvalidInput(
        "of the " + std::to_string(state_.restarts) +
        " restarts some are still to be run, and they begin with given factors, which a result "
        "does not keep; fit again instead");
  return problem_.run({.seed = state_.first_seed + static_cast<std::uint64_t>(number),
                       .number = number,
                       .seconds_left = seconds_left()});
}

template <class Scalar>
std::optional<FitResult<Scalar>> Restarts<Scalar>::next() {
  const int mine = previous_ != nullptr ? number_of(previous_->seed) : -1;
  while (run_ < stand_ && run_ != mine) ++run_;
  if (run_ >= state_.restarts || stopped_) return std::nullopt;
  if (run_ > 0 && seconds_left() <= 0) {
    stopped_ = StopReason::time_limit;
    return std::nullopt;
  }
  FitResult<Scalar> result;
  try {
    if (run_ != mine) {
      FitResult<Scalar> made = run(run_);
      result = moved(made);
    } else if ((run_ < stand_ || previous_stands_) && !all_stand()) {
      result = *previous_;
      result.reason = state_.reason;
    } else {
      FitResult<Scalar> made = problem_.go_on_from(*previous_, seconds_left());
      result = moved(made);
    }
  } catch (const Cancelled&) {
    if (ended_.empty() && previous_ == nullptr) throw;
    stopped_ = StopReason::cancelled;
    return std::nullopt;
  }
  if (result.reason == StopReason::cancelled || result.reason == StopReason::time_limit)
    stopped_ = result.reason;
  else
    ended_.push_back({run_++, result.record().objective, result.checkpoint.solver_seconds});
  return moved(result);
}

// A run that ended and has a lower objective, or the same and came before.
template <class Scalar>
auto Restarts<Scalar>::better_than(const FitResult<Scalar>& result) const -> const Ended* {
  const std::pair mine(result.record().objective, number_of(result.seed));
  for (const Ended& other : ended_)
    if (other.run != mine.second && std::pair(other.objective, other.run) < mine) return &other;
  return nullptr;
}

template <class Scalar>
FitResult<Scalar> Restarts<Scalar>::with_state(FitResult<Scalar> result, int ended) const {
  RestartState& state = result.checkpoint.runs;
  state = state_;
  state.ended = all_stand() ? state_.restarts : ended;
  state.reason = result.reason;
  state.other_seconds = 0;
  state.other_objective = std::numeric_limits<double>::infinity();
  for (const Ended& other : ended_) {
    if (other.run == number_of(result.seed) || other.run >= state.ended) continue;
    state.other_seconds += other.seconds;
    if (other.objective >= state.other_objective) continue;
    state.other_objective = other.objective;
    state.other_seed = state_.first_seed + static_cast<std::uint64_t>(other.run);
  }
  if (stopped_) result.reason = *stopped_;
  return moved(result);
}

template <class Scalar>
FitResult<Scalar> Restarts<Scalar>::best() {
  std::optional<FitResult<Scalar>> best;
  while (std::optional<FitResult<Scalar>> result = next())
    if (!best || result->record().objective < best->record().objective) best = moved(*result);
  int ended = run_;
  if (stopped_) {
    // A stop leaves nothing worse than there was, unless that has gone on.
    const bool gone_on = best && previous_ != nullptr && best->seed == previous_->seed;
    if (previous_ != nullptr && !gone_on &&
        (!best || previous_->record().objective < best->record().objective)) {
      best = *previous_;
      best->reason = state_.reason;
      if (number_of(best->seed) >= stand_) ended = std::min(ended, number_of(best->seed));
    }
  } else if (const Ended* other = better_than(*best)) {
    // It is known by its objective alone: it is run again.
    try {
      FitResult<Scalar> again = run(other->run);
      if (again.record().objective <= other->objective) best = moved(again);
    } catch (const Cancelled&) {
      stopped_ = StopReason::cancelled;
    }
  }
  return with_state(moved(*best), ended);
}

template <class Scalar>
std::vector<FitResult<Scalar>> Restarts<Scalar>::all() {
  std::vector<FitResult<Scalar>> results;
  while (std::optional<FitResult<Scalar>> result = next()) results.push_back(moved(*result));
  return results;
}

template <class Scalar>
bool can_go_on(const FitResult<Scalar>& previous, const Stopping& stopping) {
  const Checkpoint<Scalar>& at = previous.checkpoint;
  const bool same = same_rules(at.runs.stopping, stopping);
  const double left = stopping.time_limit_seconds - (same ? at.runs.other_seconds : 0);
  if (at.solver_seconds >= left) return false;
  if (at.runs.restarts > 1 && (!same || at.runs.ended < at.runs.restarts)) return true;
  std::span<const EpochRecord> history = previous.history;
  // A run that stopped inside an epoch goes on from the beginning of it.
  if (!history.empty() && history.back().partial) history = history.first(history.size() - 1);
  return !should_stop(
      {.max_epochs = stopping.max_epochs, .relative_change = 0, .gradient_budget = stopping.gradient_budget},
      history);
}

template class Restarts<float>;
template class Restarts<double>;
template bool can_go_on<float>(const FitResult<float>&, const Stopping&);
template bool can_go_on<double>(const FitResult<double>&, const Stopping&);

}  // namespace svrmu
