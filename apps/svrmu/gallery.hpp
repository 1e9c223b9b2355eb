// Bases as pictures, side by side, as the paper's Figure 2 has them.
#pragma once

#include <vector>

#include "svrmu/picture.hpp"

namespace svrmu::cli {

struct PictureShape {
  Index rows = 0;
  Index columns = 0;
};

// One panel for each W, two panels beside each other; in each the first `shown` columns in lines of seven,
// the largest value of a column white. A column's pixels run down first.
GrayPicture gallery(const std::vector<RowMatrix<double>>& bases, const PictureShape& shape, Index shown);

}  // namespace svrmu::cli
