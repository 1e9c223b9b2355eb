// Gray pictures as PNG (target svrmu::io).
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "svrmu/matrix.hpp"

namespace svrmu {

struct GrayPicture {
  Index rows = 0;
  Index columns = 0;
  std::vector<std::uint8_t> pixels;  // row by row; 0 is black, 255 white
};

// The bytes of the file. IoError if libpng cannot make it.
std::string png_bytes(const GrayPicture& picture);

}  // namespace svrmu
