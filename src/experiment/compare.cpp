#include <algorithm>
#include <cmath>
#include <set>

#include "svrmu/error.hpp"
#include "svrmu/experiment/compare.hpp"
#include "svrmu/plan.hpp"
#include "text/text.hpp"

namespace svrmu::experiment {
namespace {

constexpr Index no_limit = Index{1} << 60;

// What a solver is asked to minimize, beyond loss and penalties.
std::string outlier_model(const SolverOptions& solver) {
  if (!has_outliers(solver)) return "no outliers";
  for (const OptionInfo& option : options_of(solver))
    if (option.name == "outlier_penalty") return "outlier_penalty " + option.value;
  return {};
}

Stopping limits(const Budget& budget, double entries, double times) {
  Stopping stopping;
  stopping.relative_change = 0;
  stopping.max_epochs = no_limit;
  if (budget.epochs > 0)
    stopping.max_epochs = std::max<Index>(std::llround(static_cast<double>(budget.epochs) * times), 1);
  if (budget.gradient_counts > 0) stopping.gradient_budget = budget.gradient_counts * entries * times;
  if (budget.seconds > 0) stopping.time_limit_seconds = budget.seconds * times;
  return stopping;
}

void check(const std::vector<Contestant>& contestants, const CompareOptions& options) {
  if (contestants.empty()) throw InvalidInput("there is no algorithm to compare");
  if (options.seeds.empty()) throw InvalidInput("there is no seed to start from");
  if (std::set(options.seeds.begin(), options.seeds.end()).size() < options.seeds.size())
    throw InvalidInput("a seed is given twice: the same run would count twice");
  const auto bad = [](double value) { return !(value >= 0) || !std::isfinite(value); };
  const Budget& budget = options.budget;
  if (bad(budget.gradient_counts) || bad(budget.seconds) || budget.epochs < 0)
    throw InvalidInput("a limit of the budget must be finite and not negative");
  if (bad(options.reference) || options.reference > 1e6)
    throw InvalidInput("reference is " + number_text(options.reference) +
                       "; it must lie between 0 and 1000000");
  if (budget.gradient_counts == 0 && budget.seconds == 0 && budget.epochs == 0)
    throw InvalidInput("the budget has no limit; give gradient counts, epochs or seconds");
  if (budget.epochs > no_limit / 4 / std::max<Index>(std::llround(options.reference), 1))
    throw InvalidInput("the budget of " + std::to_string(budget.epochs) + " epochs is too large");
  const std::string first = outlier_model(contestants.front().solver);
  for (const Contestant& contestant : contestants)
    if (outlier_model(contestant.solver) != first)
      throw InvalidInput(contestants.front().label + " (" + first + ") and " + contestant.label + " (" +
                         outlier_model(contestant.solver) +
                         ") minimize different functions: their objectives cannot be compared");
}

// The algorithm whose long run stands for the optimum.
Contestant reference_for(const SolverOptions& solver, const Loss& loss) {
  if (has_outliers(solver)) {
    Contestant reference{"r-nmf", solver_named("r-nmf")};
    for (const OptionInfo& option : options_of(solver))
      if (option.name == "outlier_penalty") set_option(reference.solver, option.name, option.value);
    return reference;
  }
  const std::string name = loss.is_frobenius() ? "hals-acc" : "mu";
  return {name, solver_named(name)};
}

// fit()'s complaints name options, which several contestants have.
template <class Body>
auto about(const std::string& label, const Body& body) {
  try {
    return body();
  } catch (const InvalidData&) {
    throw;
  } catch (const InvalidInput& error) {
    throw InvalidInput(label + ": " + error.what());
  }
}

double lowest(const std::vector<EpochRecord>& history) {
  double least = std::numeric_limits<double>::infinity();
  for (const EpochRecord& record : history)
    if (std::isfinite(record.objective)) least = std::min(least, record.objective);
  return least;
}

}  // namespace

template <class Scalar>
Comparison compare(const MatrixSource<Scalar>& V, const std::vector<Contestant>& contestants,
                   const CompareOptions& options) {
  check(contestants, options);
  FitOptions<Scalar> fit_options;
  fit_options.rank = options.rank;
  fit_options.force_rank = options.force_rank;
  fit_options.loss = options.loss;
  fit_options.penalties = options.penalties;
  fit_options.start = options.start;
  fit_options.threads = options.threads;
  fit_options.stop = options.stop;
  const double entries = static_cast<double>(V.features()) * static_cast<double>(V.samples());
  fit_options.stopping = limits(options.budget, entries, 1);

  Comparison comparison{.features = V.features(),
                        .samples = V.samples(),
                        .rank = options.rank,
                        .loss = options.loss,
                        .budget = options.budget,
                        .contestants = contestants};
  for (Contestant& contestant : comparison.contestants) {
    const FitPlan plan = about(contestant.label, [&] { return plan_fit(V, contestant.solver, fit_options); });
    contestant.solver = plan.solver;
    for (const std::string& warning : plan.warnings) {
      const auto known = std::find(comparison.warnings.begin(), comparison.warnings.end(), warning);
      if (known == comparison.warnings.end()) comparison.warnings.push_back(warning);
    }
  }
  const Contestant reference = reference_for(contestants.front().solver, options.loss);
  FitOptions<Scalar> long_options = fit_options;
  long_options.stopping = limits(options.budget, entries, options.reference);
  if (options.reference > 0) {
    comparison.reference = reference.label;
    about("the reference " + reference.label, [&] { return plan_fit(V, reference.solver, long_options); });
  }

  ComparisonStep step{.runs = options.seeds.size() * (contestants.size() + (options.reference > 0 ? 1 : 0))};
  const auto run = [&](const std::string& label, const SolverOptions& solver, FitOptions<Scalar> how,
                       std::uint64_t seed) {
    step.seed = how.seed = seed;
    step.label = label;
    how.observer = [&](const EpochRecord& record) {
      step.record = &record;
      if (options.observer) options.observer(step);
      return Flow::keep_going;
    };
    FitResult<Scalar> result = about(label, [&] { return fit(V, solver, how); });
    if (result.reason == StopReason::cancelled) throw Cancelled("the comparison was asked to stop");
    ++step.run;
    return result;
  };

  double f_opt = std::numeric_limits<double>::infinity();
  std::string f_opt_by;
  const auto consider = [&](const std::vector<EpochRecord>& history, const std::string& label) {
    if (const double least = lowest(history); least < f_opt) {
      f_opt = least;
      f_opt_by = label;
    }
  };
  for (const std::uint64_t seed : options.seeds) {
    if (options.reference > 0)
      consider(run("reference", reference.solver, long_options, seed).history, "reference");
    for (std::size_t c = 0; c < contestants.size(); ++c) {
      const Contestant& contestant = comparison.contestants[c];
      FitResult<Scalar> result = run(contestant.label, contestant.solver, fit_options, seed);
      consider(result.history, contestant.label);
      if (result.history.size() == 1 && result.reason == StopReason::time_limit)
        comparison.warnings.push_back(contestant.label + " with seed " + std::to_string(seed) +
                                      " finished no epoch within " + number_text(options.budget.seconds) +
                                      " s: its gap is that of the start");
      comparison.runs.push_back({c, comparison.trials.size(), result.reason, std::move(result.history)});
    }
    comparison.trials.push_back({seed, 0, {}});
  }
  for (Trial& trial : comparison.trials) {
    trial.f_opt = f_opt;
    trial.f_opt_by = f_opt_by;
  }
  return comparison;
}

void append(Comparison& all, const Comparison& more) {
  const auto label = [](const Contestant& contestant) { return contestant.label; };
  if (!std::ranges::equal(all.contestants, more.contestants, {}, label, label))
    throw InvalidInput("comparisons of different algorithms cannot be put together");
  if (all.features != more.features || all.samples != more.samples || all.rank != more.rank)
    throw InvalidInput("comparisons of different sizes cannot be put together");
  for (ComparisonRun run : more.runs) {
    run.trial += all.trials.size();
    all.runs.push_back(std::move(run));
  }
  all.trials.insert(all.trials.end(), more.trials.begin(), more.trials.end());
  for (const std::string& warning : more.warnings)
    if (std::ranges::find(all.warnings, warning) == all.warnings.end()) all.warnings.push_back(warning);
}

template Comparison compare<float>(const MatrixSource<float>&, const std::vector<Contestant>&,
                                   const CompareOptions&);
template Comparison compare<double>(const MatrixSource<double>&, const std::vector<Contestant>&,
                                    const CompareOptions&);

}  // namespace svrmu::experiment
