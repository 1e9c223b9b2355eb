// The numbers of one epoch: all that an observer, a stopping rule or a plot may look at.
#pragma once

#include <functional>
#include <limits>

#include "svrmu/matrix.hpp"

namespace svrmu {

struct EpochRecord {
  Index epoch = 0;            // 0 is the start
  double objective = 0;       // loss + outlier penalty + penalties on W and H
  double cost = 0;            // the loss alone
  double relative_error = 0;  // ||V - WH - R|| / ||V||
  double relative_change = std::numeric_limits<double>::quiet_NaN();  // |f_prev - f| / f_prev
  double kkt = std::numeric_limits<double>::quiet_NaN();  // projected gradient relative to the start
  double gradient_count = 0;    // entries of V that entered gradients of W, in the author's convention
  Index columns_read = 0;       // columns of V handed to the solver, over the whole team
  double solver_seconds = 0;    // inside the solver, up to now
  double evaluate_seconds = 0;  // evaluating, up to now: never part of solver_seconds
  double step = 1;              // step ratio used in this epoch
  Index rollbacks = 0;          // epochs undone by the safeguard, up to now
  bool rolled_back = false;     // this epoch was undone: its numbers are those of the factors restored
  bool partial = false;         // the run was interrupted in this epoch; going on starts it again
};

enum class Flow { keep_going, stop };

using Observer = std::function<Flow(const EpochRecord&)>;

}  // namespace svrmu
