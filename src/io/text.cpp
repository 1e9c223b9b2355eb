#include "io/text.hpp"

#include <algorithm>

namespace svrmu::io {

std::string lower(std::string text) {
  for (char& c : text)
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  return text;
}

std::vector<std::size_t> cut_at_lines(std::string_view text, std::size_t begin, std::size_t end,
                                      std::size_t size) {
  std::vector<std::size_t> ends;
  while (begin < end) {
    const std::size_t newline = end - begin > size ? text.find('\n', begin + size) : end;
    begin = newline >= end ? end : newline + 1;
    ends.push_back(begin);
  }
  return ends;
}

}  // namespace svrmu::io
