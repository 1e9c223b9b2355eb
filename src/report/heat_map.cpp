#include <algorithm>
#include <cmath>

#include "report/charts.hpp"
#include "report/text.hpp"

namespace svrmu::report {
namespace {

constexpr double width = 720;
constexpr double left = 56;
constexpr double top = 28;

std::vector<Index> shown_places(Index count, Index most) {
  std::vector<Index> out;
  for (const std::size_t i : spread(static_cast<std::size_t>(count), static_cast<std::size_t>(most)))
    out.push_back(static_cast<Index>(i));
  return out;
}

double largest_of(const HeatMap& map) {
  double largest = 0;
  for (const double v : map.values)
    if (std::isfinite(v)) largest = std::max(largest, v);
  return largest;
}

std::string color_bar(double x, double y, const std::string& end) {
  Raster ramp{1, 256, {}};
  for (int i = 0; i < 256; ++i) ramp.pixels.push_back(static_cast<std::uint8_t>(i));
  return text_at(x - 8, y + 10, "0", Anchor::end, "tick") +
         image(x, y, 160, 12, indexed_png(ramp, sequential_colors()), "map") +
         rectangle(x, y, 160, 12, "frame") + text_at(x + 168, y + 10, end, Anchor::start, "tick");
}

}  // namespace

const std::vector<Color>& sequential_colors() {
  static const std::vector<Color> colors = [] {
    // One hue, lightness falling evenly: the order can be seen in gray and by the color-blind.
    constexpr std::array<Color, 6> stops = {
        {{250, 251, 253}, {204, 222, 240}, {140, 182, 220}, {74, 135, 191}, {27, 84, 147}, {8, 38, 84}}};
    std::vector<Color> out;
    for (int i = 0; i < 256; ++i) {
      const double at = i / 255.0 * (stops.size() - 1);
      const auto below = std::min(static_cast<std::size_t>(at), stops.size() - 2);
      const double share = at - static_cast<double>(below);
      Color c;
      for (std::size_t j = 0; j < 3; ++j)
        c[j] = static_cast<std::uint8_t>(
            std::lround((1 - share) * stops[below][j] + share * stops[below + 1][j]));
      out.push_back(c);
    }
    return out;
  }();
  return colors;
}

Drawing drawing_of(const HeatMap& map) {
  const std::vector<Index> rows = shown_places(map.rows, most_cells_down);
  const std::vector<Index> columns = shown_places(map.columns, most_cells_across);
  const double largest = map.most > 0 ? map.most : largest_of(map);
  const double shown_rows = static_cast<double>(std::max<std::size_t>(rows.size(), 1));
  const double across = map.square ? std::clamp(shown_rows * 22, 160.0, 520.0) : width - left - 16;
  const double down = map.square ? across : std::clamp(shown_rows * 14, 84.0, 640.0);
  Drawing out{.width = map.square ? std::max(left + across + 16, 460.0) : width,
              .height = top + down + 72,
              .label = map.value_label + " by " + map.y_label + " (" + number(double(map.rows)) + ") and " +
                       map.x_label + " (" + number(double(map.columns)) + "); darkest " + number(largest)};
  Raster raster{static_cast<Index>(rows.size()), static_cast<Index>(columns.size()), {}};
  for (const Index row : rows) {
    for (const Index column : columns) {
      const double value = map.values[static_cast<std::size_t>(row * map.columns + column)];
      const double share = largest > 0 && std::isfinite(value) ? std::clamp(value / largest, 0.0, 1.0) : 0;
      raster.pixels.push_back(static_cast<std::uint8_t>(std::lround(255 * share)));
    }
  }
  if (raster.pixels.empty()) {
    out.body = text_at(left, top + 20, "nothing to show", Anchor::start, "soft");
    return out;
  }
  out.body += image(left, top, across, down, indexed_png(raster, sequential_colors()), "map");
  out.body += rectangle(left, top, across, down, "frame");
  out.body += text_at(4, top - 10, map.y_label, Anchor::start, "soft");
  const double cell = down / shown_rows;
  const auto every = static_cast<std::size_t>(std::ceil(13 / cell));
  for (std::size_t i = 0; i < rows.size(); i += every) {
    const auto row = static_cast<std::size_t>(rows[i]);
    const std::string name = row < map.row_names.size() ? map.row_names[row] : std::to_string(row + 1);
    out.body += clipped_text(0, top + (double(i) + 0.5) * cell + 4, left - 6, name, Anchor::end, "tick");
  }
  out.body += text_at(left + across / 2, top + down + 20, map.x_label, Anchor::middle, "soft");
  out.body += color_bar(left + 8, top + down + 40,
                        (map.most > 0 ? "≥ " : "") + number(largest) + "  " + map.value_label);
  return out;
}

std::string note_on(const HeatMap& map) {
  return notes({shown_note(most_cells_across, static_cast<std::size_t>(map.columns), "columns"),
                shown_note(most_cells_down, static_cast<std::size_t>(map.rows), "rows")});
}

}  // namespace svrmu::report
