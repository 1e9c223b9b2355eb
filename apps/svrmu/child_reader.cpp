#include "child_reader.hpp"

#include <sys/mman.h>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <new>

#include "child_process.hpp"
#include "console.hpp"
#include "io/mapped_file.hpp"
#include "io/read.hpp"
#include "io/region.hpp"
#include "message.hpp"
#include "svrmu/io/model.hpp"
#include "targets.hpp"

namespace svrmu::cli {
namespace {

// The range of memory that parent and child share. Its pages exist once they are touched.
class SharedMemory {
 public:
  explicit SharedMemory(double wanted) {
    for (double size = wanted; size >= 1e6; size /= 2) {
      size_ = static_cast<std::size_t>(size);
      data_ =
          ::mmap(nullptr, size_, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
      if (data_ != MAP_FAILED) return;
    }
    throw ResourceLimit("there is not enough memory");
  }
  ~SharedMemory() { ::munmap(data_, size_); }
  SharedMemory(const SharedMemory&) = delete;
  SharedMemory& operator=(const SharedMemory&) = delete;

  std::byte* data() const { return static_cast<std::byte*>(data_); }
  std::size_t size() const { return size_; }
  io::Bytes bytes() const { return {data(), size_}; }

 private:
  void* data_ = nullptr;
  std::size_t size_ = 0;
};

// Values that a reader did not put there itself go to the shared memory, too.
template <class Value>
const Value* shared(io::Region& region, const Value* values, Index count) {
  if (count == 0 || region.holds(values)) return values;
  const auto bytes = static_cast<std::size_t>(count) * sizeof(Value);
  void* copy = region.allocate(bytes);
  if (copy == nullptr) throw std::bad_alloc();
  std::memcpy(copy, values, bytes);
  return static_cast<const Value*>(copy);
}

std::string matrix_message(io::Region& region, const io::MatrixFile& file) {
  Message message;
  put(message, file);
  std::visit(
      [&](const auto& m) {
        message.put(m.layout);
        if constexpr (requires { m.offsets; }) {
          const Index majors = m.layout == Layout::columns_contiguous ? file.columns : file.rows;
          message.put(shared(region, m.offsets, majors + 1));
          message.put(shared(region, m.indices, m.offsets[majors]));
          message.put(shared(region, m.values, m.offsets[majors]));
        } else if (file.mapped) {
          message.put(io::place_in_file(file.storage, m.data));
        } else {
          message.put(shared(region, m.data, file.rows * file.columns));
        }
      },
      file.matrix);
  return message.bytes();
}

[[noreturn]] void fail_damaged(const std::string& path) {
  throw InvalidData(printable(path) + ": was not read as it should be; the file is damaged");
}

// What a message says about sizes and places is not believed: the child may have been damaged.
void check_sizes(const io::MatrixFile& file) {
  Index entries = 0;
  if (file.rows < 0 || file.columns < 0 || __builtin_mul_overflow(file.rows, file.columns, &entries))
    fail_damaged(file.path);
}

template <class Value>
void check_place(io::Bytes memory, const std::string& path, const Value* values, Index count) {
  const auto* begin = reinterpret_cast<const std::byte*>(values);
  const std::byte* end = memory.data() + memory.size();
  if (count == 0) return;
  if (count > 0 && begin >= memory.data() && begin < end &&
      reinterpret_cast<std::uintptr_t>(begin) % alignof(Value) == 0 &&
      static_cast<std::size_t>(count) <= static_cast<std::size_t>(end - begin) / sizeof(Value))
    return;
  fail_damaged(path);
}

io::MatrixFile matrix_from(MessageReader& message, const std::string& path,
                           const std::shared_ptr<SharedMemory>& memory) {
  io::MatrixFile file;
  take(message, file);
  file.path = path;
  file.storage = memory;
  check_sizes(file);
  std::visit(
      [&](auto& m) {
        message.take(m.layout);
        const bool by_columns = m.layout == Layout::columns_contiguous;
        if constexpr (requires { m.offsets; }) {
          const Index majors = by_columns ? file.columns : file.rows;
          message.take(m.offsets);
          message.take(m.indices);
          message.take(m.values);
          check_place(memory->bytes(), path, m.offsets, majors + 1);
          check_place(memory->bytes(), path, m.indices, m.offsets[majors]);
          check_place(memory->bytes(), path, m.values, m.offsets[majors]);
        } else if (file.mapped) {
          std::size_t place = 0;
          message.take(place);
          const io::Input pages = io::map_file(file_of_input(path));
          m.data =
              reinterpret_cast<decltype(m.data)>(pages.bytes.data() + std::min(place, pages.bytes.size()));
          check_place(pages.bytes, path, m.data, file.rows * file.columns);
          file.storage = pages.owner;
        } else {
          message.take(m.data);
          check_place(memory->bytes(), path, m.data, file.rows * file.columns);
        }
      },
      file.matrix);
  return file;
}

io::MatrixFile read_in_child(const std::string& path, const io::ReadOptions& options) {
  const std::string file = file_of_input(path);
  const auto memory = std::make_shared<SharedMemory>(memory_for(size_of_file(file)));
  const std::string answer = in_child(file, [&] {
    // They live as long as the child does: what is read is the parent's from now on.
    io::set_reading_region(new io::Region(memory->data(), memory->size()));
    const auto& read = *new io::MatrixFile(io::read_matrix(path, options));
    return matrix_message(*io::reading_region(), read);
  });
  MessageReader message(answer);
  return matrix_from(message, path, memory);
}

}  // namespace

io::MatrixFile read_matrix(const std::string& path, const io::ReadOptions& options, bool trusted) {
  return children_are_used && !trusted && io::is_read_by_hdf5(path, options) ? read_in_child(path, options)
                                                                             : io::read_matrix(path, options);
}

bool is_model(const std::string& path, bool trusted) {
  if (!children_are_used || trusted) return io::is_model(path);
  if (io::ending_by_content(io::first_bytes(path, 16)) != ".h5") return false;
  return in_child(path, [&] { return std::string(io::is_model(path) ? "yes" : "no"); }) == "yes";
}

}  // namespace svrmu::cli

#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)

// In a child that reads, what is large goes to the memory that it shares with its parent. std::vector asks
// here for it, and so does everything else of C++.
namespace {

constexpr std::size_t large = 1 << 16;

bool is_shared(const void* place) {
  return svrmu::io::reading_region() != nullptr && svrmu::io::reading_region()->holds(place);
}

}  // namespace

void* operator new(std::size_t size) {
  void* place = svrmu::io::reading_region() != nullptr && size >= large
                    ? svrmu::io::reading_region()->allocate(size)
                    : std::malloc(std::max<std::size_t>(size, 1));
  if (place == nullptr) throw std::bad_alloc();
  return place;
}

void operator delete(void* place) noexcept {
  if (is_shared(place))
    svrmu::io::reading_region()->release(place);
  else
    std::free(place);
}

void operator delete(void* place, std::size_t) noexcept { operator delete(place); }

#endif
