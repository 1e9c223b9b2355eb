#include "fit/resolve.hpp"

#include <algorithm>
#include <cmath>

#include "svrmu/error.hpp"
#include "text/text.hpp"

namespace svrmu {
namespace {

void resolve_batches(SolverOptions& solver, const Shape& shape, std::vector<std::string>& warnings) {
  Index* batch_size = solver.find<Index>(Meaning::batch_size);
  if (batch_size == nullptr) return;
  const Index K = shape.rank;
  const bool chosen = *batch_size > 0;
  if (!chosen) *batch_size = std::max<Index>(5 * K, 256);
  *batch_size = std::min(*batch_size, shape.samples);
  if (chosen && *batch_size < std::min(5 * K, shape.samples) &&
      algorithm_of(solver).traits().noisy_small_batches)
    warnings.push_back("batch_size " + std::to_string(*batch_size) +
                       " is below 5 K = " + std::to_string(5 * K) + ": the steps of W are noisy" +
                       (has_safeguard(solver) ? "" : " and may diverge without the safeguard"));
}

// Most h steps on a batch.
int limit_of(HRuleLimit rule, double share, Index batch_size, const Shape& shape) {
  const auto F = static_cast<double>(shape.features);
  const auto N = static_cast<double>(shape.samples);
  const auto b = static_cast<double>(batch_size);
  const auto K = static_cast<double>(shape.rank);
  if (rule == HRuleLimit::balanced) {
    // What W'V and W'W cost in units of one h step: about that many steps are worth a quarter of it.
    const double rho = 1 + (F * b + F * K) / (b * (K + 1));
    return static_cast<int>(std::clamp(std::floor(1 + 0.25 * rho), 1.0, 20.0));
  }
  const double columns = rule == HRuleLimit::paper ? N : b;
  const double L = std::floor(share * (3 * F * K + 2 * F * columns) / (3 * F * K + 2 * K));
  return static_cast<int>(std::clamp(L, 1.0, 1e6));
}

void resolve_h_rule(SolverOptions& solver, const Shape& shape) {
  const HRule* rule = solver.find<HRule>(Meaning::h_rule);
  if (rule == nullptr || *rule == HRule::fixed) return;
  int& limit = *solver.find<int>(Meaning::h_rule_limit);
  if (limit == 0)
    limit = limit_of(*solver.find<HRuleLimit>(Meaning::h_rule_limit_rule),
                     *solver.find<double>(Meaning::h_rule_share), *solver.find<Index>(Meaning::batch_size),
                     shape);
}

void resolve_outliers(SolverOptions& solver, bool given, double largest) {
  auto* penalty = solver.find<std::optional<double>>(Meaning::outlier_penalty);
  if (penalty == nullptr) return;
  if (!*penalty) *penalty = 0.02 * largest;
  auto& update = *solver.find<OutlierUpdate>(Meaning::outlier_update);
  if (update != OutlierUpdate::automatic) return;
  const SolverOptions standard = solver.defaults();
  const auto differs = [&]<class Value>(Meaning meaning, Value) {
    return *solver.find<Value>(meaning) != *standard.find<Value>(meaning);
  };
  const bool about_R = given || differs(Meaning::outlier_start, OutlierStart{}) ||
                       differs(Meaning::outlier_step, OutlierStep{});
  update = about_R ? OutlierUpdate::multiplicative : OutlierUpdate::closed_form;
}

// Options of whatever was chosen.
void apply_settings(const OptionValues& settings, Choice& choice) {
  std::vector<std::string> has;
  for (const OptionInfo& info : options_of(choice.solver)) has.push_back(info.name);
  for (const auto& [option, value] : settings) {
    if (std::find(has.begin(), has.end(), option) == has.end())
      throw InvalidInput(choice.name + " (chosen by auto) has no option " + option + "; it has " +
                         list_text(has));
    set_option(choice.solver, option, value);
  }
}

}  // namespace

template <class Scalar>
Choice choose_for(const SolverOptions& solver, const FitOptions<Scalar>& options, const Shape& shape) {
  const Auto* open = solver.get_if<Auto>();
  const bool open_start = options.start == Start::automatic && !options.given.W && !options.given.H;
  if (open == nullptr) {
    const bool frobenius = open_start && algorithm_of(solver).begins_with_frobenius(solver, options.loss);
    return {std::string(solver.name()), solver, "", frobenius ? Start::frobenius : options.start};
  }
  const bool given_R = options.given.R || options.given.R_sparse;
  Choice choice = choose_solver({.features = shape.features,
                                 .samples = shape.samples,
                                 .rank = options.rank,
                                 .stored = shape.stored,
                                 .sparse = shape.sparse,
                                 .loss = options.loss,
                                 .penalties = options.penalties,
                                 .robust = open->robust || given_R});
  apply_settings(open->settings, choice);
  if (!open_start) choice.start = options.start;
  return choice;
}

template <class Scalar>
Choice choose(const MatrixSource<Scalar>& V, const SolverOptions& solver, const FitOptions<Scalar>& options) {
  return choose_for(solver, options,
                    {.features = V.features(),
                     .samples = V.samples(),
                     .local_samples = V.samples(),
                     .rank = options.rank,
                     .stored = static_cast<double>(V.stored()),
                     .sparse = V.is_sparse()});
}

template <class Scalar>
SolverOptions resolve(SolverOptions solver, const FitOptions<Scalar>& options, const Shape& shape,
                      const Scan& scan, std::vector<std::string>& warnings) {
  const Index K = shape.rank;
  if (scan.empty_rows > 0)
    warnings.push_back("V has " + std::to_string(scan.empty_rows) +
                       " rows without a value: their rows of W are zero");
  if (scan.empty_columns > 0)
    warnings.push_back("V has " + std::to_string(scan.empty_columns) +
                       " columns without a value: their columns of H are zero");
  if (K > std::min(shape.features, shape.samples))
    warnings.push_back("rank " + std::to_string(K) + " is above the smaller side of V (" +
                       shape_text(shape.features, shape.samples) + "): some components will be redundant");
  algorithm_of(solver).fill_in_options(solver, shape);
  resolve_batches(solver, shape, warnings);
  resolve_h_rule(solver, shape);
  resolve_outliers(solver, options.given.R || options.given.R_sparse, scan.max);
  return solver;
}

double descent_exponent(const Loss& loss) {
  return loss.beta < 1 ? 1 / (2 - loss.beta) : loss.beta > 2 ? 1 / (loss.beta - 1) : 1;
}

template <class Scalar>
DataTerm<Scalar> make_term(const SolverOptions& solver, const Loss& loss, const Penalties& penalties,
                           double v_scale) {
  DataTerm<Scalar> term;
  term.beta = loss.beta;
  term.on_w = {static_cast<Scalar>(penalties.l1_w), static_cast<Scalar>(penalties.l2_w)};
  term.on_h = {static_cast<Scalar>(penalties.l1_h), static_cast<Scalar>(penalties.l2_h)};
  const Exponent* exponent = solver.find<Exponent>(Meaning::exponent);
  if (exponent != nullptr && *exponent == Exponent::mm) term.exponent = descent_exponent(loss);
  if (const auto* penalty = solver.find<std::optional<double>>(Meaning::outlier_penalty)) {
    term.lambda = static_cast<Scalar>(v_scale * **penalty);
    term.sequential = *solver.find<OutlierStep>(Meaning::outlier_step) == OutlierStep::sequential;
    term.outliers = keeps_R(solver) ? OutlierModel::multiplicative : OutlierModel::closed_form;
  }
  return term;
}

double memory_needed(const SolverOptions& solver, Start start, const Shape& shape, std::size_t scalar_size) {
  const auto bytes = [&](const SolverOptions& s) {
    return static_cast<double>(scalar_size) * algorithm_of(s).numbers_held(s, shape, scalar_size);
  };
  if (start != Start::frobenius) return bytes(solver);
  return std::max(bytes(solver), bytes(choose_solver({}).solver));
}

bool keeps_R(const SolverOptions& resolved) {
  const auto* update = resolved.find<OutlierUpdate>(Meaning::outlier_update);
  return update != nullptr && *update == OutlierUpdate::multiplicative;
}

StepRatio step_of(const SolverOptions& solver, double factor, Index epochs, Index& w_steps) {
  const double* a = solver.find<double>(Meaning::step);
  if (a == nullptr) return factor;
  const double c = *solver.find<double>(Meaning::step_decay);
  const double p = *solver.find<double>(Meaning::step_decay_power);
  if (*solver.find<StepClock>(Meaning::step_decay_clock) == StepClock::step)
    return {*a * factor, c, p, w_steps};
  return *a / std::pow(1 + c * static_cast<double>(epochs), p) * factor;
}

bool has_safeguard(const SolverOptions& solver) {
  const bool* safeguard = solver.find<bool>(Meaning::safeguard);
  return safeguard == nullptr || *safeguard;
}

#define SVRMU_INSTANTIATE(S)                                                                        \
  template Choice choose<S>(const MatrixSource<S>&, const SolverOptions&, const FitOptions<S>&);    \
                                                                                                    \
  template Choice choose_for<S>(const SolverOptions&, const FitOptions<S>&, const Shape&);          \
  template SolverOptions resolve<S>(SolverOptions, const FitOptions<S>&, const Shape&, const Scan&, \
                                    std::vector<std::string>&);                                     \
  template DataTerm<S> make_term<S>(const SolverOptions&, const Loss&, const Penalties&, double);
SVRMU_INSTANTIATE(float)
SVRMU_INSTANTIATE(double)
#undef SVRMU_INSTANTIATE

}  // namespace svrmu
