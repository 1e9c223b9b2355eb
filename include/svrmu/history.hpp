/// @file
/// The numbers of one epoch: all that an observer, a stopping rule or a plot may look at.
#pragma once

#include <functional>
#include <limits>

#include "svrmu/matrix.hpp"

namespace svrmu {

/// One evaluation. Counts and times are totals since the start of the run.
struct EpochRecord {
  Index epoch = 0;            ///< 0 is the start.
  double objective = 0;       ///< Loss + outlier penalty + penalties on W and H.
  double cost = 0;            ///< The loss alone.
  double relative_error = 0;  ///< ||V - WH - R|| / ||V||, whatever the loss.
  /// |f_prev - f| / f_prev, where f_prev is the objective of the evaluation before.
  double relative_change = std::numeric_limits<double>::quiet_NaN();
  /// Norm of the projected gradient, relative to its norm at the start. NaN unless Stopping::kkt asks for it.
  double kkt = std::numeric_limits<double>::quiet_NaN();
  /// Sum of |projected gradient| over all coordinates of W and H, each when its turn came in the epoch's
  /// sweeps, relative to that of the first epoch. NaN unless Stopping::violation asks for it.
  double violation = std::numeric_limits<double>::quiet_NaN();
  double gradient_count = 0;  ///< Entries of V that entered gradients of W, as the paper's author counts.
  Index columns_read = 0;     ///< Columns of V served to the solver and its start, over the whole team.
  Index columns_evaluated =
      0;                      ///< Columns of V served besides: to look V over, and to evaluate the objective.
  double solver_seconds = 0;  ///< Time in the solver.
  double evaluate_seconds = 0;  ///< Time in evaluations, which is not part of solver_seconds.
  double step = 1;              ///< Step ratio of this epoch, or of its first step.
  Index rollbacks = 0;          ///< Epochs that the safeguard has undone.
  bool rolled_back = false;     ///< This epoch was undone: its numbers are those of the factors restored.
  bool estimated = false;  ///< Of a stream: objective, cost and error are running sums, see fit_stream().
  int run = 0;             ///< Which of the restarts this is of, counted from 0.
  bool partial = false;    ///< The run was interrupted in this epoch; resume() starts it again.
};

/// What an observer answers.
enum class Flow {
  keep_going,  ///< Go on.
  stop,        ///< End with StopReason::cancelled.
};

/// Called after every evaluation.
using Observer = std::function<Flow(const EpochRecord&)>;

}  // namespace svrmu
