#include <algorithm>
#include <cmath>

#include "report/charts.hpp"

namespace svrmu::report {
namespace {

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
  constexpr std::uint8_t frame = 225;
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
  for (Index i = 0; i < count; ++i) {
    const Raster& cell = cells[static_cast<std::size_t>(i)];
    const Index top = gap + i / per_line * (rows * enlarge + gap);
    const Index left = gap + i % per_line * (columns * enlarge + gap);
    for (Index r = 0; r < cell.rows * enlarge; ++r)
      for (Index c = 0; c < cell.columns * enlarge; ++c)
        out.pixels[static_cast<std::size_t>((top + r) * out.columns + left + c)] =
            cell.pixels[static_cast<std::size_t>(r / enlarge * cell.columns + c / enlarge)];
  }
  return out;
}

std::string note_on(const Pictures& pictures) {
  return shown_note(most_charts, pictures.pictures.size(), "pictures");
}

}  // namespace svrmu::report
