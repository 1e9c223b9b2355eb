#include <algorithm>
#include <cmath>

#include "report/charts.hpp"

namespace svrmu::report {
namespace {

constexpr std::uint8_t frame = 225;
constexpr std::uint8_t paper = 255;

double largest_of(const Picture& picture) {
  double largest = 0;
  for (const double v : picture.pixels)
    if (std::isfinite(v)) largest = std::max(largest, v);
  return largest;
}

// The mean over the pixels that one pixel of the smaller picture stands for.
double mean_over(const Picture& p, Index row, Index row_end, Index column, Index column_end) {
  double sum = 0;
  for (Index c = column; c < column_end; ++c)
    for (Index r = row; r < row_end; ++r) {
      const double v = p.pixels[static_cast<std::size_t>(c * p.rows + r)];
      sum += std::isfinite(v) ? std::max(v, 0.0) : 0.0;
    }
  return sum / static_cast<double>((row_end - row) * (column_end - column));
}

// Every pixel of `cell` as a square of `enlarge` pixels.
void put(const Raster& cell, Index enlarge, Index top, Index left, Raster& out) {
  for (Index r = 0; r < cell.rows * enlarge; ++r)
    for (Index c = 0; c < cell.columns * enlarge; ++c)
      out.pixels[static_cast<std::size_t>((top + r) * out.columns + left + c)] =
          cell.pixels[static_cast<std::size_t>(r / enlarge * cell.columns + c / enlarge)];
}

}  // namespace

Raster raster_of(const Picture& picture, double most, Index longest) {
  const double black = most > 0 ? most : largest_of(picture);
  const Index shrink = (std::max(picture.rows, picture.columns) + longest - 1) / longest;
  Raster out;
  if (shrink == 0) return out;
  out.rows = (picture.rows + shrink - 1) / shrink;
  out.columns = (picture.columns + shrink - 1) / shrink;
  for (Index r = 0; r < out.rows; ++r)
    for (Index c = 0; c < out.columns; ++c) {
      const double value = mean_over(picture, r * shrink, std::min((r + 1) * shrink, picture.rows),
                                     c * shrink, std::min((c + 1) * shrink, picture.columns));
      const double share = black > 0 ? std::clamp(value / black, 0.0, 1.0) : 0;
      out.pixels.push_back(static_cast<std::uint8_t>(std::lround(255 * (1 - share))));
    }
  return out;
}

Raster montage(const Pictures& pictures) {
  constexpr Index longest = 256, gap = 4;
  std::vector<Raster> cells;
  Index rows = 1, columns = 1;
  for (std::size_t i = 0; i < std::min(pictures.pictures.size(), most_charts); ++i) {
    cells.push_back(raster_of(pictures.pictures[i], pictures.most, longest));
    rows = std::max(rows, cells.back().rows);
    columns = std::max(columns, cells.back().columns);
  }
  const auto count = static_cast<Index>(cells.size());
  const Index per_line = pictures.per_line > 0
                             ? pictures.per_line
                             : std::max<Index>(1, static_cast<Index>(std::ceil(std::sqrt(double(count)))));
  const Index enlarge = std::max<Index>(1, 96 / std::max(rows, columns));
  const Index lines = (count + per_line - 1) / per_line;
  Raster out{gap + lines * (rows * enlarge + gap), gap + per_line * (columns * enlarge + gap), {}};
  out.pixels.assign(static_cast<std::size_t>(out.rows * out.columns), frame);
  for (Index i = 0; i < count; ++i)
    put(cells[static_cast<std::size_t>(i)], enlarge, gap + i / per_line * (rows * enlarge + gap),
        gap + i % per_line * (columns * enlarge + gap), out);
  return out;
}

Raster montage(const PicturePanels& panels) {
  constexpr Index per_line = 2, gap = 24;
  std::vector<Raster> cells;
  Index rows = 0, columns = 0;
  for (const Pictures& pictures : panels.panels) {
    cells.push_back(montage(pictures));
    rows = std::max(rows, cells.back().rows);
    columns = std::max(columns, cells.back().columns);
  }
  const auto count = static_cast<Index>(cells.size());
  const Index lines = (count + per_line - 1) / per_line;
  Raster out{gap + lines * (rows + gap), gap + std::min(count, per_line) * (columns + gap), {}};
  out.pixels.assign(static_cast<std::size_t>(out.rows * out.columns), paper);
  for (Index i = 0; i < count; ++i)
    put(cells[static_cast<std::size_t>(i)], 1, gap + i / per_line * (rows + gap),
        gap + i % per_line * (columns + gap), out);
  return out;
}

Drawing drawing_of(const PicturePanels& panels) {
  constexpr double room = 28;  // for the caption
  std::vector<Drawing> drawings;
  for (const Pictures& pictures : panels.panels) {
    const Raster raster = montage(pictures);
    const auto width = static_cast<double>(raster.columns), height = static_cast<double>(raster.rows);
    drawings.push_back({.width = width,
                        .height = height + room,
                        .label = pictures.caption,
                        .body = image(0, 0, width, height, gray_png(raster), "gray") +
                                text_at(width / 2, height + 18, pictures.caption, Anchor::middle, "title")});
  }
  return grid(drawings, 2, panels.caption);
}

std::string note_on(const Pictures& pictures) {
  return shown_note(most_charts, pictures.pictures.size(), "pictures");
}

}  // namespace svrmu::report
