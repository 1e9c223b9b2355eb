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

RowMatrix<double> columns(const RowMatrix<double>& W, const std::vector<Index>& which) {
  RowMatrix<double> picked(W.rows(), static_cast<Index>(which.size()));
  for (std::size_t i = 0; i < which.size(); ++i) picked.col(static_cast<Index>(i)) = W.col(which[i]);
  return picked;
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
  Recovery recovery{.features = clean.rows(),
                    .samples = clean.cols(),
                    .true_parts = options.truth ? options.truth->cols() : 0,
                    .contestants = contestants};
  ComparisonStep step{.runs = options.seeds.size() * contestants.size()};
  double changed = 0;
  for (const std::uint64_t seed : options.seeds) {
    SpoilOptions spoil_options = options.spoil;
    spoil_options.seed = seed;
    const Matrix<double> spoiled = spoil(clean, spoil_options);
    recovery.spoiled.push_back(likeness(clean, spoiled).relative_error);
    changed += static_cast<double>((spoiled.array() != clean.array()).count());
    const auto V = view(spoiled);

    FitOptions<double> how;
    how.rank = options.rank;
    if (options.start)
      how.start = *options.start;
    else
      how.given = uniform_start(clean.rows(), clean.cols(), options.rank, seed);
    how.seed = seed;
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
    step.seed = seed;
    for (std::size_t c = 0; c < contestants.size(); ++c) {
      step.label = contestants[c].label;
      FitResult<double> result = fit(*V, contestants[c].solver, how);
      if (result.reason == StopReason::cancelled) throw Cancelled("the experiment was asked to stop");
      recovery.runs.push_back({.contestant = c,
                               .seed = seed,
                               .reason = result.reason,
                               .history = std::move(result.history),
                               .likeness = likeness(clean, result.W * result.H),
                               .parts = options.truth ? parts_found(*options.truth, result.W) : 0});
      if (seed == options.seeds.front())
        recovery.bases.push_back(columns(result.W, heaviest(result.W, result.H)));
      ++step.run;
    }
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

std::vector<std::string> faces_verdict(const Recovery& recovery) {
  enum { batch, online, robust_online, proposed, robust_online_acc, proposed_plain, count };
  if (recovery.contestants.size() != count)
    throw InvalidInput("the verdict is about the contestants of faces_contestants()");
  const auto error = [&](std::size_t c) { return error_spread(recovery, c).median; };
  const auto text = [&](std::size_t c) {
    return recovery.contestants[c].label + " " + decimal_text(error(c), 3);
  };
  const auto against = [&](std::size_t c, std::size_t d) { return text(c) + " against " + text(d); };
  // Less than the differences that the paper's pictures could show.
  constexpr double similar = 0.03;
  std::vector<std::string> sentences;
  sentences.push_back("\"Better bases than R-ONMF\" " +
                      std::string(error(proposed) < error(robust_online) ? "holds" : "does not hold") +
                      " by the error on clean data: " + against(proposed, robust_online) + ".");
  const double above = error(proposed) - error(batch);
  const char* likewise = above > similar    ? "does not hold within "
                         : above < -similar ? "is surpassed by more than "
                                            : "holds within ";
  sentences.push_back("\"Similar to batch R-NMF\" " + (likewise + number_text(similar)) + ": " +
                      against(proposed, batch) + ".");
  sentences.push_back(std::string("With the same h steps R-ONMF is ") +
                      (error(robust_online_acc) < error(proposed) ? "ahead" : "behind") + ": " +
                      against(robust_online_acc, proposed) + ".");
  sentences.push_back(std::string("Without h steps and inner passes R-SVRMU is ") +
                      (error(proposed_plain) < error(batch) ? "below" : "not below") +
                      " batch R-NMF: " + against(proposed_plain, batch) + ".");
  sentences.push_back(std::string("Without outliers in the model, ") + text(online) + "; V itself is at " +
                      number_text(std::round(1000 * spread_of(recovery.spoiled).median) / 1000) + ".");
  if (recovery.true_parts > 0) {
    std::string found;
    for (std::size_t c = 0; c < count; ++c)
      found += (c == 0 ? "" : ", ") + recovery.contestants[c].label + " " +
               number_text(parts_spread(recovery, c).median);
    sentences.push_back("Of " + std::to_string(recovery.true_parts) + " true parts are found: " + found +
                        ".");
  }
  return sentences;
}

}  // namespace svrmu::experiment
