// One run of a prepared problem. Its loop is the only one: epochs, clocks, evaluation, safeguard, stopping
// and records.
#pragma once

#include <chrono>
#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <vector>

#include "data/feed.hpp"
#include "fit/evaluate.hpp"
#include "fit/problem.hpp"
#include "fit/scaling.hpp"
#include "solvers/solver.hpp"
#include "svrmu/fit.hpp"

namespace svrmu {

class Stopwatch {
 public:
  double seconds() const { return std::chrono::duration<double>(Clock::now() - begin_).count(); }

 private:
  using Clock = std::chrono::steady_clock;
  Clock::time_point begin_ = Clock::now();
};

template <class Scalar>
class Run {
 public:
  // What is passed must outlive the run, but for `stopping`, which is used in the place of the options' own.
  Run(const Problem<Scalar>& problem, const Setting& setting, const FitOptions<Scalar>& options,
      const Stopping& stopping, std::uint64_t seed, const Scaling& scaling);

  // Which of the restarts this is, for its records.
  void set_number(int number) { number_ = number; }

  FitResult<Scalar> from_start();
  FitResult<Scalar> from_checkpoint(const FitResult<Scalar>& previous);

 private:
  struct Counts {
    double gradient_count = 0;
    Index columns_read = 0;
    Index columns_evaluated = 0;
    Index w_steps = 0;

    void into(auto& to) const {
      to.gradient_count = gradient_count;
      to.columns_read = columns_read;
      to.columns_evaluated = columns_evaluated;
    }
  };

  // What a run is doing: it decides what may interrupt a pass over V.
  enum class Phase {
    starting,   // the stop token, with Cancelled: there is nothing yet that could be returned
    epoch,      // the stop token and the time limit
    judging,    // evaluations by the stop token: the epoch then counts as interrupted
    finishing,  // after a stop, the end of the grace; else nothing
  };

  // Factors to begin with. True: they are whole; false: the time limit ended this.
  bool make_start();
  bool descend_frobenius();
  void begin();
  void begin_history();

  void leave_if_cancelled() const;

  std::optional<StopReason> iterate();
  std::optional<StopReason> judge(double step);
  void remember_start();

  FitResult<Scalar> finish(std::optional<StopReason> reason);
  FitResult<Scalar> finish_interrupted();
  FitResult<Scalar> result(StopReason reason, Checkpoint<Scalar> checkpoint);
  Checkpoint<Scalar> make_checkpoint(const Counts& counts) const;

  Evaluation evaluate(const Factors<Scalar>& factors, const Sums<Scalar>* sums);
  void take_violation(const Violation& met);
  void record(const Evaluation& now, double step = 1);
  void record(EpochRecord r, double step);

  Counts counts() const {
    return {feed_.gradient_count(), feed_.columns_read(), evaluated_before_ + evaluator_->columns_read(),
            w_steps_};
  }
  // WH equals V up to rounding: the objective only wanders from here on.
  bool has_arrived() const { return stopping_.relative_change > 0 && is_exact<Scalar>(history_.back()); }
  bool returns_best() const;
  bool keeps_best() const { return returns_best() || options_.evaluate_every > 1; }
  bool stop_requested() const;
  bool stop_wanted() const;
  bool evaluation_unwanted() const;
  bool grace_is_over() const { return stopped_ && grace_.seconds() > grace_seconds; }

  // Of work after a stop that makes the result better but can be left out.
  static constexpr double grace_seconds = 0.2;

  const Problem<Scalar>& problem_;
  const Setting& setting_;
  const FitOptions<Scalar>& options_;
  Stopping stopping_;
  std::uint64_t seed_;
  Scaling scaling_;
  ColumnFeed<Scalar> feed_;
  DataTerm<Scalar> term_;
  std::unique_ptr<Solver<Scalar>> solver_;
  std::optional<Evaluator<Scalar>> evaluator_;

  Factors<Scalar> factors_;
  Factors<Scalar> start_;                // of the present epoch
  std::optional<Factors<Scalar>> best_;  // what to return, where it is not the present iterate
  double best_objective_ = 0;
  std::size_t best_entry_ = 0;  // of the history: the factors to return
  Index best_epoch_ = 0;
  Checkpoint<Scalar> state_at_start_;
  Counts counts_at_start_;
  Index evaluated_before_;  // columns, by the scan and by evaluators before the present one

  std::vector<EpochRecord> history_;
  int number_ = 0;
  Index epoch_ = 0;
  double step_factor_ = 1;
  Index w_steps_ = 0;  // counted where the step ratio falls with them
  Index rollbacks_ = 0;
  double solver_seconds_ = 0;
  double evaluate_seconds_ = 0;
  double kkt_ = 0;
  double kkt_start_ = 0;
  double violation_ = std::numeric_limits<double>::quiet_NaN();
  double violation_start_ = 0;
  bool observer_stops_ = false;
  bool can_be_interrupted_ = false;
  Phase phase_ = Phase::starting;
  bool stopped_ = false;  // by the stop token
  Stopwatch grace_;       // since that was seen
  double last_step_ = 1;  // the step ratio with which the last epoch began
  Stopwatch epoch_watch_;
};

}  // namespace svrmu
