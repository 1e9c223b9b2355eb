#include "fit/stream_run.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "data/window_source.hpp"
#include "fit/check.hpp"
#include "fit/initialize.hpp"
#include "fit/resolve.hpp"
#include "fit/run.hpp"
#include "fit/state.hpp"
#include "fit/stream_solver.hpp"
#include "linalg/copies.hpp"
#include "svrmu/error.hpp"

namespace svrmu {
namespace {

// H of columns that nobody has seen: the same everywhere, so that sum(W h) is about sum(v). The first
// multiplicative step finds the size of each column.
template <class Scalar>
void start_h(const RowMatrix<Scalar>& W, Index columns, double mean_sum, Matrix<Scalar>& H) {
  const double all = norms(W.data(), W.size()).l1;
  const double size = all > 0 ? mean_sum / all : 1;
  constexpr Scalar least = floor_value<Scalar>;
  H.setConstant(W.cols(), columns, std::max(static_cast<Scalar>(size), least));
}

template <class Scalar>
FitOptions<Scalar> fit_options(const StreamStart<Scalar>& start) {
  FitOptions<Scalar> options;
  options.rank = start.rank;
  options.force_rank = true;  // the number of samples is not known
  options.loss = start.loss;
  options.penalties = start.penalties;
  options.seed = start.seed;
  options.start = start.start;
  options.given.W = start.W;
  return options;
}

}  // namespace

template <class Scalar>
StreamRun<Scalar>::StreamRun(ColumnStream<Scalar>& V, const StreamOptions<Scalar>& options)
    : V_(V), options_(options) {
  check_ranges(options);
}

template <class Scalar>
FitResult<Scalar> StreamRun<Scalar>::from_nothing(const SolverOptions& solver,
                                                  const StreamStart<Scalar>& start) {
  if (options_.solver)
    throw InvalidInput("the algorithm is named twice: solver of the options is for update()");
  if (start.start == Start::frobenius)
    throw InvalidInput("start frobenius needs a fit of its own, which a stream cannot have; use random");
  FitOptions<Scalar> options = fit_options(start);
  check_ranges(options);
  if (!start.force_rank) check_rank(start.rank, V_.features(), V_.features());
  Choice choice = choose_for_stream(solver, StreamOptionsOf::caller, start.loss, V_.features(), start.rank,
                                    result_.warnings);
  result_.solver = std::move(choice.solver);
  result_.algorithm = std::move(choice.name);
  result_.choice = std::move(choice.reason);
  check_forgetting(result_.solver, options_.forget_factor);
  window_ = window_of(result_.solver, options_.window);
  if (!serve()) throw InvalidData("the stream ended before its first column");
  const WindowSource<Scalar> source(served_);
  const Shape shape{.features = V_.features(),
                    .samples = served_.count,
                    .local_samples = served_.count,
                    .rank = start.rank,
                    .stored = static_cast<double>(source.stored()),
                    .sparse = V_.is_sparse()};
  check_options(result_.solver, options, shape);
  const Scan scan = look_over();
  check_window(scan);
  if (scan.max == 0)
    throw InvalidData("the first " + std::to_string(served_.count) +
                      " columns of the stream are zero, and they make the start; leave them out");
  check_data(result_.solver, start.loss, scan);

  result_.seed = start.seed;
  result_.rank = start.rank;
  result_.loss = start.loss;
  result_.penalties = start.penalties;
  scaling_ = {.v = scale_of(scan)};
  const Team alone{};
  ColumnFeed<Scalar> feed(source, alone, start.seed, static_cast<Scalar>(scaling_.v), {});
  const bool multiplicative = algorithm_of(result_.solver).traits().multiplicative;
  factors_.W = initialize(feed, options, start.seed, scan, multiplicative, scaling_).W;
  begin(result_.solver);
  solver_->forget(feed, factors_);
  const StopReason reason = learn_all(true);
  if (state_.columns == 0)
    throw InvalidInput("the first " + std::to_string(served_.count) +
                       " columns of the stream lead to numbers that are not finite: a given W, a penalty, or "
                       "V is too large");
  return result(reason);
}

template <class Scalar>
FitResult<Scalar> StreamRun<Scalar>::from_model(const FitResult<Scalar>& model) {
  const Checkpoint<Scalar>& at = model.checkpoint;
  if (at.current.W.size() == 0 || at.in_start)
    throw InvalidInput("the model to update has no state to go on from");
  if (algorithm_of(model.solver).traits().robust)
    throw InvalidInput("the model was made by " + std::string(model.solver.name()) +
                       ", and no algorithm models outliers on a stream; fit it anew by one without outliers");
  if (V_.features() != at.current.W.rows())
    throw InvalidInput("V has " + std::to_string(V_.features()) + " features, but the model has " +
                       std::to_string(at.current.W.rows()));
  const bool goes_on = algorithm_of(model.solver).traits().streams;
  const SolverOptions wanted = options_.solver.value_or(goes_on ? model.solver : SolverOptions());
  const StreamOptionsOf whose = options_.solver ? StreamOptionsOf::caller : StreamOptionsOf::fit;
  std::vector<std::string> warnings;
  const Choice choice = choose_for_stream(wanted, whose, model.loss, V_.features(), model.rank, warnings);
  const SolverOptions& solver = choice.solver;
  FitOptions<Scalar> options;
  options.rank = model.rank;
  options.force_rank = true;
  options.loss = model.loss;
  options.penalties = model.penalties;
  check_options(solver, options, {.features = V_.features(), .samples = 1, .rank = model.rank});
  check_forgetting(solver, options_.forget_factor);
  window_ = window_of(solver, options_.window);
  if (!serve()) return model;

  result_ = model;
  result_.checkpoint = {};
  if (!options_.solver && !goes_on)
    result_.choice =
        std::string(model.solver.name()) + " has to see columns again: " + choice.name + " goes on";
  if (solver.name() != model.solver.name()) result_.algorithm = choice.name;
  result_.solver = solver;
  result_.warnings.insert(result_.warnings.end(), warnings.begin(), warnings.end());
  result_.column_norms.clear();
  result_.R.resize(0, 0);
  result_.R_sparse.resize(0, 0);
  scaling_ = {.v = at.w_scale * at.h_scale, .w = at.w_scale, .h = at.h_scale};
  factors_.W = at.best ? at.best->W : at.current.W;
  begin(solver);
  take_past(model);
  const StopReason reason = learn_all(true);
  if (columns_ > 0) return result(reason);
  FitResult<Scalar> unchanged = model;
  unchanged.reason = reason;
  return unchanged;
}

// Statistics of the samples before, and the counts.
template <class Scalar>
void StreamRun<Scalar>::take_past(const FitResult<Scalar>& model) {
  const Checkpoint<Scalar>& at = model.checkpoint;
  state_ = at.stream;
  const bool on_stream = state_.columns > 0;
  const bool kept = algorithm_of(model.solver).traits().streams && at.matrices.contains("A");
  if (kept) {
    Checkpoint<Scalar> statistics;
    statistics.matrices = at.matrices;
    statistics.numbers = at.numbers;
    // inc-hals does not count them.
    statistics.numbers.try_emplace("columns",
                                   on_stream ? state_.weight : static_cast<double>(at.current.H.cols()));
    CopyIn<Scalar> copy(statistics);
    solver_->visit_state(copy);
  } else if (on_stream && has_statistics(result_.solver)) {
    throw InvalidInput("solver is " + std::string(result_.solver.name()) + ", but " +
                       std::string(model.solver.name()) +
                       " kept no statistics of the columns before; go on with smu or svrmu");
  } else {
    Factors<Scalar> past;
    past.W = factors_.W;
    past.H = at.best ? at.best->H : at.current.H;
    solver_->assume(past);
  }
  // The clocks of the step begin with the stream.
  if (on_stream)
    w_steps_ = at.w_steps;
  else
    state_.weight = static_cast<double>(at.current.H.cols());
  solver_seconds_ = at.solver_seconds;
  evaluate_seconds_ = at.evaluate_seconds;
  gradient_count_ = at.gradient_count;
  read_before_ = at.columns_read;
  result_.checkpoint.columns_evaluated = at.columns_evaluated;
  // The record at the end of a call makes room for later ones.
  if (state_.columns > state_.last_record && !result_.history.empty() && result_.history.back().estimated)
    result_.history.pop_back();
}

template <class Scalar>
void StreamRun<Scalar>::begin(const SolverOptions& resolved) {
  const Penalties working = scaling_.penalties(result_.penalties, result_.loss);
  term_ = make_term<Scalar>(resolved, result_.loss, working, scaling_.v);
  solver_ = algorithm_of(resolved).make_streaming(resolved, term_);
}

// The next window; false after the last.
template <class Scalar>
bool StreamRun<Scalar>::serve() {
  served_ = {};
  if (!V_.next(window_, served_)) return false;
  const auto count = static_cast<std::size_t>(served_.count);
  if (served_.count < 1 || served_.count > window_)
    throw InvalidInput("the stream served " + std::to_string(served_.count) + " columns where 1 to " +
                       std::to_string(window_) + " were asked for");
  served_.features = V_.features();
  served_.total = served_.count;
  served_.first_sample = columns_;
  const bool sparse = WindowSource<Scalar>(served_).is_sparse();
  if (sparse != V_.is_sparse() || (!served_.list.empty() && served_.list.size() != count))
    throw InvalidInput(
        "the stream served a batch that is not as it said: sparse or dense, or its list of columns");
  return true;
}

template <class Scalar>
Scan StreamRun<Scalar>::look_over() const {
  Scan scan;
  scan_columns(served_, scan);
  scan.entries = static_cast<double>(served_.features) * static_cast<double>(served_.count);
  scan.single = std::is_same_v<Scalar, float>;
  return scan;
}

template <class Scalar>
void StreamRun<Scalar>::check_window(const Scan& scan) const {
  check_values(scan);
  check_zeros(result_.loss, scan);
}

template <class Scalar>
StopReason StreamRun<Scalar>::learn_all(bool served) {
  const double begin = solver_seconds_;
  for (; served; served = serve()) {
    const Scan scan = look_over();
    check_window(scan);
    if (!learn(scan)) return StopReason::numerical_failure;
    columns_ += served_.count;
    if (options_.keep_h) hand_out_h();
    if (state_.columns >= 2 * state_.last_record) record(true);
    if (options_.progress) options_.progress({columns_, last_error_});
    if (observer_stops_ || options_.stop.stop_requested()) return StopReason::cancelled;
    if (solver_seconds_ - begin >= options_.time_limit_seconds) return StopReason::time_limit;
  }
  return StopReason::end_of_stream;
}

// False: the window led to numbers that are not finite, and is undone.
template <class Scalar>
bool StreamRun<Scalar>::learn(const Scan& scan) {
  const Stopwatch watch;
  const Team alone{};
  const WindowSource<Scalar> source(served_);
  ColumnFeed<Scalar> feed(source, alone, result_.seed, static_cast<Scalar>(scaling_.v), {});
  const auto count = static_cast<double>(served_.count);
  const double weight = options_.forget_factor * state_.weight + count;
  feed.set_all_samples(weight);
  start_h(factors_.W, served_.count, scan.sum * scaling_.v / count, factors_.H);
  assign(start_.W, factors_.W);
  CopyOut<Scalar> copy(result_.checkpoint);
  solver_->visit_state(copy);
  const Index steps_before = w_steps_;
  const StepRatio step = step_of(result_.solver, 1, state_.windows, w_steps_);
  last_step_ = step.now();
  feed.begin_epoch(1);  // of the window: its steps begin with its first batch
  solver_->epoch(feed, factors_, {step, start_, options_.forget_factor});
  solver_seconds_ += watch.seconds();

  const Stopwatch evaluating;
  Evaluation now;
  Scan of_many = scan;  // rounding cancels in the sum over the windows as it does in a large V
  of_many.entries = std::numeric_limits<double>::infinity();
  if (scan.squared > 0)
    now = Evaluator<Scalar>(source, alone, term_, result_.loss, of_many, scaling_)(factors_, solver_->sums());
  evaluate_seconds_ += evaluating.seconds();
  if (!std::isfinite(now.objective)) {
    std::swap(factors_.W, start_.W);
    CopyIn<Scalar> back(result_.checkpoint);
    solver_->visit_state(back);
    w_steps_ = steps_before;
    return false;
  }
  const auto add = [&](double& sum, double value) { sum = options_.forget_factor * sum + value; };
  state_.weight = weight;
  add(state_.cost, now.cost);
  add(state_.on_h, now.on_h);
  add(state_.residual, now.relative_error * now.relative_error * scan.squared);
  add(state_.squared, scan.squared);
  state_.columns += served_.count;
  ++state_.windows;
  gradient_count_ += feed.gradient_count();
  last_error_ = now.relative_error;
  return true;
}

template <class Scalar>
void StreamRun<Scalar>::hand_out_h() const {
  Matrix<Scalar> h;
  const auto unit = static_cast<Scalar>(1 / scaling_.h);
  if (term_.infinite_at_zero())
    assign_scaled(h, unit, factors_.H);
  else
    assign_above_floor(h, unit, factors_.H);
  options_.keep_h(columns_ - served_.count, h);
}

// stays: also when more columns come.
template <class Scalar>
void StreamRun<Scalar>::record(bool stays) {
  EpochRecord r;
  std::vector<EpochRecord>& history = result_.history;
  r.epoch = history.empty() ? 1 : history.back().epoch + 1;
  r.cost = state_.cost;
  r.objective = state_.cost + state_.on_h + penalty(term_.on_w, factors_.W) / scaling_.loss(result_.loss);
  r.relative_error = state_.squared > 0 ? std::sqrt(state_.residual / state_.squared) : 0;
  r.gradient_count = gradient_count_;
  r.columns_read = read_before_ + columns_;
  r.columns_evaluated = result_.checkpoint.columns_evaluated;
  r.solver_seconds = solver_seconds_;
  r.evaluate_seconds = evaluate_seconds_;
  r.step = last_step_;
  r.estimated = true;
  history.push_back(r);
  if (stays) state_.last_record = state_.columns;
  if (options_.observer && options_.observer(r) == Flow::stop) observer_stops_ = true;
}

template <class Scalar>
FitResult<Scalar> StreamRun<Scalar>::result(StopReason reason) {
  if (state_.columns > state_.last_record) record(false);
  FitResult<Scalar> r = std::move(result_);
  r.reason = reason;
  r.returned = r.history.empty() ? 0 : r.history.size() - 1;
  if (state_.columns > 0)
    r.null_cost = r.loss.is_frobenius() ? state_.squared / 2 : std::numeric_limits<double>::quiet_NaN();
  const auto unit = static_cast<Scalar>(1 / scaling_.w);
  if (term_.infinite_at_zero())
    assign_scaled(r.W, unit, factors_.W);
  else
    assign_above_floor(r.W, unit, factors_.W);
  r.H.resize(r.rank, 0);

  Checkpoint<Scalar>& at = r.checkpoint;
  at.matrices.clear();
  at.numbers.clear();
  CopyOut<Scalar> copy(at);
  solver_->visit_state(copy);
  at.current.W = std::move(factors_.W);
  at.current.H.resize(r.rank, 0);
  at.best_entry = r.returned;
  at.epoch = r.history.empty() ? 0 : r.history.back().epoch;
  at.best_epoch = at.epoch;
  at.best_objective = r.history.empty() ? 0 : r.history.back().objective;
  at.gradient_count = gradient_count_;
  at.columns_read = read_before_ + columns_;
  at.w_steps = w_steps_;
  at.solver_seconds = solver_seconds_;
  at.evaluate_seconds = evaluate_seconds_;
  at.w_scale = scaling_.w;
  at.h_scale = scaling_.h;
  at.stream = state_;
  return r;
}

template class StreamRun<float>;
template class StreamRun<double>;

}  // namespace svrmu
