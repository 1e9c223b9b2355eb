#include "io/input.hpp"

#include <algorithm>

namespace svrmu::io {

void fail(const Input& input, const std::string& what) { fail(input.name, what); }
void fail(const std::string& name, const std::string& what) { throw InvalidData(name + ": " + what); }

void fail_at_byte(const Input& input, std::size_t position, const std::string& what) {
  throw InvalidData(input.name + ", byte " + std::to_string(position) + ": " + what);
}

void fail_at_text(const Input& input, std::size_t position, const std::string& what) {
  const std::string_view before = input.text().substr(0, position);
  const auto line =
      1 + input.lines_before + static_cast<std::uint64_t>(std::count(before.begin(), before.end(), '\n'));
  const std::size_t start = before.rfind('\n') == std::string_view::npos ? 0 : before.rfind('\n') + 1;
  throw InvalidData(input.name + ", line " + std::to_string(line) + ", column " +
                    std::to_string(position - start + 1) + ": " + what);
}

void check_affordable(const Input& input, std::uint64_t count, std::uint64_t size, const std::string& what) {
  check_affordable(input.name, input.bytes.size(), count, size, what);
}

void check_affordable(const std::string& name, std::uint64_t decoded, std::uint64_t count, std::uint64_t size,
                      const std::string& what) {
  std::uint64_t bytes = 0;
  if (multiply(count, size, bytes) && bytes <= affordable(decoded)) return;
  fail(name, what + " would need " + std::to_string(count) + " x " + std::to_string(size) +
                 " bytes, far more than the " + std::to_string(decoded) +
                 " bytes of content can mean; the file is damaged, or its sizes are wrong");
}

std::uint64_t room_for(const std::string& name, std::uint64_t decoded, std::uint64_t needed,
                       std::uint64_t total, std::uint64_t size) {
  check_affordable(name, decoded, needed, size, "the content");
  return std::min(total, affordable(decoded) / size);
}

std::string printable(std::string_view text) {
  std::string out(text);
  for (char& c : out)
    if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f) c = '?';
  return out;
}

std::string in_quotes(std::string_view text) {
  constexpr std::size_t most = 40;
  std::string out = "'";
  out += printable(text.substr(0, most));
  out += text.size() > most ? "...'" : "'";
  return out;
}

}  // namespace svrmu::io
