// How a matrix is read, by names and texts.
#include <array>

#include "io/input.hpp"
#include "options/parse.hpp"
#include "svrmu/io/files.hpp"
#include "text/text.hpp"

namespace svrmu::io {
namespace {

struct NamedSign {
  const char* name;
  char sign;
};
constexpr std::array delimiters = {NamedSign{"comma", ','}, NamedSign{"semicolon", ';'},
                                   NamedSign{"tab", '\t'}, NamedSign{"space", ' '}};
constexpr std::array decimals = {NamedSign{"point", '.'}, NamedSign{"comma", ','}};

template <class Signs>
std::vector<std::string> names_of(const Signs& signs) {
  std::vector<std::string> names;
  names.reserve(signs.size());
  for (const NamedSign& known : signs) names.emplace_back(known.name);
  return names;
}

template <class Signs>
char sign_named(const char* option, std::string_view text, const Signs& signs) {
  for (const NamedSign& known : signs)
    if (text == known.name || (text.size() == 1 && text[0] == known.sign)) return known.sign;
  throw InvalidInput(std::string(option) + " is '" + printable(text) + "'; " +
                     nearest_text(text, names_of(signs)));
}

char delimiter_named(std::string_view text) {
  constexpr std::string_view in_numbers = "0123456789.+-\"\r\n";
  const bool single = text.size() == 1 && static_cast<unsigned char>(text[0]) < 0x80;
  if (!single || text == " ") return sign_named("delimiter", text, delimiters);
  const bool letter = (text[0] | 0x20) >= 'a' && (text[0] | 0x20) <= 'z';
  if (letter || in_numbers.find(text[0]) != in_numbers.npos)
    throw InvalidInput("delimiter is '" + printable(text) + "', which numbers or quotes have themselves");
  return text[0];
}

// "," for a sign that has a name is that name.
template <class Signs>
std::string sign_text(char sign, const Signs& signs) {
  if (sign == '\0') return "";
  for (const NamedSign& known : signs)
    if (known.sign == sign) return known.name;
  return std::string(1, sign);
}

}  // namespace

void set_option(ReadOptions& options, std::string_view name, std::string_view value) {
  const std::string wanted = underscored(name);
  if (wanted == "format") {
    options.format = value;
  } else if (wanted == "delimiter") {
    options.delimiter = delimiter_named(value);
  } else if (wanted == "decimal") {
    options.decimal = sign_named("decimal", value, decimals);
  } else {
    return detail::set_option(detail::option_view(options), wanted, value);
  }
  if (options.delimiter != '\0' && options.delimiter == options.decimal)
    throw InvalidInput(wanted + " is the sign that the " +
                       (wanted == "decimal" ? "delimiter" : "decimal sign") + " is; it cannot be both");
}

std::vector<OptionInfo> options_of(const ReadOptions& options) {
  ReadOptions copy = options;
  std::vector<OptionInfo> list = detail::list_options(detail::option_view(copy));
  list.push_back({.name = "format",
                  .type = "choice",
                  .value = options.format,
                  .choices = format_names(),
                  .help = "what the file is; unset: as its ending says",
                  .flag = "format"});
  list.push_back({.name = "delimiter",
                  .type = "text",
                  .value = sign_text(options.delimiter, delimiters),
                  .choices = names_of(delimiters),
                  .help = "between cells of a text, or any one character; unset: as it looks",
                  .flag = "delimiter"});
  list.push_back({.name = "decimal",
                  .type = "choice",
                  .value = sign_text(options.decimal, decimals),
                  .choices = names_of(decimals),
                  .help = "decimal sign of a text; unset: as it looks",
                  .flag = "decimal"});
  return list;
}

}  // namespace svrmu::io
