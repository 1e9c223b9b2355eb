// From values to places in a drawing, and the ticks of an axis.
#pragma once

#include <string>
#include <vector>

namespace svrmu::report {

struct Tick {
  double value;
  std::string label;
};

// Values between least and most lie between `from` and `to` of the drawing, evenly or by their logarithm.
struct Scale {
  double least = 0;
  double most = 1;
  double from = 0;
  double to = 1;
  bool log = false;

  double operator()(double value) const;
};

// A range with room for all finite (and, by logarithm, positive) values, never empty.
Scale scale_of(const std::vector<double>& values, double from, double to, bool log, bool with_zero = false);

// About `wanted` round numbers within the scale; powers of ten by logarithm.
std::vector<Tick> ticks(const Scale& scale, int wanted);

// `most` places of 0 .. count - 1, evenly spread, the first and the last among them; all if they are few.
std::vector<std::size_t> spread(std::size_t count, std::size_t most);

}  // namespace svrmu::report
