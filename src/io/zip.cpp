#include "io/zip.hpp"

#include <zlib.h>

#include <algorithm>

#include "io/elements.hpp"
#include "io/inflate.hpp"

namespace svrmu::io {
namespace {

constexpr std::uint32_t end_mark = 0x06054b50;
constexpr std::uint32_t end64_mark = 0x06064b50;
constexpr std::uint32_t locator64_mark = 0x07064b50;
constexpr std::uint32_t entry_mark = 0x02014b50;
constexpr std::uint32_t local_mark = 0x04034b50;
constexpr std::size_t end_size = 22;
constexpr std::size_t entry_size = 46;
constexpr std::size_t local_size = 30;
constexpr std::size_t locator64_size = 20;
constexpr std::size_t end64_size = 56;

// Little-endian numbers at places that are checked before they are read.
class Fields {
 public:
  Fields(const Input& input, std::uint64_t begin, std::uint64_t size, const char* what)
      : input_(input), begin_(begin) {
    if (begin > input.bytes.size() || size > input.bytes.size() - begin)
      fail_at_byte(input, std::min<std::uint64_t>(begin, input.bytes.size()),
                   std::string("ends within ") + what + "; the archive is cut off or damaged");
  }
  template <class Number>
  Number get(std::uint64_t offset) const {
    return load<Number>(input_.bytes.data() + begin_ + offset, std::endian::native == std::endian::big);
  }

