#include "report/drawing.hpp"

#include <algorithm>

#include "report/assets.hpp"
#include "report/encode.hpp"
#include "report/text.hpp"

namespace svrmu::report {
namespace {

std::string attribute(std::string_view name, double value) {
  return std::string(1, ' ').append(name).append("=\"").append(coordinate(value)).append("\"");
}
std::string class_attribute(std::string_view style) {
  return style.empty() ? "" : " class=\"" + std::string(style) + "\"";
}
std::string anchor_attribute(Anchor anchor) {
  return anchor == Anchor::start ? ""
         : anchor == Anchor::end ? " text-anchor=\"end\""
                                 : " text-anchor=\"middle\"";
}

std::string svg(const Drawing& drawing, const std::string& more, const std::string& style) {
  const std::string size = coordinate(drawing.width) + " " + coordinate(drawing.height);
  const std::string label = html_text(drawing.label, 400);
  return "<svg" + more + " class=\"drawing\" viewBox=\"0 0 " + size + "\"" +
         attribute("width", drawing.width) + attribute("height", drawing.height) +
         " role=\"img\" aria-label=\"" + label + "\">" + style + drawing.body + "</svg>";
}

}  // namespace

std::string inline_svg(const Drawing& drawing) { return svg(drawing, "", ""); }

std::string svg_file(const Drawing& drawing) {
  return svg(drawing, " xmlns=\"http://www.w3.org/2000/svg\"",
             "<style>" + std::string(drawing_css()) + "</style>" +
                 rectangle(0, 0, drawing.width, drawing.height, "paper")) +
         "\n";
}

Drawing grid(const std::vector<Drawing>& drawings, std::size_t columns, const std::string& label) {
  Drawing out{.label = label};
  constexpr double gap = 16;
  double y = gap;
  for (std::size_t first = 0; first < drawings.size(); first += columns) {
    double x = gap, height = 0;
    for (std::size_t i = first; i < std::min(first + columns, drawings.size()); ++i) {
      const Drawing& d = drawings[i];
      out.body += "<svg" + attribute("x", x) + attribute("y", y) + attribute("width", d.width) +
                  attribute("height", d.height) + ">" + d.body + "</svg>";
      x += d.width + gap;
      height = std::max(height, d.height);
    }
    out.width = std::max(out.width, x);
    y += height + gap;
  }
  out.height = y;
  return out;
}

std::string text_at(double x, double y, std::string_view text, Anchor anchor, std::string_view style) {
  return "<text" + attribute("x", x) + attribute("y", y) + anchor_attribute(anchor) + class_attribute(style) +
         ">" + html_text(text) + "</text>";
}

std::string clipped_text(double x, double y, double width, std::string_view text, Anchor anchor,
                         std::string_view style) {
  // An inner svg element cuts off what does not fit; its own text begins at the top of a line of 16.
  constexpr double per_column = 7.2;
  const std::string shown = fitted(text, static_cast<std::size_t>(width / per_column));
  // What is nearly too long begins at the left: if letters are wide, the end is lost and not the beginning.
  if (static_cast<double>(display_width(shown) + 2) * per_column > width) anchor = Anchor::start;
  const double at = anchor == Anchor::end ? width : anchor == Anchor::middle ? width / 2 : 0;
  return "<svg" + attribute("x", x) + attribute("y", y - 12) + attribute("width", width) + " height=\"16\">" +
         text_at(at, 12, shown, anchor, style) + "</svg>";
}

std::string line(double x1, double y1, double x2, double y2, std::string_view style) {
  return "<line" + attribute("x1", x1) + attribute("y1", y1) + attribute("x2", x2) + attribute("y2", y2) +
         class_attribute(style) + "/>";
}

std::string rectangle(double x, double y, double width, double height, std::string_view style) {
  return "<rect" + attribute("x", x) + attribute("y", y) + attribute("width", width) +
         attribute("height", height) + class_attribute(style) + "/>";
}

std::string image(double x, double y, double width, double height, const std::string& png,
                  std::string_view style) {
  return "<image" + attribute("x", x) + attribute("y", y) + attribute("width", width) +
         attribute("height", height) + class_attribute(style) +
         " preserveAspectRatio=\"none\" href=\"data:image/png;base64," + base64(png) + "\"/>";
}

std::string axes(const Scale& x, const Scale& y, std::string_view x_label, std::string_view y_label) {
  std::string out;
  for (const Tick& tick : ticks(y, 5)) {
    out += line(x.from, y(tick.value), x.to, y(tick.value), "grid-line");
    out += text_at(x.from - 8, y(tick.value) + 4, tick.label, Anchor::end, "tick");
  }
  for (const Tick& tick : ticks(x, 6)) {
    out += line(x(tick.value), y.from, x(tick.value), y.from + 4, "axis");
    out += text_at(x(tick.value), y.from + 18, tick.label, Anchor::middle, "tick");
  }
  out += line(x.from, y.from, x.to, y.from, "axis");
  out += text_at((x.from + x.to) / 2, y.from + 38, x_label, Anchor::middle, "soft");
  out += text_at(4, y.to - 12, y_label, Anchor::start, "soft");
  return out;
}

std::string series_class(std::size_t i) {
  return "series c" + std::to_string(i % 8) + " d" + std::to_string(i / 4 % 3);
}

}  // namespace svrmu::report
