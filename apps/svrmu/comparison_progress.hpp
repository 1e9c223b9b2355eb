// One line that tells which run of a comparison is on.
#pragma once

#include "progress_line.hpp"
#include "svrmu/experiment/compare.hpp"

namespace svrmu::cli {

class ComparisonProgress {
 public:
  void show(const experiment::ComparisonStep& step);
  void clear() { line_.clear(); }  // so that other things can be said

 private:
  ProgressLine line_;
};

}  // namespace svrmu::cli
