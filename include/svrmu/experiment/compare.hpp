// Algorithms against each other (target svrmu::experiment): the same V, the same start, the same budget. What
// was measured is a value, Comparison; everything said about it is a pure function of that value.
#pragma once

#include <cstdint>
#include <functional>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "svrmu/export.hpp"
#include "svrmu/fit.hpp"
#include "svrmu/generate.hpp"

namespace svrmu::experiment {

struct Contestant {
  std::string label{};  // as parse_contestants() takes it, without spaces
  SolverOptions solver{};
};

// "smu,svrmu-acc:inner-passes=5,step=0.5,hals": names with their own options, which a comma separates too.
// "paper" stands for the seven methods of the paper. Shared options are set where an algorithm has them and
// does not say otherwise. What does not exist, or applies to none, is InvalidInput, by name.
SVRMU_API std::vector<Contestant> parse_contestants(std::string_view text, const OptionValues& shared = {});

// INMF, ONMF, ASAG-MU, SMU, SVRMU, SMU-ACC and SVRMU-ACC as the author runs them: five inner passes, and five
// h steps for the accelerated ones.
SVRMU_API std::vector<Contestant> paper_contestants();

// Whatever comes first ends a run; 0: no such limit.
struct Budget {
  double gradient_counts = 0;  // entries of V that entered gradients of W, over features x samples
  Index epochs = 0;            // of each algorithm: one of svrmu visits V 1 + inner_passes times
  double seconds = 0;          // in the solver
};

// Where a comparison is, for those who watch.
struct ComparisonStep {
  std::uint64_t seed = 0;
  std::string_view label{};  // "reference" before the contestants
  std::size_t run = 0;       // from 0
  std::size_t runs = 0;
  const EpochRecord* report = nullptr;
};

struct CompareOptions {
  Index rank = 0;
  Loss loss{};
  Penalties penalties{};
  Start start = Start::automatic;
  std::vector<std::uint64_t> seeds{0};
  Budget budget{};
  double reference = 4;  // how many times the budget the reference may use; 0: there is none
  int threads = 0;
  std::stop_token stop{};  // ends with Cancelled: half a comparison is none
  std::function<void(const ComparisonStep&)> observer{};
};

// One start, which every contestant has had.
struct Trial {
  std::uint64_t seed = 0;
  double f_opt = 0;        // the lowest objective known for this V
  std::string f_opt_by{};  // who has reached it: "reference", or a label
};

struct ComparisonRun {
  std::size_t contestant = 0;
  std::size_t trial = 0;
  StopReason reason = StopReason::epoch_limit;
  std::vector<EpochRecord> history{};
};

struct Comparison {
  std::string data{};   // the name of V
  std::string about{};  // what it is, for people; may be empty
  Index features = 0;
  Index samples = 0;
  Index rank = 0;
  Loss loss{};
  Budget budget{};
  std::string reference{};                // the algorithm of the reference; empty: none
  std::vector<Contestant> contestants{};  // options as used: automatic choices filled in
  std::vector<Trial> trials{};
  std::vector<ComparisonRun> runs{};
  std::vector<std::string> warnings{};
};

// Every contestant from the start that each seed gives. The reference is hals-acc, or for other losses mu, or
// with outliers r-nmf. Contestants whose objectives are not the same function are refused.
template <class Scalar>
SVRMU_API Comparison compare(const MatrixSource<Scalar>& V, const std::vector<Contestant>& contestants,
                             const CompareOptions& options);

// The trials of another V, with the same contestants, beside those that are there.
SVRMU_API void append(Comparison& all, const Comparison& more);

// What a run is measured along. Counts and columns are in visits of V: divided by features x samples, and by
// samples.
enum class Axis { gradient_counts, columns_read, solver_seconds };

constexpr auto choices(Axis) {
  return std::array<std::string_view, 3>{"gradient_counts", "columns_read", "solver_seconds"};
}

SVRMU_API double position(const Comparison& comparison, const EpochRecord& report, Axis axis);

// Objective minus f_opt after each evaluation, of what the run would have returned there: with the safeguard
// the best so far, without it the last.
SVRMU_API std::vector<double> gaps(const Comparison& comparison, const ComparisonRun& run);

// The gap at the last evaluation that lies not beyond `place`; NaN if there is none yet, or the run did not
// get so far.
SVRMU_API double gap_at(const Comparison& comparison, const ComparisonRun& run, Axis axis, double place);

struct Spread {
  double median = 0;
  double least = 0;
  double most = 0;
};

// Of an even number of values the median is the mean of the middle two. NaN if there are none or one is NaN.
SVRMU_API Spread spread_of(std::vector<double> values);

// Over the trials.
SVRMU_API Spread gap_spread(const Comparison& comparison, std::size_t contestant, Axis axis, double place);

// How far a comparison goes: up to the budget of gradient counts, or else to where the first of its runs
// ends. Only these contestants count, or all; a run that failed never does.
SVRMU_API double end_of(const Comparison& comparison, Axis axis, const std::vector<std::size_t>& among = {});

// The places that a table shows: 2, 10, 20, 50 and 100 percent of the way.
SVRMU_API std::vector<double> table_places(const Comparison& comparison, Axis axis);

// Whether one contestant is below all of some others.
struct Lead {
  double end = 0;              // where the first of them ends
  bool at_end = false;         // by the medians
  double since = 0;            // from here on, by the medians; NaN if not at the end
  std::size_t trials_won = 0;  // at the end
  std::size_t best_rival = 0;  // at the end
};
SVRMU_API Lead lead(const Comparison& comparison, std::size_t contestant,
                    const std::vector<std::size_t>& rivals, Axis axis);

// One line per evaluation: data, algorithm, seed, epoch, gradient_counts, columns_read, solver_seconds,
// objective, gap. Made for spreadsheets: a name that one would take for a formula begins with an apostrophe.
SVRMU_API std::string to_csv(const std::vector<Comparison>& comparisons);

// Experiment 1 of the paper.
struct SyntheticOptions {
  DataKind kind = DataKind::halfnormal_fullrank;
  Index features = 300;
  Index samples = 1000;
  Index rank = 10;
  Index batch_size = 100;
  double gradient_counts = 500;
  double reference = 4;
  Start start = Start::svd_abs;
  std::vector<std::uint64_t> seeds{0, 1, 2, 3, 4};  // each of its own V
  int threads = 0;
  std::stop_token stop{};
  std::function<void(const ComparisonStep&)> observer{};
};

// The paper's seven methods and what else this library has, each as published (without the safeguard).
SVRMU_API std::vector<Contestant> synthetic_contestants(Index batch_size);

SVRMU_API Comparison run_synthetic(const SyntheticOptions& options);

// What the paper claims of its experiment, and whether this run bears it out: sentences made from the
// numbers.
SVRMU_API std::vector<std::string> synthetic_verdict(const Comparison& comparison);

}  // namespace svrmu::experiment
