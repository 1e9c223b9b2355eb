// Untrusted text and numbers, as HTML, JSON and CSV.
#pragma once

#include <string>
#include <string_view>

namespace svrmu::report {

// UTF-8 that can be seen and that moves nothing: control characters become pictures of them, marks that turn
// the direction of text become "[U+202E]", broken bytes become U+FFFD. At most `most` characters, then "…".
std::string visible(std::string_view text, std::size_t most = 200);

// How many columns of a fixed-width font it takes, about: East Asian characters and emoji take two.
std::size_t display_width(std::string_view utf8);

// The beginning of a visible text that fits into so many columns, with "…" if something is missing.
std::string fitted(std::string_view text, std::size_t columns);

// Visible, with & < > " ' as entities: safe between tags and in a quoted attribute.
std::string html_text(std::string_view text, std::size_t most = 200);

// A JSON string with its quotes; < > & are escaped too, so that it may stand inside a script element.
std::string json_text(std::string_view text, std::size_t most = 200);

// Seven significant digits; what is not finite is null.
std::string json_number(double value);

// A coordinate of a drawing: at most two decimals.
std::string coordinate(double value);

// For the name of a file: letters, digits and dashes.
std::string file_stem(std::string_view text);

}  // namespace svrmu::report