 private:
  const Input& input_;
  std::uint64_t begin_;
};

struct Directory {
  std::uint64_t begin = 0;
  std::uint64_t size = 0;
  std::uint64_t entries = 0;
};

// The end record is the last thing in the file, but for a comment.
std::uint64_t find_end(const Input& input) {
  const std::uint64_t size = input.bytes.size();
  if (size < end_size) fail_at_byte(input, size, "is too short for a ZIP archive");
  const std::uint64_t lowest = size > end_size + 0xffff ? size - end_size - 0xffff : 0;
  for (std::uint64_t at = size - end_size + 1; at-- > lowest;)
    if (Fields(input, at, 4, "").get<std::uint32_t>(0) == end_mark) return at;
  fail_at_byte(input, size, "has no directory at its end; the archive is cut off, or is no ZIP archive");
}

Directory find_directory(const Input& input) {
  const std::uint64_t end = find_end(input);
  const Fields record(input, end, end_size, "the end record");
  Directory found{record.get<std::uint32_t>(16), record.get<std::uint32_t>(12),
                  record.get<std::uint16_t>(10)};
  const bool large = found.begin == 0xffffffff || found.size == 0xffffffff || found.entries == 0xffff;
  if (large && end >= locator64_size) {
    const Fields locator(input, end - locator64_size, locator64_size, "the ZIP64 locator");
    if (locator.get<std::uint32_t>(0) == locator64_mark) {
      const auto at = locator.get<std::uint64_t>(8);
      const Fields record64(input, at, end64_size, "the ZIP64 end record");
      if (record64.get<std::uint32_t>(0) != end64_mark) fail_at_byte(input, at, "no ZIP64 end record here");
      found = {record64.get<std::uint64_t>(48), record64.get<std::uint64_t>(40),
               record64.get<std::uint64_t>(32)};
    }
  }
  if (found.begin > end || found.size > end - found.begin)
    fail_at_byte(input, end, "the directory lies outside the archive");
  return found;
}

// Sizes that need 64 bits stand in an extra field, only those, in a fixed order.
void read_extra64(const Input& input, std::uint64_t begin, std::uint64_t size, ZipMember& member) {
  std::uint64_t at = 0;
  while (size - at >= 4) {
    const Fields head(input, begin + at, 4, "an extra field");
    const auto length = head.get<std::uint16_t>(2);
    if (length > size - at - 4) fail_at_byte(input, begin + at, "an extra field is longer than its place");
    if (head.get<std::uint16_t>(0) == 1) {
      std::uint64_t used = 0;
      for (std::uint64_t* number : {&member.size, &member.packed, &member.header}) {
        if (*number != 0xffffffff) continue;
        if (used + 8 > length) fail_at_byte(input, begin + at, "the ZIP64 field is too short");
        *number = Fields(input, begin + at + 4 + used, 8, "the ZIP64 field").get<std::uint64_t>(0);
        used += 8;
      }
      return;
    }
    at += 4 + length;
  }
}

}  // namespace

std::vector<ZipMember> zip_directory(const Input& input) {
  const Directory directory = find_directory(input);
  std::vector<ZipMember> members;
  std::uint64_t at = directory.begin;
  const std::uint64_t end = directory.begin + directory.size;
  for (std::uint64_t i = 0; i < directory.entries; ++i) {
    const Fields entry(input, at, entry_size, "the directory");
    if (entry.get<std::uint32_t>(0) != entry_mark) fail_at_byte(input, at, "no directory entry here");
    const std::uint64_t name = entry.get<std::uint16_t>(28);
    const std::uint64_t extra = entry.get<std::uint16_t>(30);
    const std::uint64_t comment = entry.get<std::uint16_t>(32);
    const std::uint64_t length = entry_size + name + extra + comment;
    if (at > end || length > end - at)
      fail_at_byte(input, at, "a directory entry is longer than the directory");
    if (entry.get<std::uint16_t>(8) & 1) fail_at_byte(input, at, "the archive is encrypted");
    ZipMember member;
    member.method = entry.get<std::uint16_t>(10);
    member.checksum = entry.get<std::uint32_t>(16);
    member.packed = entry.get<std::uint32_t>(20);
    member.size = entry.get<std::uint32_t>(24);
    member.header = entry.get<std::uint32_t>(42);
    member.name = std::string(input.text().substr(at + entry_size, name));
    read_extra64(input, at + entry_size + name, extra, member);
    members.push_back(std::move(member));
    at += length;
  }
  return members;
}

Input zip_member(const Input& input, const ZipMember& member) {
  const Fields local(input, member.header, local_size, "a member's header");
  if (local.get<std::uint32_t>(0) != local_mark) fail_at_byte(input, member.header, "no member begins here");
  const std::uint64_t begin =
      member.header + local_size + local.get<std::uint16_t>(26) + local.get<std::uint16_t>(28);
  if (begin > input.bytes.size() || member.packed > input.bytes.size() - begin)
    fail_at_byte(input, member.header, "member " + in_quotes(member.name) + " ends beyond the archive");
  Input content;
  content.name = input.name + ":" + member.name;
  if (member.method == 0) {
    content.bytes = input.bytes.subspan(begin, member.packed);
    content.owner = input.owner;
    content.mapped = input.mapped;
  } else if (member.method == 8) {
    const auto buffer = inflate_bytes(input, begin, begin + member.packed, Wrapping::raw, member.size);
    content.bytes = buffer->bytes();
    content.owner = buffer;
  } else {
    fail_at_byte(input, member.header,
                 "member " + in_quotes(member.name) + " is compressed by method " +
                     std::to_string(member.method) + "; stored and deflated members are read");
  }
  if (content.bytes.size() != member.size)
    fail_at_byte(input, member.header,
                 "member " + in_quotes(member.name) + " has " + std::to_string(content.bytes.size()) +
                     " bytes instead of " + std::to_string(member.size));
#ifndef FUZZING_BUILD_MODE_UNSAFE_FOR_PRODUCTION  // a fuzzer would never guess a checksum
  const auto checksum =
      crc32_z(0, reinterpret_cast<const Bytef*>(content.bytes.data()), content.bytes.size());
  if (checksum != member.checksum)
    fail_at_byte(input, member.header,
                 "member " + in_quotes(member.name) + " is damaged: its checksum is wrong");
#endif
  return content;
}

}  // namespace svrmu::io
