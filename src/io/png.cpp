// Pictures through libpng.
#include <png.h>

#include <csetjmp>
#include <cstring>
#include <new>

#include "io/pictures.hpp"

namespace svrmu::io {
namespace {

// libpng reports errors by a jump. Every function that it can jump back to has nothing to destroy on the way:
// what must be released is a member of this class, or belongs to the caller.
class PngDecoder {
 public:
  explicit PngDecoder(Bytes bytes) : bytes_(bytes) {
    png_ = png_create_read_struct(PNG_LIBPNG_VER_STRING, this, on_error, on_warning);
    info_ = png_ ? png_create_info_struct(png_) : nullptr;
    if (!info_) {
      png_destroy_read_struct(&png_, nullptr, nullptr);
      throw std::bad_alloc();
    }
  }
  ~PngDecoder() { png_destroy_read_struct(&png_, &info_, nullptr); }
  PngDecoder(const PngDecoder&) = delete;
  PngDecoder& operator=(const PngDecoder&) = delete;

  // Both return false after an error, which error() tells.
  bool read_head() {
    if (setjmp(png_jmpbuf(png_))) return false;
    png_set_read_fn(png_, this, take_bytes);
    png_read_info(png_, info_);
    const int colors = png_get_color_type(png_, info_);
    if (colors == PNG_COLOR_TYPE_PALETTE) png_set_palette_to_rgb(png_);
    if (colors == PNG_COLOR_TYPE_GRAY) png_set_expand_gray_1_2_4_to_8(png_);
    png_set_strip_alpha(png_);
    png_set_interlace_handling(png_);
    png_read_update_info(png_, info_);
    return true;
  }
  bool read_rows(png_bytepp rows) {
    if (setjmp(png_jmpbuf(png_))) return false;
    png_read_image(png_, rows);
    png_read_end(png_, nullptr);
    return true;
  }

  const char* error() const { return message_; }
  std::size_t position() const { return at_; }
  std::size_t left() const { return bytes_.size() - at_; }
  png_uint_32 width() const { return png_get_image_width(png_, info_); }
  png_uint_32 height() const { return png_get_image_height(png_, info_); }
  std::size_t channels() const { return png_get_channels(png_, info_); }
  std::size_t sample_bytes() const { return png_get_bit_depth(png_, info_) == 16 ? 2 : 1; }
  std::size_t row_bytes() const { return png_get_rowbytes(png_, info_); }

 private:
  static void on_error(png_structp png, png_const_charp message) {
    auto& self = *static_cast<PngDecoder*>(png_get_error_ptr(png));
    std::strncpy(self.message_, message, sizeof(self.message_) - 1);
    png_longjmp(png, 1);
  }
  static void on_warning(png_structp, png_const_charp) {}
  static void take_bytes(png_structp png, png_bytep to, std::size_t count) {
    auto& self = *static_cast<PngDecoder*>(png_get_io_ptr(png));
    if (count > self.left()) png_error(png, "ends too early");
    std::memcpy(to, self.bytes_.data() + self.at_, count);
    self.at_ += count;
  }

  Bytes bytes_;
  std::size_t at_ = 0;
  char message_[128] = "";
  png_structp png_ = nullptr;
  png_infop info_ = nullptr;
};

[[noreturn]] void fail_to_decode(const Input& input, const PngDecoder& decoder) {
  // Its sizes are checked before memory is asked for.
  if (std::strstr(decoder.error(), "memory")) throw std::bad_alloc();
  fail_at_byte(input, decoder.position(), "is a damaged PNG picture: " + printable(decoder.error()));
}

// Rec. 601; integers, so that gray stays what it is.
double luminance(std::uint32_t red, std::uint32_t green, std::uint32_t blue) {
  return (299 * red + 587 * green + 114 * blue) / 1000.0;
}

}  // namespace

Picture parse_png(const Input& input) {
  if (!input.text().starts_with("\x89PNG\r\n\x1a\n"))
    fail_at_byte(input, 0, "does not begin like a PNG picture");
  PngDecoder decoder(input.bytes);
  if (!decoder.read_head()) fail_to_decode(input, decoder);
  const std::uint64_t pixels = std::uint64_t{decoder.width()} * decoder.height();
  check_affordable(input, pixels, sizeof(double), "the picture");
  const std::size_t row_bytes = decoder.row_bytes();
  std::vector<std::uint8_t> bytes(row_bytes * decoder.height());
  std::vector<png_bytep> rows(decoder.height());
  for (std::size_t i = 0; i < rows.size(); ++i) rows[i] = bytes.data() + i * row_bytes;
  if (!decoder.read_rows(rows.data())) fail_to_decode(input, decoder);

  const std::size_t size = decoder.sample_bytes();
  const std::size_t channels = decoder.channels();
  const auto sample = [&](std::size_t i, std::size_t j, std::size_t channel) -> std::uint32_t {
    const std::uint8_t* from = rows[i] + (j * channels + channel) * size;
    return size == 1 ? *from : static_cast<std::uint32_t>(from[0] << 8 | from[1]);
  };
  Picture picture{decoder.height(), decoder.width(), size == 1 ? 255u : 65535u, std::vector<double>(pixels)};
  auto value = picture.values.begin();
  for (std::size_t j = 0; j < decoder.width(); ++j)
    for (std::size_t i = 0; i < decoder.height(); ++i)
      *value++ =
          channels == 1 ? sample(i, j, 0) : luminance(sample(i, j, 0), sample(i, j, 1), sample(i, j, 2));
  return picture;
}

}  // namespace svrmu::io
