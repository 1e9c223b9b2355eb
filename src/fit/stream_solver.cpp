#include "fit/stream_solver.hpp"

#include "fit/resolve.hpp"
#include "svrmu/error.hpp"

namespace svrmu {
namespace {

// The number of samples that a stream may come to have, for choices that depend on it.
constexpr Index endless = Index{1} << 50;

Choice choose_by_loss(const Auto& open, const Loss& loss) {
  Choice choice;
  choice.name = open.robust ? "r-onmf" : loss.is_frobenius() ? "inc-hals" : "smu-acc";
  choice.solver = solver_named(choice.name);
  choice.reason = "loss " + to_string(loss) + ", and every column is seen once";
  for (const auto& [option, value] : open.settings) set_option(choice.solver, option, value);
  return choice;
}

void check_h_limit(const SolverOptions& solver) {
  const auto* rule = solver.find<HRuleLimit>(Meaning::h_rule_limit_rule);
  if (rule == nullptr || *rule != HRuleLimit::paper || *solver.find<int>(Meaning::h_rule_limit) > 0) return;
  throw InvalidInput(
      "h_rule_limit_rule is paper, which needs the number of samples, and a stream does not tell it; choose "
      "paper_batch, or set h_rule_limit");
}

}  // namespace

Choice choose_for_stream(const SolverOptions& solver, StreamOptionsOf whose, const Loss& loss, Index features,
                         Index rank, std::vector<std::string>& warnings) {
  const Auto* open = solver.get_if<Auto>();
  Choice choice = open != nullptr ? choose_by_loss(*open, loss)
                                  : Choice{std::string(solver.name()), solver, "", Start::automatic};
  choice.solver = algorithm_of(choice.solver).streaming_options(choice.solver, whose);
  check_h_limit(choice.solver);
  const Shape shape{.features = features, .samples = endless, .local_samples = endless, .rank = rank};
  choice.solver = resolve(choice.solver, FitOptions<double>{}, shape, Scan{}, warnings);
  return choice;
}

bool has_statistics(const SolverOptions& solver) {
  StateFacts any;
  any.F = any.K = 1;
  return !algorithm_of(solver).streaming_state_parts(any).empty();
}

void check_forgetting(const SolverOptions& solver, double forget_factor) {
  if (forget_factor != 1 && !has_statistics(solver))
    throw InvalidInput("forget_factor is set, but " + std::string(solver.name()) +
                       " keeps no statistics that it could forget; onmf, inc-mu and inc-hals do");
}

Index window_of(const SolverOptions& resolved, Index window) {
  const Index batch = *resolved.find<Index>(Meaning::batch_size);
  const Index batches = algorithm_of(resolved).traits().batches_per_window;
  if (window == 0) return batches * batch;
  if (batches == 1)
    throw InvalidInput("window is set, but " + std::string(resolved.name()) +
                       " takes a stream batch by batch; set batch_size");
  if (window < batch)
    throw InvalidInput("window is " + std::to_string(window) + ", but a batch has " + std::to_string(batch) +
                       " columns: it must hold at least one");
  return window;
}

}  // namespace svrmu
