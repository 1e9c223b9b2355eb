// Gray pictures, PGM and PNG.
#pragma once

#include <vector>

#include "io/input.hpp"

namespace svrmu::io {

struct Picture {
  Index rows = 0;
  Index columns = 0;
  std::uint32_t largest = 0;   // the value of white: 255, 65535, or what a PGM says
  std::vector<double> values;  // column by column
};

Picture parse_pgm(const Input& input);
// Colors become their luminance, transparency is ignored, 1 to 4 bits become 8.
Picture parse_png(const Input& input);

}  // namespace svrmu::io
