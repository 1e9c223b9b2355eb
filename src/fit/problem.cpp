#include "fit/problem.hpp"

#include <cmath>

#include "fit/agree.hpp"
#include "fit/check.hpp"
#include "fit/quality.hpp"
#include "fit/resolve.hpp"
#include "fit/run.hpp"
#include "fit/scaling.hpp"
#include "svrmu/error.hpp"
#include "text/text.hpp"

namespace svrmu {
namespace {

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

// What a run that goes on has decided already.
template <class Scalar>
FitOptions<Scalar> options_of_run(FitOptions<Scalar> options, const FitResult<Scalar>& previous) {
  options.rank = previous.rank;
  options.loss = previous.loss;
  options.penalties = previous.penalties;
  options.start = previous.checkpoint.in_start ? Start::frobenius : previous.checkpoint.runs.start;
  options.given = {};
  options.restarts = 1;
  options.force_rank = true;
  return options;
}

}  // namespace

template <class Scalar>
Problem<Scalar>::Problem(const MatrixSource<Scalar>& V, const SolverOptions& solver,
                         const FitOptions<Scalar>& options, const Team& team)
    : V_(V), team_(team), options_(options), shape_(shape_of(V, team, options.rank)) {
  agree(team, [&] {
    choice_ = choose_for(solver, options, shape_);
    options_.start = choice_.start;
    check_options(choice_.solver, options_, shape_);
  });
  scan_ = svrmu::scan(V, team, options.stop);
  check_data(choice_.solver, options.loss, scan_);
  agree(team, [&] { check_given_outliers(V, options.given); });
  setting_ = setting_for(options.rank, choice_.start);
}

template <class Scalar>
Problem<Scalar>::Problem(const MatrixSource<Scalar>& V, const FitResult<Scalar>& previous,
                         const FitOptions<Scalar>& options, const Team& team)
    : V_(V),
      team_(team),
      options_(options_of_run(options, previous)),
      shape_(shape_of(V, team, previous.rank)),
      choice_{previous.algorithm, previous.solver, previous.choice, options_.start} {
  const auto& at = previous.checkpoint.current;
  agree(team, [&] {
    if (previous.checkpoint.stream.columns > 0)
      throw InvalidInput("the result to go on from learned from a stream: update() goes on with it");
    check_options(previous.solver, options_, shape_);
    if (at.W.rows() == shape_.features && at.H.cols() == shape_.local_samples) return;
    throw InvalidInput("V is " + shape_text(shape_.features, shape_.local_samples) +
                       ", but the result to go on from was made from " +
                       shape_text(at.W.rows(), at.H.cols()));
  });
  scan_ = svrmu::scan(V, team, options.stop);
  check_data(previous.solver, options_.loss, scan_);
  setting_ = {shape_, previous.solver, options_.start, previous.warnings};
  if (!std::isnan(previous.null_cost)) null_cost_ = previous.null_cost;
  agree(team, [&] { check_memory(memory_needed(previous.solver, options_.start, shape_, sizeof(Scalar))); });
}

template <class Scalar>
Problem<Scalar>::Problem(const Problem& other, const SolverOptions& solver, const FitOptions<Scalar>& options)
    : V_(other.V_),
      team_(other.team_),
      options_(options),
      shape_(other.shape_),
      choice_{std::string(solver.name()), solver, "", options.start},
      scan_(other.scan_) {
  shape_.rank = options.rank;
  setting_ = setting_for(options.rank, options.start);
}

template <class Scalar>
Setting Problem<Scalar>::setting_for(Index rank, Start start) const {
  Setting setting{shape_, choice_.solver, start, {}};
  setting.shape.rank = rank;
  setting.solver = resolve(choice_.solver, options_, setting.shape, scan_, setting.warnings);
  agree(team_, [&] { check_memory(memory_needed(setting.solver, start, setting.shape, sizeof(Scalar))); });
  return setting;
}

template <class Scalar>
FitResult<Scalar> Problem<Scalar>::run(const RunRequest& request) const {
  if (request.rank || request.start) return run_other(request);
  Stopping stopping = options_.stopping;
  stopping.time_limit_seconds = request.seconds_left.value_or(stopping.time_limit_seconds);
  Run<Scalar> run(*this, setting_, options_, stopping, request.seed, {.v = scale_of(scan_)});
  run.set_number(request.number);
  return run.from_start();
}

// Another rank or start: options are checked and automatic choices made for it.
template <class Scalar>
FitResult<Scalar> Problem<Scalar>::run_other(const RunRequest& request) const {
  FitOptions<Scalar> options = options_;
  options.rank = request.rank.value_or(options.rank);
  options.start = request.start.value_or(options.start);
  Stopping& stopping = options.stopping;
  stopping.time_limit_seconds = request.seconds_left.value_or(stopping.time_limit_seconds);
  Shape shape = shape_;
  shape.rank = options.rank;
  agree(team_, [&] { check_options(choice_.solver, options, shape); });
  const Setting setting = setting_for(options.rank, options.start);
  Run<Scalar> run(*this, setting, options, stopping, request.seed, {.v = scale_of(scan_)});
  run.set_number(request.number);
  return run.from_start();
}

template <class Scalar>
double Problem<Scalar>::null_cost(const std::function<bool()>& interrupted) const {
  if (null_cost_) return *null_cost_;
  const double cost = svrmu::null_cost(V_, team_, options_.loss, scan_, interrupted);
  if (!std::isnan(cost)) null_cost_ = cost;
  return cost;
}

template <class Scalar>
FitResult<Scalar> Problem<Scalar>::go_on_from(const FitResult<Scalar>& previous, double seconds_left) const {
  const Checkpoint<Scalar>& c = previous.checkpoint;
  const int number = c.runs.restarts > 1 ? static_cast<int>(previous.seed - c.runs.first_seed) : 0;
  if (c.in_start) return run({.seed = previous.seed, .number = number, .seconds_left = seconds_left});
  Stopping stopping = options_.stopping;
  stopping.time_limit_seconds = seconds_left;
  const Scaling scaling{.v = c.w_scale * c.h_scale, .w = c.w_scale, .h = c.h_scale};
  Run<Scalar> run(*this, setting_, options_, stopping, previous.seed, scaling);
  run.set_number(number);
  return run.from_checkpoint(previous);
}

template class Problem<float>;
template class Problem<double>;

}  // namespace svrmu
