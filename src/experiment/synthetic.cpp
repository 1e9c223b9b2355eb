// Experiment 1 of the paper: convergence on synthetic data, and what can be said of its claim.
#include <algorithm>
#include <cmath>

#include "svrmu/error.hpp"
#include "svrmu/experiment/compare.hpp"
#include "text/text.hpp"

namespace svrmu::experiment {
namespace {

constexpr const char* svrmu_plain = "svrmu:inner-passes=5";
constexpr const char* svrmu_accelerated = "svrmu-acc:inner-passes=5";

std::string short_text(double value) { return significant_text(value, 3); }

std::size_t index_of(const Comparison& comparison, std::string_view label) {
  const auto found = std::ranges::find(comparison.contestants, label, &Contestant::label);
  if (found == comparison.contestants.end())
    throw InvalidInput("the comparison has no algorithm " + std::string(label));
  return static_cast<std::size_t>(found - comparison.contestants.begin());
}

std::string data_text(DataKind kind) {
  std::string name(choices(kind)[static_cast<std::size_t>(kind)]);
  std::replace(name.begin(), name.end(), '_', '-');
  return name;
}

const char* about(DataKind kind) {
  switch (kind) {
    case DataKind::halfnormal_fullrank:
      return "every entry drawn for itself, as the author's program makes them";
    case DataKind::lowrank_scaled:
      return "the text's product of two factors, divided by its largest value";
    case DataKind::lowrank_clipped:
      return "the text's product of two factors, cut off at 1";
    case DataKind::swimmer:
      break;
  }
  return "";
}

std::string at_text(Axis axis, double place) {
  switch (axis) {
    case Axis::gradient_counts:
      return "count " + short_text(place);
    case Axis::columns_read:
      return short_text(place) + " passes over V";
    case Axis::solver_seconds:
      return short_text(place) + " s";
  }
  return {};
}

// "INMF, ONMF and ASAG-MU"
std::string names_text(const Comparison& comparison, const std::vector<std::size_t>& which) {
  std::string text;
  for (std::size_t i = 0; i < which.size(); ++i)
    text += (i == 0 ? "" : i + 1 == which.size() ? " and " : ", ") + comparison.contestants[which[i]].label;
  return text;
}

double gap_at_end(const Comparison& comparison, std::size_t contestant, Axis axis) {
  return gap_spread(comparison, contestant, axis, end_of(comparison, axis)).median;
}

// By the median at the end, the lowest first.
std::vector<std::size_t> ranking(const Comparison& comparison, std::vector<std::size_t> which, Axis axis) {
  std::ranges::stable_sort(which, [&](std::size_t a, std::size_t b) {
    return gap_at_end(comparison, a, axis) < gap_at_end(comparison, b, axis);
  });
  return which;
}

std::string claim_text(const Comparison& comparison, std::size_t who, const std::vector<std::size_t>& rivals,
                       Axis axis) {
  const Lead ahead = lead(comparison, who, rivals, axis);
  const std::string name = comparison.contestants[who].label;
  const std::string others = names_text(comparison, rivals);
  const std::string wins =
      std::to_string(ahead.trials_won) + " of " + std::to_string(comparison.trials.size()) + " runs";
  const std::string end = at_text(axis, ahead.end);
  const std::string gaps_there =
      short_text(gap_spread(comparison, who, axis, ahead.end).median) + " against " +
      short_text(gap_spread(comparison, ahead.best_rival, axis, ahead.end).median) + " of " +
      comparison.contestants[ahead.best_rival].label;
  if (ahead.at_end)
    return "holds for " + name + ": below " + others + " from " + at_text(axis, ahead.since) + " on, at " +
           end + " in " + wins + " (" + gaps_there + ").";
  return "does not hold for " + name + ": at " + end + " it is below " + others + " in " + wins + " (" +
         gaps_there + ").";
}

}  // namespace

std::vector<Contestant> synthetic_contestants(Index batch_size) {
  return parse_contestants(
      "paper,svrmu,svrmu-acc,onmf-acc,sag-mu-acc,inc-mu-acc,inc-hals,mu,mu-acc,hals,hals-acc,hals-ext,fast",
      {{"batch_size", std::to_string(batch_size)}, {"safeguard", "false"}});
}

Comparison run_synthetic(const SyntheticOptions& options) {
  if (options.kind == DataKind::swimmer) throw InvalidInput("swimmer is no data of experiment 1");
  if (options.seeds.empty()) throw InvalidInput("there is no seed to start from");
  const std::vector<Contestant> contestants = synthetic_contestants(options.batch_size);
  Comparison all;
  for (std::size_t trial = 0; trial < options.seeds.size(); ++trial) {
    const std::uint64_t seed = options.seeds[trial];
    const Generated<double> made = generate<double>(
        options.kind,
        {.features = options.features, .samples = options.samples, .rank = options.rank, .seed = seed});
    CompareOptions how;
    how.rank = options.rank;
    how.start = options.start;
    how.seeds = {seed};
    how.budget.gradient_counts = options.gradient_counts;
    how.reference = options.reference;
    how.threads = options.threads;
    how.stop = options.stop;
    if (options.observer)
      how.observer = [&](ComparisonStep step) {
        step.run += trial * step.runs;
        step.runs *= options.seeds.size();
        options.observer(step);
      };
    const auto V = view(made.V);
    Comparison one = compare(*V, contestants, how);
    if (trial == 0)
      all = std::move(one);
    else
      append(all, one);
  }
  all.data = data_text(options.kind);
  all.about = about(options.kind);
  return all;
}

std::vector<std::string> synthetic_verdict(const Comparison& comparison) {
  const auto all_of = [&](std::initializer_list<const char*> labels) {
    std::vector<std::size_t> which;
    for (const char* label : labels) which.push_back(index_of(comparison, label));
    return which;
  };
  const std::vector<std::size_t> outside = all_of({"inmf", "onmf", "asag-mu"});
  const std::vector<std::size_t> rivals = all_of({"inmf", "onmf", "asag-mu", "smu", "smu-acc"});
  const std::size_t plain = index_of(comparison, svrmu_plain);
  const std::size_t accelerated = index_of(comparison, svrmu_accelerated);
  std::vector<std::size_t> paper = rivals;
  paper.push_back(plain);
  paper.push_back(accelerated);
  std::vector<std::size_t> everyone;
  for (std::size_t c = 0; c < comparison.contestants.size(); ++c) everyone.push_back(c);

  const Axis counts = Axis::gradient_counts;
  const Axis seconds = Axis::solver_seconds;
  std::vector<std::string> sentences;
  std::string order;
  for (const std::size_t c : ranking(comparison, paper, counts))
    order += (order.empty() ? "" : " < ") + comparison.contestants[c].label + " " +
             short_text(gap_at_end(comparison, c, counts));
  sentences.push_back("The paper's methods at " + at_text(counts, end_of(comparison, counts)) + ": " + order +
                      ".");
  sentences.push_back("Superior by gradient counts: " + claim_text(comparison, accelerated, rivals, counts));
  sentences.push_back("Superior by gradient counts: " + claim_text(comparison, plain, rivals, counts));
  sentences.push_back("Superior by time: " + claim_text(comparison, accelerated, rivals, seconds));
  sentences.push_back("Superior by time: " + claim_text(comparison, plain, rivals, seconds));
  sentences.push_back("Against the methods of others alone, by gradient counts: " +
                      claim_text(comparison, accelerated, outside, counts));
  const auto best = [&](Axis axis) {
    const std::size_t first = ranking(comparison, everyone, axis).front();
    return comparison.contestants[first].label + " with " + short_text(gap_at_end(comparison, first, axis));
  };
  sentences.push_back("Lowest of all " + std::to_string(everyone.size()) + " algorithms here: " +
                      best(counts) + " at " + at_text(counts, end_of(comparison, counts)) + ", " +
                      best(seconds) + " at " + at_text(seconds, end_of(comparison, seconds)) + ".");
  return sentences;
}

}  // namespace svrmu::experiment
