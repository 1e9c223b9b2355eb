// One line that tells how far a fit is: rewritten on a terminal, printed now and then elsewhere.
#pragma once

#include <chrono>
#include <string>

#include "svrmu/history.hpp"
#include "svrmu/loss.hpp"
#include "svrmu/stopping.hpp"

namespace svrmu::cli {

class Progress {
 public:
  Progress(const Stopping& stopping, const Loss& loss);
  ~Progress();
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  void show(const EpochRecord& record);
  void clear();  // takes the line away, so that other things can be said

 private:
  std::string line(const EpochRecord& record, double now, std::size_t room) const;
  double seconds() const;

  Stopping stopping_;
  bool frobenius_;  // of other losses the divergence is shown: the error may rise while they fall
  std::chrono::steady_clock::time_point begin_;
  Index first_epoch_ = -1;  // of the present run
  Index last_epoch_ = -1;
  double last_shown_ = -1;
  bool line_there_ = false;
};

}  // namespace svrmu::cli
