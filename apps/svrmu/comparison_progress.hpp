// One line that tells which run of a comparison is on, rewritten on a terminal and printed now and then
// elsewhere.
#pragma once

#include <chrono>

#include "svrmu/experiment/compare.hpp"

namespace svrmu::cli {

class ComparisonProgress {
 public:
  ~ComparisonProgress();

  void show(const experiment::ComparisonStep& step);
  void clear();  // takes the line away, so that other things can be said

 private:
  std::chrono::steady_clock::time_point last_ = std::chrono::steady_clock::now();
  bool line_there_ = false;
};

}  // namespace svrmu::cli
