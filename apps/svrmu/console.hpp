// What the program says to people: on standard error, in color only where that is wanted.
#pragma once

#include <string>
#include <string_view>

namespace svrmu::cli {

enum class Verbosity { quiet, normal, verbose };

// The settings of this run; set once, before anything is said.
struct Console {
  Verbosity verbosity = Verbosity::normal;
  bool color = false;     // NO_COLOR, TERM=dumb and --no-color turn it off
  bool terminal = false;  // standard error is one that can rewrite a line

  static Console& get();
  void settle(Verbosity verbosity, bool no_color);
};

void say(const std::string& line);       // unless quiet
void warn(const std::string& line);      // always
void complain(const std::string& line);  // "svrmu: ...", for what ends the program
void complain_of_memory() noexcept;      // the same, without needing any

std::string bold(const std::string& text);

// A word of a command line, quoted if a shell would change it.
std::string shell_word(std::string_view word);

// Control characters and marks without a shape: a name with them looks like another.
bool is_hidden(char32_t code);

// Untrusted text for a terminal: control characters and broken UTF-8 become visible, line breaks too.
std::string printable(std::string_view text);

int terminal_width();  // of standard error; 80 if it is none

// "1.234e-05", "0.1234": four significant digits.
std::string short_number(double value);
std::string duration(double seconds);  // "0.43 s", "2 min 5 s"
std::string byte_size(double bytes);   // "1.5 GiB"
std::string counted(double count, const std::string& singular, const std::string& plural);

}  // namespace svrmu::cli
