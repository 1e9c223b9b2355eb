#include "svrmu/report/page.hpp"

#include <algorithm>
#include <cmath>
#include <set>

#include "report/assets.hpp"
#include "report/charts.hpp"
#include "report/encode.hpp"
#include "report/text.hpp"
#include "text/csv_cell.hpp"
#include "text/text.hpp"

namespace svrmu::report {
namespace {

constexpr std::size_t most_rows = 200;
constexpr Index longest_side = 128;  // of a picture in the page

// `own` is the author's note, `sampled` says what is missing.
std::string caption_html(const std::string& caption, const std::string& own, const std::string& sampled) {
  const std::string note = notes({own, sampled});
  if (caption.empty() && note.empty()) return {};
  return "<figcaption>" + html_text(caption, 600) +
         (note.empty() ? "" : "<span class=\"note\">" + html_text(note, 600) + "</span>") + "</figcaption>";
}

// A part that may be wider than the screen: it scrolls by itself, also with the keyboard.
std::string scrolling(const std::string& label, const std::string& content, const char* style = "scroll") {
  return "<div class=\"" + std::string(style) + "\" tabindex=\"0\" role=\"region\" aria-label=\"" +
         html_text(label) + "\">" + content + "</div>";
}

std::string cell_html(const Cell& cell, const char* tag) {
  const auto* value = std::get_if<double>(&cell);
  const std::string open = std::string("<") + tag;
  if (value != nullptr) return open + " class=\"n\">" + number(*value) + "</" + tag + ">";
  return open + ">" + html_text(std::get<std::string>(cell), 120) + "</" + tag + ">";
}

bool is_numeric(const Table& table, std::size_t column) {
  return !table.rows.empty() && column < table.rows.front().size() &&
         std::holds_alternative<double>(table.rows.front()[column]);
}

std::string table_html(const Table& table) {
  std::string out = "<table><caption>" + html_text(table.caption, 600) + "</caption><thead><tr>";
  for (std::size_t i = 0; i < table.columns.size(); ++i)
    out += std::string("<th scope=\"col\"") + (is_numeric(table, i) ? " class=\"n\"" : "") + ">" +
           html_text(table.columns[i]) + "</th>";
  out += "</tr></thead><tbody>";
  const std::size_t shown = std::min(table.rows.size(), most_rows);
  for (std::size_t i = 0; i < shown; ++i) {
    out += "<tr>";
    for (const Cell& cell : table.rows[i]) out += cell_html(cell, "td");
    out += "</tr>";
  }
  out += "</tbody></table>";
  const std::string note = shown_note(most_rows, table.rows.size(), "rows");
  return out + (note.empty() ? "" : "<p class=\"note\">" + note + "</p>");
}

// The curves as a table, for screen readers.
Table curve_table(const LineChart& chart) {
  Table table{.caption = "The curves of this chart",
              .columns = {"curve", "points", "first", "lowest", "last"},
              .rows = {}};
  for (const LineChart::Series& s : chart.series) {
    double lowest = std::numeric_limits<double>::quiet_NaN();
    for (const double y : s.y)
      if (std::isfinite(y) && !(y >= lowest)) lowest = y;
    const double nothing = std::numeric_limits<double>::quiet_NaN();
    table.rows.push_back({s.name, double(s.y.size()), s.y.empty() ? nothing : s.y.front(), lowest,
                          s.y.empty() ? nothing : s.y.back()});
  }
  return table;
}

std::string chart_data(const LineChart& chart) {
  std::vector<std::string> axes, curves;
  for (const std::string& axis : chart.x_axes) axes.push_back(json_text(axis));
  for (std::size_t i = 0; i < std::min(chart.series.size(), most_curves); ++i) {
    const LineChart::Series& s = chart.series[i];
    const std::vector<std::size_t> points = spread(s.y.size(), most_points);
    const auto list = [&](const std::vector<double>& values) {
      std::vector<std::string> numbers;
      numbers.reserve(points.size());
      for (const std::size_t j : points) numbers.push_back(json_number(values[j]));
      return "[" + joined(numbers, ",") + "]";
    };
    std::vector<std::string> xs;
    for (std::size_t axis = 0; axis < chart.x_axes.size(); ++axis) xs.push_back(list(s.x[axis]));
    curves.push_back("{\"name\":" + json_text(s.name) + ",\"x\":[" + joined(xs, ",") +
                     "],\"y\":" + list(s.y) + "}");
  }
  return "{\"y\":" + json_text(chart.y_label) + ",\"log\":" + (chart.log_y ? "true" : "false") + ",\"x\":[" +
         joined(axes, ",") + "],\"series\":[" + joined(curves, ",") + "]}";
}

std::string to_html(const Paragraph& paragraph) { return "<p>" + html_text(paragraph.text, 2000) + "</p>"; }

std::string to_html(const Highlights& highlights) {
  std::string out = "<dl class=\"highlights\">";
  for (const Highlights::Number& n : highlights.numbers) {
    out += "<div><dt>" + html_text(n.label) + "</dt><dd>" + html_text(n.value) + "</dd>";
    if (!n.note.empty()) out += "<dd class=\"more\">" + html_text(n.note) + "</dd>";
    out += "</div>";
  }
  return out + "</dl>";
}

std::string to_html(const Facts& facts) {
  std::string out = "<dl class=\"facts\">";
  for (const auto& [name, value] : facts.lines)
    out += "<dt>" + html_text(name) + "</dt><dd>" + html_text(value, 2000) + "</dd>";
  return out + "</dl>";
}

std::string to_html(const Table& table) {
  const std::string content = scrolling(table.caption, table_html(table));
  if (!table.folded) return "<div class=\"block\">" + content + "</div>";
  return "<details class=\"block\"><summary>" + html_text(table.caption, 600) + "</summary>" + content +
         "</details>";
}

std::string to_html(const LineChart& chart) {
  return "<figure class=\"chart\">" + caption_html(chart.caption, chart.note, note_on(chart)) +
         scrolling(chart.y_label, inline_svg(drawing_of(chart, 0)), "static scroll wide") +
         "<details><summary>The curves in numbers</summary>" +
         scrolling("The curves in numbers", table_html(curve_table(chart))) +
         "</details><script type=\"application/json\" class=\"chart-data\">" + chart_data(chart) +
         "</script></figure>";
}

std::string to_html(const LineCharts& charts) {
  std::string out =
      "<figure>" + caption_html(charts.caption, charts.note, "") + "<div class=\"side-by-side\">";
  for (const LineChart& chart : charts.charts) out += to_html(chart);
  return out + "</div></figure>";
}

std::string picture_html(const Picture& picture, double most) {
  const Raster raster = raster_of(picture, most, longest_side);
  if (raster.pixels.empty()) return {};
  return "<figure><img class=\"gray\" alt=\"" + html_text(picture.caption) + "\" width=\"" +
         std::to_string(raster.columns) + "\" height=\"" + std::to_string(raster.rows) +
         "\" src=\"data:image/png;base64," + base64(gray_png(raster)) + "\"><figcaption>" +
         html_text(picture.caption, 80) + "</figcaption></figure>";
}

std::string to_html(const Pictures& pictures) {
  std::string style = "pictures";
  if (pictures.per_line >= 1 && pictures.per_line <= 8)
    style += " per-line-" + std::to_string(pictures.per_line);
  std::string out = "<figure>" + caption_html(pictures.caption, pictures.note, note_on(pictures)) +
                    "<div class=\"" + style + "\">";
  for (std::size_t i = 0; i < std::min(pictures.pictures.size(), most_charts); ++i)
    out += picture_html(pictures.pictures[i], pictures.most);
  return out + "</div></figure>";
}

std::string to_html(const PicturePanels& panels) {
  std::string out =
      "<figure>" + caption_html(panels.caption, panels.note, "") + "<div class=\"side-by-side\">";
  for (const Pictures& pictures : panels.panels) out += to_html(pictures);
  return out + "</div></figure>";
}

template <class Charts>
std::string small_html(const Charts& charts) {
  std::string out =
      "<figure>" + caption_html(charts.caption, charts.note, note_on(charts)) + "<div class=\"small\">";
  for (const Drawing& drawing : drawings_of(charts)) out += inline_svg(drawing);
  return out + "</div></figure>";
}
std::string to_html(const BarCharts& charts) { return small_html(charts); }
std::string to_html(const Spectra& spectra) { return small_html(spectra); }

template <class Chart>
std::string wide_html(const Chart& chart, const std::string& sampled, const char* style = "scroll wide") {
  return "<figure>" + caption_html(chart.caption, chart.note, sampled) +
         scrolling(chart.caption, inline_svg(drawing_of(chart)), style) + "</figure>";
}
std::string to_html(const HeatMap& map) {
  return wide_html(map, note_on(map), map.square ? "scroll wide own-size" : "scroll wide");
}
std::string to_html(const Histogram& histogram) { return wide_html(histogram, ""); }
std::string to_html(const Dots& dots) { return wide_html(dots, note_on(dots)); }

// A text of several lines.
std::string lines_html(std::string_view text) {
  std::string out;
  while (!text.empty()) {
    const std::size_t end = text.find('\n');
    std::string line(text.substr(0, end));
    std::replace(line.begin(), line.end(), '\t', ' ');
    out += html_text(line, 1000) + "\n";
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
  }
  return out;
}

std::string hash_source(std::string_view content) { return "'sha256-" + base64(sha256(content)) + "'"; }

// What the page may do, and nothing else: these scripts, these styles, pictures that it holds itself.
std::string policy(const std::vector<std::string_view>& scripts, std::string_view style) {
  std::string out = "default-src 'none'; base-uri 'none'; form-action 'none'; img-src data:; style-src " +
                    hash_source(style) + "; script-src";
  for (const std::string_view script : scripts) {
    out += " ";
    out += hash_source(script);
  }
  return out;
}

struct FilesOf {
  std::vector<FigureFile> operator()(const Paragraph&) const { return {}; }
  std::vector<FigureFile> operator()(const Highlights&) const { return {}; }
  std::vector<FigureFile> operator()(const Facts&) const { return {}; }
  std::vector<FigureFile> operator()(const Table& table) const { return {{table.name + ".csv", csv(table)}}; }
  std::vector<FigureFile> operator()(const LineChart& chart) const {
    std::vector<FigureFile> out;
    for (std::size_t axis = 0; axis < chart.x_axes.size(); ++axis)
      out.push_back({chart.name + (axis > 0 ? "-over-" + chart.x_axes[axis] : "") + ".svg",
                     svg_file(drawing_of(chart, axis))});
    return out;
  }
  std::vector<FigureFile> operator()(const LineCharts& charts) const {
    std::vector<FigureFile> out;
    for (const LineChart& chart : charts.charts)
      for (FigureFile& file : (*this)(chart)) out.push_back(std::move(file));
    return out;
  }
  std::vector<FigureFile> operator()(const PicturePanels& panels) const {
    if (panels.panels.empty()) return {};
    return {{panels.name + ".png", gray_png(montage(panels))},
            {panels.name + ".svg", svg_file(drawing_of(panels))}};
  }
  std::vector<FigureFile> operator()(const Pictures& pictures) const {
    if (pictures.pictures.empty()) return {};
    return {{pictures.name + ".png", gray_png(montage(pictures))}};
  }
  std::vector<FigureFile> operator()(const BarCharts& charts) const {
    return {{charts.name + ".svg", svg_file(grid(drawings_of(charts), 3, charts.caption))}};
  }
  std::vector<FigureFile> operator()(const Spectra& spectra) const {
    return {{spectra.name + ".svg", svg_file(grid(drawings_of(spectra), 3, spectra.caption))}};
  }
  template <class Chart>
  std::vector<FigureFile> operator()(const Chart& chart) const {
    return {{chart.name + ".svg", svg_file(drawing_of(chart))}};
  }
};

}  // namespace

std::string shown_note(std::size_t shown, std::size_t all, std::string_view what) {
  if (all <= shown) return {};
  return "Shown are " + number(double(shown)) + " of " + number(double(all)) + " " + std::string(what) + ".";
}

std::string notes(const std::vector<std::string>& parts) {
  std::vector<std::string> said;
  for (const std::string& part : parts)
    if (!part.empty()) said.push_back(part);
  return joined(said, " ");
}

std::string html(const Page& page) {
  const std::string style =
      std::string(dygraphs_css()) + "\n" + std::string(drawing_css()) + std::string(page_css());
  const std::vector<std::string_view> scripts = {dygraphs_js(), page_js()};
  std::string out =
      "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">"
      "<meta http-equiv=\"Content-Security-Policy\" content=\"" +
      policy(scripts, style) +
      "\">"
      "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">"
      "<meta name=\"color-scheme\" content=\"light dark\"><meta name=\"referrer\" content=\"no-referrer\">"
      "<title>" +
      html_text(page.title) + "</title><style>" + style +
      "</style></head>\n<body>"
      "<a class=\"skip\" href=\"#main\">Skip to the content</a><header><h1>" +
      html_text(page.title) + "</h1>";
  if (!page.subtitle.empty()) out += "<p class=\"subtitle\">" + html_text(page.subtitle, 600) + "</p>";
  out += "<nav aria-label=\"Sections\"><ul>";
  for (std::size_t i = 0; i < page.sections.size(); ++i)
    out += "<li><a href=\"#s" + std::to_string(i + 1) + "\">" + html_text(page.sections[i].heading) +
           "</a></li>";
  out += "</ul></nav></header>\n<main id=\"main\">\n";
  for (std::size_t i = 0; i < page.sections.size(); ++i) {
    const std::string id = "s" + std::to_string(i + 1);
    out += "<section id=\"" + id + "\" aria-labelledby=\"" + id + "h\"><h2 id=\"" + id + "h\">" +
           html_text(page.sections[i].heading) + "</h2>\n";
    for (const Block& block : page.sections[i].blocks)
      out += std::visit([](const auto& b) { return to_html(b); }, block) + "\n";
    out += "</section>\n";
  }
  out += "</main>\n<footer><p>Made by svrmu " SVRMU_VERSION
         ". The charts that can be zoomed use dygraphs.</p><details><summary>License of "
         "dygraphs</summary><pre>" +
         lines_html(dygraphs_license()) + "</pre></details></footer>\n";
  for (const std::string_view script : scripts) out += "<script>" + std::string(script) + "</script>\n";
  return out + "</body></html>\n";
}

std::vector<FigureFile> figures(const Page& page) {
  std::vector<FigureFile> out;
  std::set<std::string> names;
  for (const Section& section : page.sections)
    for (const Block& block : section.blocks)
      for (FigureFile& file : std::visit(FilesOf{}, block)) {
        const std::size_t dot = file.name.rfind('.');
        const std::string stem = file_stem(std::string_view(file.name).substr(0, dot));
        const std::string ending = file.name.substr(dot);
        std::string name = stem + ending;
        for (int i = 2; !names.insert(name).second; ++i) name = stem + "-" + std::to_string(i) + ending;
        out.push_back({name, std::move(file.bytes)});
      }
  return out;
}

std::string csv(const Table& table) {
  const auto cell_text = [](const Cell& cell) {
    const auto* value = std::get_if<double>(&cell);
    if (value == nullptr) return quoted_cell(without_formula(visible(std::get<std::string>(cell), 32000)));
    return std::isfinite(*value) ? number_text(*value) : std::string();
  };
  std::vector<std::string> cells;
  for (const std::string& column : table.columns) cells.push_back(cell_text(column));
  std::string out = joined(cells, ",") + "\r\n";
  for (const std::vector<Cell>& row : table.rows) {
    cells.clear();
    for (const Cell& cell : row) cells.push_back(cell_text(cell));
    out += joined(cells, ",") + "\r\n";
  }
  return out;
}

}  // namespace svrmu::report
