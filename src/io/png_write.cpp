#include <png.h>

#include "svrmu/error.hpp"
#include "svrmu/io.hpp"
#include "svrmu/picture.hpp"

namespace svrmu {

std::string png_bytes(const GrayPicture& picture) {
  if (picture.rows < 1 || picture.columns < 1 || picture.rows > 65535 || picture.columns > 65535 ||
      static_cast<Index>(picture.pixels.size()) != picture.rows * picture.columns)
    throw InvalidInput("a picture of " + std::to_string(picture.rows) + " x " +
                       std::to_string(picture.columns) + " with " + std::to_string(picture.pixels.size()) +
                       " pixels cannot be written");
  png_image image{};
  image.version = PNG_IMAGE_VERSION;
  image.width = static_cast<png_uint_32>(picture.columns);
  image.height = static_cast<png_uint_32>(picture.rows);
  image.format = PNG_FORMAT_GRAY;
  png_alloc_size_t size = PNG_IMAGE_PNG_SIZE_MAX(image);
  std::string bytes(size, '\0');
  if (png_image_write_to_memory(&image, bytes.data(), &size, 0, picture.pixels.data(), 0, nullptr) == 0)
    throw IoError(std::string("a picture cannot be made: ") + image.message);
  bytes.resize(size);
  return bytes;
}

}  // namespace svrmu
