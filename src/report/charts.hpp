// The blocks of a page as drawings and pictures. What a drawing cannot hold is sampled; `note` says so.
#pragma once

#include "report/drawing.hpp"
#include "report/png.hpp"
#include "svrmu/report/page.hpp"

namespace svrmu::report {

constexpr std::size_t most_charts = 100;   // small ones side by side
constexpr std::size_t most_curves = 40;    // in one chart
constexpr std::size_t most_points = 1000;  // of one curve
constexpr std::size_t most_bars = 40;
constexpr Index most_cells_across = 1000;  // of a heat map
constexpr Index most_cells_down = 300;
constexpr std::size_t most_dots = 2000;

// "Shown are 100 of 250 components." or nothing if all are.
std::string shown_note(std::size_t shown, std::size_t all, std::string_view what);

// Notes one after the other, without the empty ones.
std::string notes(const std::vector<std::string>& parts);

Drawing drawing_of(const LineChart& chart, std::size_t x_axis);
Drawing drawing_of(const PicturePanels& panels);
std::vector<Drawing> drawings_of(const BarCharts& charts);
std::vector<Drawing> drawings_of(const Spectra& spectra);
Drawing drawing_of(const HeatMap& map);
Drawing drawing_of(const Histogram& histogram);
Drawing drawing_of(const Dots& dots);

std::string note_on(const LineChart& chart);
std::string note_on(const BarCharts& charts);
std::string note_on(const Spectra& spectra);
std::string note_on(const HeatMap& map);
std::string note_on(const Dots& dots);
std::string note_on(const Pictures& pictures);

// Gray levels, shrunk so that no side is longer than `longest`. `most` is black.
Raster raster_of(const Picture& picture, double most, Index longest);
// All pictures side by side, small ones enlarged.
Raster montage(const Pictures& pictures);
// All panels, two in each line.
Raster montage(const PicturePanels& panels);

// From 0, nearly white, to 255, dark blue.
const std::vector<Color>& sequential_colors();

}  // namespace svrmu::report
