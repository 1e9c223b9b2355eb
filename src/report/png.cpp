#include "report/png.hpp"

#include <png.h>

#include <new>
#include <stdexcept>
#include <string_view>

namespace svrmu::report {
namespace {

[[noreturn]] void fail(png_structp, png_const_charp message) {
  if (std::string_view(message).find("memory") != std::string_view::npos) throw std::bad_alloc();
  throw std::logic_error(std::string("a picture cannot be compressed: ") + message);
}
void ignore(png_structp, png_const_charp) {}

void append(png_structp png, png_bytep bytes, png_size_t count) {
  static_cast<std::string*>(png_get_io_ptr(png))->append(reinterpret_cast<const char*>(bytes), count);
}
void flush(png_structp) {}

struct Writer {
  png_structp png = png_create_write_struct(PNG_LIBPNG_VER_STRING, nullptr, fail, ignore);
  png_infop info = png == nullptr ? nullptr : png_create_info_struct(png);
  Writer() {
    if (info != nullptr) return;
    png_destroy_write_struct(&png, nullptr);
    throw std::bad_alloc();
  }
  ~Writer() { png_destroy_write_struct(&png, &info); }
  Writer(const Writer&) = delete;
  Writer& operator=(const Writer&) = delete;
};

std::string encoded(const Raster& raster, const std::vector<Color>& palette) {
  std::string out;
  const Writer writer;
  png_set_write_fn(writer.png, &out, append, flush);
  png_set_compression_level(writer.png, 9);
  png_set_IHDR(writer.png, writer.info, static_cast<png_uint_32>(raster.columns),
               static_cast<png_uint_32>(raster.rows), 8,
               palette.empty() ? PNG_COLOR_TYPE_GRAY : PNG_COLOR_TYPE_PALETTE, PNG_INTERLACE_NONE,
               PNG_COMPRESSION_TYPE_DEFAULT, PNG_FILTER_TYPE_DEFAULT);
  std::vector<png_color> colors;
  colors.reserve(palette.size());
  for (const Color& c : palette) colors.push_back({c[0], c[1], c[2]});
  if (!colors.empty()) png_set_PLTE(writer.png, writer.info, colors.data(), static_cast<int>(colors.size()));
  png_write_info(writer.png, writer.info);
  for (Index row = 0; row < raster.rows; ++row)
    png_write_row(writer.png, raster.pixels.data() + row * raster.columns);
  png_write_end(writer.png, nullptr);
  return out;
}

}  // namespace

std::string gray_png(const Raster& raster) { return encoded(raster, {}); }

std::string indexed_png(const Raster& raster, const std::vector<Color>& palette) {
  return encoded(raster, palette);
}

}  // namespace svrmu::report
