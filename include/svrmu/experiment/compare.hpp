/// @file
/// Algorithms against each other (target svrmu::experiment): the same V, the same start, the same budget.
/// What was measured is a value, Comparison; everything said about it is a pure function of that value.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <stop_token>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "svrmu/export.hpp"
#include "svrmu/fit.hpp"
#include "svrmu/generate.hpp"

/// Comparisons of algorithms, and the experiments of the paper.
namespace svrmu::experiment {

/// An algorithm with its options.
struct Contestant {
  std::string label{};     ///< as parse_contestants() takes it, without spaces
  SolverOptions solver{};  ///< the algorithm
};

/// The contestants of a text like "smu,svrmu-acc:inner-passes=5,step=0.5,hals": names with their own options,
/// which a comma separates too. "paper" stands for the seven methods of the paper. Shared options are set
/// where an algorithm has them and does not say otherwise. What does not exist, or applies to none, is
/// InvalidInput, by name.
SVRMU_API std::vector<Contestant> parse_contestants(std::string_view text, const OptionValues& shared = {});

/// INMF, ONMF, ASAG-MU, SMU, SVRMU, SMU-ACC and SVRMU-ACC as the author runs them: five inner passes, and
/// five h steps for the accelerated ones.
SVRMU_API std::vector<Contestant> paper_contestants();

/// What a run may use. Whatever comes first ends it; 0: no such limit.
struct Budget {
  double gradient_counts = 0;  ///< entries of V that entered gradients of W, over features x samples
  Index epochs = 0;            ///< of each algorithm: one of svrmu takes 1 + inner_passes passes over V
  double seconds = 0;          ///< in the solver
};

/// Where a comparison is.
struct ComparisonStep {
  std::uint64_t seed = 0;               ///< of this run
  std::string_view label{};             ///< "reference" before the contestants
  std::size_t run = 0;                  ///< from 0
  std::size_t runs = 0;                 ///< how many there are
  const EpochRecord* record = nullptr;  ///< of the last evaluation
};

/// How contestants are compared.
struct CompareOptions {
  Index rank = 0;                       ///< K, from 1 to the smaller side of V
  bool force_rank = false;              ///< as in FitOptions
  Loss loss{};                          ///< what is minimized
  Penalties penalties{};                ///< added to the loss
  Start start = Start::automatic;       ///< where each run begins
  std::vector<std::uint64_t> seeds{0};  ///< one trial for each
  Budget budget{};                      ///< of each run
  double reference = 4;                 ///< how many times the budget the reference may use; 0: there is none
  int threads = 0;                      ///< 0: what this process may use
  std::stop_token stop{};               ///< ends with Cancelled: half a comparison is none
  std::function<void(const ComparisonStep&)> observer{};  ///< called after every evaluation
};

/// One start, which every contestant has had.
struct Trial {
  std::uint64_t seed = 0;  ///< of the start
  double f_opt = 0;        ///< the lowest objective known for this V
  std::string f_opt_by{};  ///< who has reached it: "reference", or a label
};

/// One contestant from one start.
struct ComparisonRun {
  std::size_t contestant = 0;                   ///< its place in Comparison::contestants
  std::size_t trial = 0;                        ///< its place in Comparison::trials
  StopReason reason = StopReason::epoch_limit;  ///< why it ended
  std::vector<EpochRecord> history{};           ///< its evaluations
};

/// What was measured.
struct Comparison {
  std::string data{};                     ///< the name of V
  std::string about{};                    ///< what V is, in words; may be empty
  Index features = 0;                     ///< rows of V
  Index samples = 0;                      ///< columns of V
  Index rank = 0;                         ///< K
  Loss loss{};                            ///< what was minimized
  Budget budget{};                        ///< of each run
  std::string reference{};                ///< the algorithm of the reference; empty: none
  std::vector<Contestant> contestants{};  ///< options as used: automatic choices filled in
  std::vector<Trial> trials{};            ///< one for each seed
  std::vector<ComparisonRun> runs{};      ///< one for each contestant and trial
  std::vector<std::string> warnings{};    ///< what a reader should know
};

/// Runs every contestant from the start that each seed gives. The reference is hals-acc, for other losses mu,
/// with outliers r-nmf. Contestants whose objectives are not the same function are refused.
template <class Scalar>
SVRMU_API Comparison compare(const MatrixSource<Scalar>& V, const std::vector<Contestant>& contestants,
                             const CompareOptions& options);

/// Adds the trials of another V, with the same contestants, to those that are there.
SVRMU_API void append(Comparison& all, const Comparison& more);

/// What a run is measured along.
enum class Axis {
  gradient_counts,  ///< entries that entered gradients of W, over features x samples
  columns_read,     ///< columns read over samples: passes over V
  solver_seconds    ///< time in the solver
};

/// The names of the axes, in their order.
constexpr auto choices(Axis) {
  return std::array<std::string_view, 3>{"gradient_counts", "columns_read", "solver_seconds"};
}

/// Where an evaluation lies on an axis.
SVRMU_API double position(const Comparison& comparison, const EpochRecord& record, Axis axis);

/// How far a run has come on an axis: to its last evaluation. In seconds one that the time limit ended has
/// come to that limit, even if it was in the middle of an epoch: what it had before is all that it has there.
SVRMU_API double reach(const Comparison& comparison, const ComparisonRun& run, Axis axis);

/// Objective minus f_opt after each evaluation, of what the run would have returned there: with the safeguard
/// the best so far, without it the last.
SVRMU_API std::vector<double> gaps(const Comparison& comparison, const ComparisonRun& run);

/// The gap at the last evaluation that lies not beyond `place`. NaN if there is none yet, or the run did not
/// get so far.
SVRMU_API double gap_at(const Comparison& comparison, const ComparisonRun& run, Axis axis, double place);

/// The middle and the ends of some values.
struct Spread {
  double median = 0;  ///< the middle
  double least = 0;   ///< the smallest
  double most = 0;    ///< the largest
};

/// The spread of values. Of an even number the median is the mean of the middle two. NaN if there are none or
/// one is NaN.
SVRMU_API Spread spread_of(std::vector<double> values);

/// The spread of gap_at() over the trials.
SVRMU_API Spread gap_spread(const Comparison& comparison, std::size_t contestant, Axis axis, double place);

/// How far a comparison goes: up to the budget of gradient counts, or else to where the first of its runs
/// ends. Only these contestants count, or all; a run that failed or finished no epoch never does.
SVRMU_API double end_of(const Comparison& comparison, Axis axis, const std::vector<std::size_t>& among = {});

/// The places that a table shows: 2, 10, 20, 50 and 100 percent of the way.
SVRMU_API std::vector<double> table_places(const Comparison& comparison, Axis axis);

/// Whether one contestant is below all of some others.
struct Lead {
  double end = 0;              ///< where the first of them ends
  bool at_end = false;         ///< below all there, by the medians
  double since = 0;            ///< below all from here on, by the medians; NaN if not at the end
  std::size_t trials_won = 0;  ///< in how many trials it is below all at the end
  std::size_t best_rival = 0;  ///< the lowest of the others at the end
};
/// Compares a contestant with its rivals.
SVRMU_API Lead lead(const Comparison& comparison, std::size_t contestant,
                    const std::vector<std::size_t>& rivals, Axis axis);

/// One line per evaluation: data, algorithm, seed, epoch, gradient_counts, columns_read, solver_seconds,
/// objective, gap. Made for spreadsheets: a name that one would take for a formula begins with an apostrophe.
SVRMU_API std::string to_csv(const std::vector<Comparison>& comparisons);

/// Experiment 1 of the paper.
struct SyntheticOptions {
  DataKind kind = DataKind::halfnormal_fullrank;          ///< how V is made
  Index features = 300;                                   ///< rows of V
  Index samples = 1000;                                   ///< columns of V
  Index rank = 10;                                        ///< K
  Index batch_size = 100;                                 ///< of all contestants that have batches
  double gradient_counts = 500;                           ///< the budget of each run
  double reference = 4;                                   ///< how many times the budget the reference may use
  Start start = Start::svd_abs;                           ///< where each run begins
  std::vector<std::uint64_t> seeds{0, 1, 2, 3, 4};        ///< each of its own V
  int threads = 0;                                        ///< 0: what this process may use
  std::stop_token stop{};                                 ///< ends with Cancelled
  std::function<void(const ComparisonStep&)> observer{};  ///< called after every evaluation
};

/// The paper's seven methods and what else this library has, each as published (without the safeguard).
SVRMU_API std::vector<Contestant> synthetic_contestants(Index batch_size);

/// Runs experiment 1.
SVRMU_API Comparison run_synthetic(const SyntheticOptions& options);

/// What the paper claims of its experiment, and whether this run confirms it: sentences made from the
/// numbers.
SVRMU_API std::vector<std::string> synthetic_verdict(const Comparison& comparison);

}  // namespace svrmu::experiment
