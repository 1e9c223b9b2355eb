#include <algorithm>
#include <cmath>

#include "report/charts.hpp"
#include "report/text.hpp"

namespace svrmu::report {
namespace {

constexpr double width = 320;
constexpr double names = 136;
constexpr double value_room = 52;
constexpr double line_height = 20;

Drawing drawing_of(const BarCharts::Chart& chart) {
  double largest = 0;
  for (const auto& [name, value] : chart.bars)
    if (std::isfinite(value)) largest = std::max(largest, value);
  Drawing out{.width = width, .label = chart.title};
  double y = 0;
  if (!chart.title.empty()) {
    out.body += clipped_text(0, 14, width, chart.title, Anchor::start, "title");
    y = 24;
  }
  const std::size_t shown = std::min(chart.bars.size(), most_bars);
  for (std::size_t i = 0; i < shown; ++i) {
    const auto& [name, value] = chart.bars[i];
    const double share = largest > 0 && std::isfinite(value) ? std::max(value, 0.0) / largest : 0;
    const double length = share * (width - names - value_room - 8);
    out.body += clipped_text(0, y + 14, names, name, Anchor::end);
    out.body += rectangle(names + 8, y + 3, std::max(length, 1.0), line_height - 6, "bar");
    out.body += text_at(names + 8 + length + 5, y + 14, number(value), Anchor::start, "tick");
    y += line_height;
    if (i < 3) out.label += (i == 0 ? ": " : ", ") + visible(name, 40) + " " + number(value);
  }
  if (shown == 0) {
    out.body += text_at(0, y + 14, "empty", Anchor::start, "soft");
    y += line_height;
  }
  out.height = y + 4;
  return out;
}

}  // namespace

std::vector<Drawing> drawings_of(const BarCharts& charts) {
  std::vector<Drawing> out;
  for (std::size_t i = 0; i < std::min(charts.charts.size(), most_charts); ++i)
    out.push_back(drawing_of(charts.charts[i]));
  return out;
}

std::string note_on(const BarCharts& charts) {
  std::size_t longest = 0;
  for (const BarCharts::Chart& chart : charts.charts) longest = std::max(longest, chart.bars.size());
  return notes(
      {shown_note(most_charts, charts.charts.size(), "charts"), shown_note(most_bars, longest, "bars")});
}

}  // namespace svrmu::report
