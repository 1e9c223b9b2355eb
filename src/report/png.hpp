// PNG files of one byte per pixel.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "svrmu/matrix.hpp"

namespace svrmu::report {

using Color = std::array<std::uint8_t, 3>;

// A drawing surface: pixels row by row.
struct Raster {
  Index rows = 0;
  Index columns = 0;
  std::vector<std::uint8_t> pixels;
};

std::string gray_png(const Raster& raster);
std::string indexed_png(const Raster& raster, const std::vector<Color>& palette);  // at most 256 colors

}  // namespace svrmu::report
