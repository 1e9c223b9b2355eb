// One line that is rewritten on a terminal, and printed now and then elsewhere.
#pragma once

#include <chrono>
#include <functional>
#include <string>
#include <vector>

namespace svrmu::cli {

class ProgressLine {
 public:
  using Parts = std::vector<std::string>;

  ~ProgressLine() { clear(); }

  void begin();  // time counts from here
  double seconds() const;
  // If it is time for it. The most telling part first: what does not fit into the window is left out from
  // the end.
  void show(const std::function<Parts(double seconds)>& parts);
  void clear();  // takes the line away, so that other things can be said

 private:
  std::chrono::steady_clock::time_point begin_ = std::chrono::steady_clock::now();
  double last_shown_ = -1;
  bool line_there_ = false;
};

}  // namespace svrmu::cli
