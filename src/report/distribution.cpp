// How values are distributed: histograms, and dots in the order of the data.
#include <algorithm>
#include <cmath>

#include "report/charts.hpp"
#include "report/text.hpp"

namespace svrmu::report {
namespace {

constexpr double width = 720;
constexpr double left = 70;
constexpr double right = width - 16;
constexpr double top = 34;
constexpr double bottom = 200;

// How many values share a dot.
std::size_t neighbors(std::size_t count) {
  return std::max<std::size_t>((count + most_dots - 1) / most_dots, 1);
}

}  // namespace

Drawing drawing_of(const Histogram& histogram) {
  // Few values in many bins would show noise, not a shape.
  const auto bins = static_cast<std::size_t>(
      std::clamp(std::ceil(2 * std::cbrt(double(histogram.values.size()))), 6.0, 48.0));
  const Scale x = scale_of(histogram.values, left, right, false);
  std::vector<double> counts(bins);
  for (const double v : histogram.values) {
    if (!std::isfinite(v)) continue;
    const double share = (v - x.least) / (x.most - x.least);
    ++counts[std::min(static_cast<std::size_t>(std::max(share, 0.0) * double(bins)), bins - 1)];
  }
  const Scale y = scale_of(counts, bottom, top, false, true);
  Drawing out{
      .width = width,
      .height = bottom + 50,
      .label = "histogram of " + histogram.x_label + ", from " + number(x.least) + " to " + number(x.most),
      .body = axes(x, y, histogram.x_label, histogram.y_label)};
  const double step = (right - left) / double(bins);
  for (std::size_t i = 0; i < bins; ++i)
    if (counts[i] > 0)
      out.body +=
          rectangle(left + double(i) * step + 0.5, y(counts[i]), step - 1, bottom - y(counts[i]), "bar");
  return out;
}

Drawing drawing_of(const Dots& dots) {
  const std::size_t count = dots.values.size();
  const Scale x{1, std::max(double(count), 2.0), left, right, false};
  const Scale y = scale_of(dots.values, bottom, top, false, true);
  Drawing out{.width = width,
              .height = bottom + 50,
              .label = dots.y_label + " of " + number(double(count)) + " " + dots.x_label + "s",
              .body = axes(x, y, dots.x_label, dots.y_label)};
  const std::size_t group = neighbors(count);
  const double radius = count > 500 ? 1.5 : 2.5;
  for (std::size_t first = 0; first < count; first += group) {
    const std::size_t end = std::min(first + group, count);
    const auto from = dots.values.begin();
    const auto best = std::max_element(from + std::ptrdiff_t(first), from + std::ptrdiff_t(end));
    if (!std::isfinite(*best)) continue;
    out.body += "<circle class=\"dot\" cx=\"" + coordinate(x(double(best - from) + 1)) + "\" cy=\"" +
                coordinate(y(*best)) + "\" r=\"" + coordinate(radius) + "\"/>";
  }
  return out;
}

std::string note_on(const Dots& dots) {
  const std::size_t group = neighbors(dots.values.size());
  if (group == 1) return {};
  return "Each dot is the largest of " + number(double(group)) + " neighbors.";
}

}  // namespace svrmu::report
