#include "console.hpp"

#include <sys/ioctl.h>
#include <unistd.h>

#include <array>
#include <cmath>
#include <cstdio>
#include <cstdlib>

#include "text/number.hpp"
#include "text/utf8.hpp"

namespace svrmu::cli {
namespace {

void put(const std::string& line) { std::fputs((line + "\n").c_str(), stderr); }

bool set(const char* variable) {
  const char* value = std::getenv(variable);
  return value != nullptr && *value != '\0';
}

// Bytes of the character that begins here, or 0 if a terminal must not get it as it is.
std::size_t character_length(std::string_view text) {
  const auto [code, bytes, valid] = first_character(text);
  return !valid || is_hidden(code) ? 0 : bytes;
}

}  // namespace

bool is_hidden(char32_t code) {
  return code < 0x20 || (code >= 0x7f && code < 0xa0) || is_invisible_mark(code);
}

Console& Console::get() {
  static Console console;
  return console;
}

void Console::settle(Verbosity wanted, bool no_color) {
  verbosity = wanted;
  const char* term = std::getenv("TERM");
  const bool dumb = term == nullptr || std::string_view(term) == "dumb";
  terminal = ::isatty(STDERR_FILENO) == 1 && !dumb;
  color = terminal && !no_color && !set("NO_COLOR");
}

void say(const std::string& line) {
  if (Console::get().verbosity != Verbosity::quiet) put(line);
}
void warn(const std::string& line) { put("svrmu: warning: " + printable(line)); }
void complain(const std::string& line) { put("svrmu: " + printable(line)); }
void complain_of_memory() noexcept { std::fputs("svrmu: there is not enough memory\n", stderr); }

std::string bold(const std::string& text) {
  return Console::get().color ? "\x1b[1m" + text + "\x1b[0m" : text;
}
std::string shell_word(std::string_view word) {
  const bool plain =
      !word.empty() &&
      word.find_first_not_of("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_./:,+=@%") ==
          std::string_view::npos;
  if (plain) return std::string(word);
  std::string out = "'";
  for (const char c : printable(word)) out += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return out + "'";
}

std::string printable(std::string_view text) {
  std::string out;
  while (!text.empty()) {
    const std::size_t length = character_length(text);
    if (length > 0) {
      out += text.substr(0, length);
      text.remove_prefix(length);
    } else {
      std::array<char, 8> code;
      std::snprintf(code.data(), code.size(), "\\x%02x",
                    static_cast<unsigned>(static_cast<unsigned char>(text[0])));
      out += code.data();
      text.remove_prefix(1);
    }
  }
  return out;
}

int terminal_width() {
  winsize size{};
  if (::ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0) return size.ws_col;
  return 80;
}

std::string short_number(double value) { return significant_text(value, 4); }

std::string duration(double seconds) {
  if (seconds < 60) return short_number(seconds) + " s";
  const auto whole = std::llround(seconds);
  const std::string minutes = std::to_string(whole / 60 % 60) + " min";
  if (whole >= 3600) return std::to_string(whole / 3600) + " h " + minutes;
  return minutes + " " + std::to_string(whole % 60) + " s";
}

std::string byte_size(double bytes) {
  constexpr std::array units = {"bytes", "KiB", "MiB", "GiB", "TiB"};
  std::size_t unit = 0;
  while (bytes >= 1024 && unit + 1 < units.size()) {
    bytes /= 1024;
    ++unit;
  }
  return decimal_text(bytes, unit == 0 ? 0 : 1) + " " + units[unit];
}

std::string counted(double count, const std::string& singular, const std::string& plural) {
  return number_text(count) + " " + (count == 1 ? singular : plural);
}

}  // namespace svrmu::cli
