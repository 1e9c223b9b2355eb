#include "io/cells.hpp"

namespace svrmu::io {
namespace {

constexpr std::string_view byte_order_mark = "\xef\xbb\xbf";

}  // namespace

std::size_t begin_of_text(const Input& input, const char* wanted) {
  const std::string_view text = input.text();
  if (text.starts_with("\xff\xfe") || text.starts_with("\xfe\xff"))
    fail_at_text(input, 0, "is in UTF-16; save it as UTF-8");
  const std::size_t begin = text.starts_with(byte_order_mark) ? byte_order_mark.size() : 0;
  if (text.find_first_not_of(" \t\r\n", begin) == text.npos)
    fail_at_text(input, begin, std::string("holds no ") + wanted);
  return begin;
}

Cell Cells::read(std::size_t at) const {
  if (spaced())
    while (at < text_.size() && is_delimiter(text_[at])) ++at;
  Cell cell = at < text_.size() && text_[at] == '"' ? read_quoted(at) : read_plain(at);
  if (spaced()) cell.next = behind_blanks(cell.next);
  return cell;
}

std::string Cells::content(const Cell& cell) const {
  std::string out(text_.substr(cell.begin, cell.end - cell.begin));
  if (cell.quoted)
    for (std::size_t i = out.find("\"\""); i != out.npos; i = out.find("\"\"", i + 1)) out.erase(i, 1);
  return out;
}

std::vector<std::string> Cells::line(std::size_t at) const {
  std::vector<std::string> contents;
  for (;; ++at) {
    const Cell cell = read(at);
    contents.push_back(content(cell));
    at = cell.next;
    if (ends_line(at)) return contents;
  }
}

Cell Cells::read_plain(std::size_t at) const {
  std::size_t end = at;
  while (end < text_.size() && !is_delimiter(text_[end]) && text_[end] != '\n') ++end;
  const bool returns = end > at && text_[end - 1] == '\r' && (end == text_.size() || text_[end] == '\n');
  if (returns) --end;
  return {at, end, false, end};
}

Cell Cells::read_quoted(std::size_t at) const {
  std::size_t close = at + 1;
  for (;; close += 2) {
    close = text_.find('"', close);
    if (close == text_.npos) fail_at_text(input_, at, "a text in quotes does not end");
    if (close + 1 >= text_.size() || text_[close + 1] != '"') break;
  }
  const std::size_t next = close + 1;
  const std::string_view rest = text_.substr(next, 2);
  if (!rest.empty() && !is_delimiter(rest[0]) && rest[0] != '\n' && rest != "\r\n" && rest != "\r")
    fail_at_text(input_, next, "a closing quote must be followed by the next cell or line");
  return {at + 1, close, true, next};
}

std::size_t Cells::behind_blanks(std::size_t at) const {
  std::size_t next = at;
  while (next < text_.size() && is_delimiter(text_[next])) ++next;
  const bool at_end = next == text_.size() || text_[next] == '\n' || text_.substr(next, 2) == "\r\n" ||
                      text_.substr(next) == "\r";
  return at_end || next == at ? next : next - 1;
}

}  // namespace svrmu::io
