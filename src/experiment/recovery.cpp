#include <algorithm>
#include <cmath>
#include <numeric>

#include "data/random.hpp"
#include "svrmu/error.hpp"
#include "svrmu/experiment/recovery.hpp"
#include "text/text.hpp"

namespace svrmu::experiment {
namespace {

template <class Value>
Spread over_seeds(const Recovery& recovery, std::size_t contestant, const Value& value) {
  std::vector<double> values;
  for (const RecoveryRun& run : recovery.runs)
    if (run.contestant == contestant) values.push_back(value(run));
  return spread_of(std::move(values));
}

// Of the runs of a contestant, one for each seed, with these bases of the same seeds.
Spread alike_over_seeds(const Recovery& recovery, std::size_t contestant,
                        const std::vector<const RowMatrix<double>*>& others) {
  std::vector<double> values;
  for (const RecoveryRun& run : recovery.runs)
    if (run.contestant == contestant && values.size() < others.size())
      values.push_back(matched_cosine(run.bases, *others[values.size()]));
  return spread_of(std::move(values));
}

std::vector<const RowMatrix<double>*> bases_of(const Recovery& recovery, std::size_t contestant) {
  std::vector<const RowMatrix<double>*> list;
  for (const RecoveryRun& run : recovery.runs)
    if (run.contestant == contestant) list.push_back(&run.bases);
  return list;
}

std::vector<const RowMatrix<double>*> pointers_to(const std::vector<RowMatrix<double>>& bases) {
  std::vector<const RowMatrix<double>*> list;
  list.reserve(bases.size());
  for (const RowMatrix<double>& W : bases) list.push_back(&W);
  return list;
}

// Whatever the size of V is: scaling it to V makes the first steps of some methods better.
GivenStart<double> uniform_start(Index features, Index samples, Index rank, std::uint64_t seed) {
  if (rank < 1) return {};  // fit() complains
  const Random for_w(seed, Purpose::start_w);
  const Random for_h(seed, Purpose::start_h);
  GivenStart<double> start;
  start.W =
      RowMatrix<double>::NullaryExpr(features, rank, [&](Index f, Index k) { return for_w.uniform(f, k); });
  start.H = Matrix<double>::NullaryExpr(rank, samples, [&](Index k, Index n) { return for_h.uniform(n, k); });
  return start;
}

RowMatrix<double> heaviest_first(const RowMatrix<double>& W, const Matrix<double>& H) {
  const std::vector<Index> order = heaviest(W, H);
  RowMatrix<double> sorted(W.rows(), W.cols());
  for (std::size_t i = 0; i < order.size(); ++i) sorted.col(static_cast<Index>(i)) = W.col(order[i]);
  return sorted;
}

}  // namespace

Likeness likeness(const Matrix<double>& clean, const Matrix<double>& found) {
  const double squared = (clean - found).squaredNorm();
  const double largest = clean.maxCoeff();
  return {std::sqrt(squared) / clean.norm(),
          10 * std::log10(largest * largest * static_cast<double>(clean.size()) / squared)};
}

Index parts_found(const RowMatrix<double>& truth, const RowMatrix<double>& found, double cosine) {
  const auto unit = [](const RowMatrix<double>& W) {
    RowMatrix<double> scaled = W;
    for (Index k = 0; k < W.cols(); ++k)
      if (const double norm = W.col(k).norm(); norm > 0) scaled.col(k) /= norm;
    return scaled;
  };
  Matrix<double> similarity = unit(truth).transpose() * unit(found);
  Index count = 0;
  while (similarity.size() > 0) {
    Index part = 0;
    Index component = 0;
    if (similarity.maxCoeff(&part, &component) < cosine) break;
    ++count;
    similarity.row(part).setConstant(-1);
    similarity.col(component).setConstant(-1);
  }
  return count;
}

std::vector<Index> heaviest(const RowMatrix<double>& W, const Matrix<double>& H) {
  std::vector<Index> order(static_cast<std::size_t>(W.cols()));
  std::iota(order.begin(), order.end(), Index{0});
  const auto weight = [&](Index k) { return W.col(k).norm() * H.row(k).norm(); };
  std::ranges::stable_sort(order, [&](Index a, Index b) { return weight(a) > weight(b); });
  return order;
}

std::vector<Contestant> faces_contestants(Index batch_size, double outlier_penalty, Order order) {
  return parse_contestants("r-nmf,onmf,r-onmf,r-svrmu-acc:inner-passes=5,r-onmf-acc,r-svrmu",
                           {{"batch_size", std::to_string(batch_size)},
                            {"order", std::string(choices(order)[static_cast<std::size_t>(order)])},
                            {"safeguard", "false"},
                            {"outlier_penalty", number_text(outlier_penalty)},
                            {"outlier_start", "uniform"},
                            {"outlier_update", "multiplicative"}});
}

Recovery recover(const Matrix<double>& clean, const std::vector<Contestant>& contestants,
                 const RecoveryOptions& options) {
  if (contestants.empty()) throw InvalidInput("there is no algorithm to run");
  if (options.seeds.empty()) throw InvalidInput("there is no seed to start from");
  if (!(options.gradient_counts > 0) || !std::isfinite(options.gradient_counts))
    throw InvalidInput("the budget is " + number_text(options.gradient_counts) +
                       " gradient counts; it must be above 0");
  const Matrix<double> mean = clean.rowwise().mean().replicate(1, clean.cols());
  Recovery recovery{.features = clean.rows(),
                    .samples = clean.cols(),
                    .true_parts = options.truth ? options.truth->cols() : 0,
                    .contestants = contestants,
                    .mean_sample = likeness(clean, mean).relative_error};
  ComparisonStep step{.runs = options.seeds.size() * (contestants.size() + 1)};
  FitOptions<double> how;
  how.rank = options.rank;
  if (options.start) how.start = *options.start;
  how.threads = options.threads;
  how.stop = options.stop;
  how.stopping.relative_change = 0;
  how.stopping.max_epochs = Index{1} << 60;
  how.stopping.gradient_budget = options.gradient_counts * static_cast<double>(clean.size());
  how.observer = [&](const EpochRecord& record) {
    step.record = &record;
    if (options.observer) options.observer(step);
    return Flow::keep_going;
  };
  const auto run = [&](const Matrix<double>& V, const Contestant& contestant) {
    step.label = contestant.label;
    FitResult<double> result = fit(*view(V), contestant.solver, how);
    if (result.reason == StopReason::cancelled) throw Cancelled("the experiment was asked to stop");
    ++step.run;
    return result;
  };
  const Contestant on_clean_data{"mu on clean data", solver_named("mu")};
  double changed = 0;
  for (const std::uint64_t seed : options.seeds) {
    SpoilOptions spoil_options = options.spoil;
    spoil_options.seed = how.seed = step.seed = seed;
    const Matrix<double> spoiled = spoil(clean, spoil_options);
    recovery.spoiled.push_back(likeness(clean, spoiled).relative_error);
    changed += static_cast<double>((spoiled.array() != clean.array()).count());
    if (!options.start) {
      how.given = uniform_start(clean.rows(), clean.cols(), options.rank, seed);
      if (how.given.W) recovery.start_bases.push_back(*how.given.W);
    }
    for (std::size_t c = 0; c < contestants.size(); ++c) {
      FitResult<double> result = run(spoiled, contestants[c]);
      recovery.runs.push_back({.contestant = c,
                               .seed = seed,
                               .reason = result.reason,
                               .history = std::move(result.history),
                               .likeness = likeness(clean, result.W * result.H),
                               .parts = options.truth ? parts_found(*options.truth, result.W) : 0,
                               .bases = heaviest_first(result.W, result.H)});
    }
    const FitResult<double> result = run(clean, on_clean_data);
    recovery.clean_bases.push_back(heaviest_first(result.W, result.H));
  }
  recovery.changed = changed / static_cast<double>(clean.size()) / static_cast<double>(options.seeds.size());
  return recovery;
}

Spread error_spread(const Recovery& recovery, std::size_t contestant) {
  return over_seeds(recovery, contestant, [](const RecoveryRun& run) { return run.likeness.relative_error; });
}

Spread psnr_spread(const Recovery& recovery, std::size_t contestant) {
  return over_seeds(recovery, contestant, [](const RecoveryRun& run) { return run.likeness.psnr; });
}

Spread parts_spread(const Recovery& recovery, std::size_t contestant) {
  return over_seeds(recovery, contestant,
                    [](const RecoveryRun& run) { return static_cast<double>(run.parts); });
}

const RowMatrix<double>& first_bases(const Recovery& recovery, std::size_t contestant) {
  return *bases_of(recovery, contestant).at(0);
}

Spread alike_spread(const Recovery& recovery, std::size_t contestant, std::size_t other) {
  return alike_over_seeds(recovery, contestant, bases_of(recovery, other));
}

Spread clean_spread(const Recovery& recovery, std::size_t contestant) {
  return alike_over_seeds(recovery, contestant, pointers_to(recovery.clean_bases));
}

Spread start_spread(const Recovery& recovery, std::size_t contestant) {
  return alike_over_seeds(recovery, contestant, pointers_to(recovery.start_bases));
}

}  // namespace svrmu::experiment
