#include "io/inflate.hpp"

#include <zlib.h>

#include <algorithm>
#include <cstdlib>
#include <new>

#include "io/region.hpp"

namespace svrmu::io {
namespace {

// Output is taken in pieces: zlib counts in 32 bits, and memory must not be asked for too early.
constexpr std::uint64_t first_piece = 1 << 16;
constexpr std::uint64_t most_at_once = 1 << 30;

int window_bits(Wrapping wrapping) {
  switch (wrapping) {
    case Wrapping::raw:
      return -MAX_WBITS;
    case Wrapping::zlib:
      return MAX_WBITS;
    case Wrapping::gzip:
      break;
  }
  return MAX_WBITS + 16;
}

class Inflater {
 public:
  Inflater(const Input& input, std::size_t begin, std::size_t end, Wrapping wrapping)
      : input_(input), at_(begin), end_(end), wrapping_(wrapping) {
    if (inflateInit2(&stream_, window_bits(wrapping)) != Z_OK) throw std::bad_alloc();
  }
  ~Inflater() { inflateEnd(&stream_); }
  Inflater(const Inflater&) = delete;
  Inflater& operator=(const Inflater&) = delete;

  // Fills as much of the memory as there is data for; less than `size` means the end.
  std::uint64_t read(std::byte* to, std::uint64_t size) {
    std::uint64_t done = 0;
    while (done < size && !finished_) {
      const auto room = static_cast<uInt>(std::min(size - done, most_at_once));
      const auto given = static_cast<uInt>(std::min<std::uint64_t>(end_ - at_, most_at_once));
      stream_.next_in = reinterpret_cast<Bytef*>(const_cast<std::byte*>(input_.bytes.data() + at_));
      stream_.avail_in = given;
      stream_.next_out = reinterpret_cast<Bytef*>(to + done);
      stream_.avail_out = room;
      const int code = ::inflate(&stream_, Z_NO_FLUSH);
      at_ += given - stream_.avail_in;
      done += room - stream_.avail_out;
      if (code == Z_STREAM_END)
        next_member();
      else if (code == Z_BUF_ERROR || (code == Z_OK && at_ == end_ && stream_.avail_out > 0))
        fail_at_byte(input_, end_, "compressed data end too early; the file is cut off");
      else if (code == Z_MEM_ERROR)
        throw std::bad_alloc();
      else if (code != Z_OK)
        fail_at_byte(input_, at_,
                     std::string("compressed data are damaged (") +
                         (stream_.msg ? stream_.msg : "needs a dictionary") + ")");
    }
    return done;
  }

 private:
  // gzip files may follow each other in one file; what follows anything else belongs to someone else.
  void next_member() {
    const auto* next = reinterpret_cast<const unsigned char*>(input_.bytes.data() + at_);
    if (wrapping_ == Wrapping::gzip && end_ - at_ >= 2 && next[0] == 0x1f && next[1] == 0x8b)
      inflateReset(&stream_);
    else
      finished_ = true;
  }

  const Input& input_;
  std::size_t at_;
  std::size_t end_;
  Wrapping wrapping_;
  z_stream stream_{};
  bool finished_ = false;
};

}  // namespace

Buffer::~Buffer() {
  if (reading_region() != nullptr && reading_region()->holds(data_))
    reading_region()->release(data_);
  else
    std::free(data_);
}

void Buffer::resize(std::size_t size) {
  const std::size_t wanted = std::max<std::size_t>(size, 1);
  void* moved =
      reading_region() != nullptr ? reading_region()->resize(data_, wanted) : std::realloc(data_, wanted);
  if (!moved) throw std::bad_alloc();
  data_ = static_cast<std::byte*>(moved);
  size_ = size;
}

std::shared_ptr<Buffer> inflate_bytes(const Input& input, std::size_t begin, std::size_t end,
                                      Wrapping wrapping, std::uint64_t expected, std::uint64_t limit) {
  Inflater inflater(input, begin, end, wrapping);
  auto out = std::make_shared<Buffer>();
  std::uint64_t done = 0;
  // A promise of up to 64 MB is believed at once; later memory doubles with what has come out.
  std::uint64_t room = expected > 0 ? std::min(expected, affordable(0)) : first_piece;
  for (;;) {
    room = std::min(room, limit);
    out->resize(room);
    done += inflater.read(out->data() + done, room - done);
    if (done < room || done == limit) break;
    // One byte more than promised shows whether there is more.
    if (done < expected)
      room = std::min(expected, affordable(done));
    else
      room = done + (done == expected ? 1 : std::max(done / 2, first_piece));
  }
  out->resize(done);
  return out;
}

}  // namespace svrmu::io
