#include <algorithm>
#include <cmath>

#include "report/charts.hpp"
#include "report/text.hpp"

namespace svrmu::report {
namespace {

constexpr double width = 320;
constexpr double top = 26;
constexpr double bottom = 108;
constexpr std::size_t bins = 312;  // one for each unit of the drawing

Drawing drawing_of(const Spectra::Chart& chart, const std::vector<double>& x, const std::string& x_label) {
  const std::size_t count = chart.y.size();
  const auto place = [&](std::size_t i) { return i < x.size() ? x[i] : static_cast<double>(i + 1); };
  Drawing out{.width = width, .height = bottom + 22, .label = chart.title};
  out.body = clipped_text(0, 14, width, chart.title, Anchor::start, "title");
  const Scale y = scale_of(chart.y, bottom, top, false, true);
  out.body += line(4, bottom, width - 4, bottom, "axis");
  if (count == 0) return out;
  const Scale across{place(0), count > 1 ? place(count - 1) : place(0) + 1, 4, width - 4, false};

  // Where several values share a place the largest is shown: peaks must not get lost.
  std::vector<std::size_t> peaks;
  std::size_t peak = 0;
  const std::size_t shown = std::min(count, bins);
  for (std::size_t bin = 0; bin < shown; ++bin) {
    const std::size_t first = bin * count / shown, end = (bin + 1) * count / shown;
    std::size_t best = first;
    for (std::size_t i = first; i < end; ++i)
      if (chart.y[i] > chart.y[best]) best = i;
    peaks.push_back(best);
    if (chart.y[best] > chart.y[peak]) peak = best;
  }
  std::string path;
  const auto go = [&](char how, double to_x, double to_y) {
    path += how;
    path += coordinate(to_x) + " " + coordinate(to_y);
  };
  go('M', across(place(peaks.front())), y(0));
  for (const std::size_t i : peaks)
    if (std::isfinite(chart.y[i])) go('L', across(place(i)), y(chart.y[i]));
  go('L', across(place(peaks.back())), y(0));
  out.body += "<path class=\"area\" d=\"" + path + "Z\"/>";
  out.body += text_at(4, bottom + 15, number(place(0)), Anchor::start, "tick");
  out.body += text_at(width / 2, bottom + 15, x_label, Anchor::middle, "tick");
  out.body += text_at(width - 4, bottom + 15, number(place(count - 1)), Anchor::end, "tick");
  out.label += ": highest, " + number(chart.y[peak]) + ", at " + x_label + " " + number(place(peak));
  return out;
}

}  // namespace

std::vector<Drawing> drawings_of(const Spectra& spectra) {
  std::vector<Drawing> out;
  for (std::size_t i = 0; i < std::min(spectra.charts.size(), most_charts); ++i)
    out.push_back(drawing_of(spectra.charts[i], spectra.x, spectra.x_label));
  return out;
}

std::string note_on(const Spectra& spectra) {
  std::size_t longest = 0;
  for (const Spectra::Chart& chart : spectra.charts) longest = std::max(longest, chart.y.size());
  const std::string peaks = longest <= bins
                                ? ""
                                : "Each point is the largest of about " +
                                      number(std::round(double(longest) / double(bins))) + " neighbors.";
  return notes({shown_note(most_charts, spectra.charts.size(), "curves"), peaks});
}

}  // namespace svrmu::report
