// Portable gray maps: "P2" (text) or "P5" (bytes), width, height, largest value, then the pixels row by row.
#include <algorithm>
#include <bit>
#include <string>
#include <string_view>

#include "io/elements.hpp"
#include "io/pictures.hpp"
#include "text/text.hpp"

namespace svrmu::io {
namespace {

bool is_space(char c) { return c == ' ' || (c >= '\t' && c <= '\r'); }
bool is_digit(char c) { return c >= '0' && c <= '9'; }

class PgmReader {
 public:
  explicit PgmReader(const Input& input) : input_(input), text_(input.text()), at_(2) {}

  std::size_t position() const { return at_; }
  std::size_t left() const { return text_.size() - at_; }

  void skip_spaces() {
    while (at_ < text_.size() && (is_space(text_[at_]) || text_[at_] == '#')) {
      if (text_[at_] != '#') {
        ++at_;
        continue;
      }
      const std::size_t end = text_.find('\n', at_);
      at_ = end == text_.npos ? text_.size() : end + 1;
    }
  }

  std::uint32_t number(std::uint32_t least, std::uint32_t most, const char* what) {
    skip_spaces();
    if (at_ == text_.size() || !is_digit(text_[at_]))
      fail_at_byte(input_, at_, std::string("expected ") + what);
    const std::size_t begin = at_;
    std::uint64_t value = 0;
    for (; at_ < text_.size() && is_digit(text_[at_]); ++at_)
      value = std::min<std::uint64_t>(10 * value + static_cast<std::uint64_t>(text_[at_] - '0'), 1u << 31);
    if (value < least || value > most)
      fail_at_byte(
          input_, begin,
          std::string(what) + " must be from " + std::to_string(least) + " to " + std::to_string(most));
    return static_cast<std::uint32_t>(value);
  }

  // One character stands between the header and the bytes of a P5.
  void end_header() {
    if (at_ == text_.size() || !is_space(text_[at_]))
      fail_at_byte(input_, at_, "expected a blank after the largest value");
    ++at_;
  }

  std::uint32_t sample(bool wide) {
    const std::byte* from = input_.bytes.data() + at_;
    at_ += wide ? 2 : 1;
    if (!wide) return static_cast<std::uint32_t>(*from);
    return load<std::uint16_t>(from, std::endian::native == std::endian::little);
  }

 private:
  const Input& input_;
  std::string_view text_;
  std::size_t at_;
};

}  // namespace

Picture parse_pgm(const Input& input) {
  constexpr std::uint32_t most_pixels = 1000000;  // along a side
  const std::string_view text = input.text();
  const bool plain = text.starts_with("P2");
  if (!plain && !text.starts_with("P5"))
    fail_at_byte(input, 0, "does not begin like a PGM picture, with P2 or P5");
  PgmReader reader(input);
  Picture picture;
  picture.columns = reader.number(1, most_pixels, "the width");
  picture.rows = reader.number(1, most_pixels, "the height");
  picture.largest = reader.number(1, 65535, "the largest value");
  if (!plain) reader.end_header();
  const auto pixels = static_cast<std::uint64_t>(picture.rows) * static_cast<std::uint64_t>(picture.columns);
  const bool wide = picture.largest > 255;
  // As text a pixel takes a digit and a blank, except for one.
  const std::uint64_t needed = plain ? 2 * pixels - 1 : pixels * (wide ? 2 : 1);
  if (needed > reader.left())
    fail_at_byte(input, text.size(),
                 "ends too early for a picture of " + shape_text(picture.columns, picture.rows) + " pixels");
  check_affordable(input, pixels, sizeof(double), "the picture");
  picture.values.resize(pixels);
  for (Index i = 0; i < picture.rows; ++i)
    for (Index j = 0; j < picture.columns; ++j) {
      const std::size_t place = reader.position();
      const std::uint32_t value = plain ? reader.number(0, picture.largest, "a pixel") : reader.sample(wide);
      if (value > picture.largest)
        fail_at_byte(input, place,
                     "a pixel of " + std::to_string(value) + ", but the largest value is " +
                         std::to_string(picture.largest));
      picture.values[static_cast<std::size_t>(j * picture.rows + i)] = value;
    }
  reader.skip_spaces();
  if (reader.left() > 0)
    fail_at_byte(input, reader.position(),
                 "goes on for " + std::to_string(reader.left()) + " bytes after the picture");
  return picture;
}

}  // namespace svrmu::io
