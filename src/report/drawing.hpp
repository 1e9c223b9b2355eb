// SVG drawings. Colors and fonts are classes of assets/drawing.css.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "report/scale.hpp"

namespace svrmu::report {

struct Drawing {
  double width = 0;
  double height = 0;
  std::string label{};  // for screen readers
  std::string body{};
};

std::string inline_svg(const Drawing& drawing);  // inside a page that has the styles
std::string svg_file(const Drawing& drawing);    // on its own

// Several drawings in lines of `columns`, as one.
Drawing grid(const std::vector<Drawing>& drawings, std::size_t columns, const std::string& label);

enum class Anchor { start, middle, end };

// Elements. `text` is untrusted.
std::string text_at(double x, double y, std::string_view text, Anchor anchor = Anchor::start,
                    std::string_view style = "");
std::string clipped_text(double x, double y, double width, std::string_view text, Anchor anchor,
                         std::string_view style = "");
std::string line(double x1, double y1, double x2, double y2, std::string_view style);
std::string rectangle(double x, double y, double width, double height, std::string_view style);
std::string image(double x, double y, double width, double height, const std::string& png,
                  std::string_view style);

// Ticks, grid lines and the labels of both axes, for a plot with these scales.
std::string axes(const Scale& x, const Scale& y, std::string_view x_label, std::string_view y_label);

// Colors and dashes of curve number i: no two of the first 24 are alike.
std::string series_class(std::size_t i);

}  // namespace svrmu::report
