#include "gallery.hpp"

#include <algorithm>
#include <cmath>

namespace svrmu::cli {
namespace {

constexpr Index per_line = 7;
constexpr Index panels_abreast = 2;
constexpr Index between_pictures = 3;
constexpr Index between_panels = 24;

}  // namespace

GrayPicture gallery(const std::vector<RowMatrix<double>>& bases, const PictureShape& shape, Index shown) {
  const Index enlarged = std::max<Index>(1, 96 / std::max(shape.rows, shape.columns));
  const Index height = shape.rows * enlarged + between_pictures;
  const Index width = shape.columns * enlarged + between_pictures;
  const Index lines = (shown + per_line - 1) / per_line;
  const auto panels = static_cast<Index>(bases.size());
  const Index abreast = std::min(panels, panels_abreast);
  const Index panel_height = lines * height + between_panels;
  const Index panel_width = std::min(shown, per_line) * width + between_panels;

  GrayPicture picture;
  picture.rows = (panels + abreast - 1) / abreast * panel_height + between_panels;
  picture.columns = abreast * panel_width + between_panels;
  picture.pixels.assign(static_cast<std::size_t>(picture.rows * picture.columns), 255);
  for (Index p = 0; p < panels; ++p) {
    const RowMatrix<double>& W = bases[static_cast<std::size_t>(p)];
    for (Index k = 0; k < std::min(shown, W.cols()); ++k) {
      const double largest = W.col(k).maxCoeff();
      const Index top = between_panels + p / abreast * panel_height + k / per_line * height;
      const Index left = between_panels + p % abreast * panel_width + k % per_line * width;
      for (Index i = 0; i < shape.rows * enlarged; ++i)
        for (Index j = 0; j < shape.columns * enlarged; ++j) {
          const double value = W(j / enlarged * shape.rows + i / enlarged, k);
          const double gray = largest > 0 ? std::round(255 * value / largest) : 0;
          picture.pixels[static_cast<std::size_t>((top + i) * picture.columns + left + j)] =
              static_cast<std::uint8_t>(gray);
        }
    }
  }
  return picture;
}

}  // namespace svrmu::cli
