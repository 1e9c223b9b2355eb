// One line that tells how far a fit is.
#pragma once

#include "progress_line.hpp"
#include "svrmu/history.hpp"
#include "svrmu/loss.hpp"
#include "svrmu/stopping.hpp"

namespace svrmu::cli {

class Progress {
 public:
  Progress(const Stopping& stopping, const Loss& loss);

  void show(const EpochRecord& record);
  void clear() { line_.clear(); }  // so that other things can be said

 private:
  ProgressLine::Parts parts(const EpochRecord& record, double now) const;

  Stopping stopping_;
  bool frobenius_;  // of other losses the divergence is shown: the error may rise while they fall
  ProgressLine line_;
  Index first_epoch_ = -1;  // of the present run
  Index last_epoch_ = -1;
};

}  // namespace svrmu::cli
