#include <algorithm>
#include <cmath>

#include "report/charts.hpp"
#include "report/text.hpp"

namespace svrmu::report {
namespace {

constexpr double width = 720;
constexpr double plot_left = 70;
constexpr double plot_right = width - 16;
constexpr double plot_top = 34;
constexpr double plot_bottom = 320;

// The curves' names under the plot, as many in a line as fit.
std::string legend(const LineChart& chart, std::size_t curves, double& y) {
  std::string out;
  double x = plot_left;
  for (std::size_t i = 0; i < curves; ++i) {
    const std::string name = fitted(chart.series[i].name, 40);
    const double room = 34 + 7.2 * static_cast<double>(display_width(name)) + 18;
    if (x + room > width && x > plot_left) x = plot_left, y += 20;
    out += line(x, y - 4, x + 26, y - 4, series_class(i));
    out += text_at(x + 34, y, name);
    x += room;
  }
  return out;
}

}  // namespace

Drawing drawing_of(const LineChart& chart, std::size_t x_axis) {
  const std::size_t curves = std::min(chart.series.size(), most_curves);
  const auto drawable = [&](double x, double y) {
    return std::isfinite(x) && std::isfinite(y) && (!chart.log_y || y > 0);
  };
  std::vector<double> xs, ys;
  for (std::size_t i = 0; i < curves; ++i) {
    const LineChart::Series& s = chart.series[i];
    for (std::size_t j = 0; j < s.y.size(); ++j) {
      if (!drawable(s.x[x_axis][j], s.y[j])) continue;
      xs.push_back(s.x[x_axis][j]);
      ys.push_back(s.y[j]);
    }
  }
  const Scale x = scale_of(xs, plot_left, plot_right, false);
  const Scale y = scale_of(ys, plot_bottom, plot_top, chart.log_y);
  Drawing out{
      .width = width,
      .height = plot_bottom + 52,
      .label = chart.y_label + " over " + chart.x_axes[x_axis] + ": " + std::to_string(chart.series.size()) +
               (chart.series.size() == 1 ? " curve" : " curves"),
      .body = axes(x, y, chart.x_axes[x_axis], chart.y_label + (chart.log_y ? " (logarithmic)" : ""))};
  for (std::size_t i = 0; i < curves; ++i) {
    const LineChart::Series& s = chart.series[i];
    std::string points;
    for (const std::size_t j : spread(s.y.size(), most_points / 2))
      if (drawable(s.x[x_axis][j], s.y[j]))
        points += coordinate(x(s.x[x_axis][j])) + "," + coordinate(y(s.y[j])) + " ";
    if (!points.empty()) points.pop_back();
    out.body += "<polyline class=\"" + series_class(i) + "\" points=\"" + points + "\"/>";
  }
  if (ys.empty()) out.body += text_at(width / 2, 180, "nothing to show", Anchor::middle, "soft");
  if (curves > 1) {
    double last = plot_bottom + 64;
    out.body += legend(chart, curves, last);
    out.height = last + 12;
  }
  return out;
}

std::string note_on(const LineChart& chart) {
  std::size_t longest = 0;
  for (const LineChart::Series& s : chart.series) longest = std::max(longest, s.y.size());
  return notes({shown_note(most_curves, chart.series.size(), "curves"),
                shown_note(most_points, longest, "points of the longest curve")});
}

}  // namespace svrmu::report
