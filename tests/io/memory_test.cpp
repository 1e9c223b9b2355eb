// What reading asks for at most, counted where all of it passes, that of HDF5 and libpng included: malloc.
#include <gtest/gtest.h>
#include <malloc.h>

#include <algorithm>
#include <atomic>
#include <cerrno>

#include "../../fuzz/parsers.hpp"
#include "files.hpp"

extern "C" {
void* __libc_malloc(std::size_t);
void* __libc_calloc(std::size_t, std::size_t);
void* __libc_realloc(void*, std::size_t);
void* __libc_memalign(std::size_t, std::size_t);
void __libc_free(void*);
}

namespace {

std::atomic<std::int64_t> live = 0;
std::atomic<std::int64_t> peak = 0;

void count(std::int64_t bytes) {
  const std::int64_t now = live += bytes;
  for (std::int64_t seen = peak; seen < now && !peak.compare_exchange_weak(seen, now);) {
  }
}

void* counted(void* memory) {
  if (memory) count(static_cast<std::int64_t>(malloc_usable_size(memory)));
  return memory;
}

}  // namespace

extern "C" {
void* malloc(std::size_t size) noexcept { return counted(__libc_malloc(size)); }
void* calloc(std::size_t items, std::size_t size) noexcept { return counted(__libc_calloc(items, size)); }
void* memalign(std::size_t alignment, std::size_t size) noexcept {
  return counted(__libc_memalign(alignment, size));
}
void* aligned_alloc(std::size_t alignment, std::size_t size) noexcept { return memalign(alignment, size); }
int posix_memalign(void** memory, std::size_t alignment, std::size_t size) noexcept {
  *memory = memalign(alignment, size);
  return *memory ? 0 : ENOMEM;
}
void* realloc(void* memory, std::size_t size) noexcept {
  const auto before = static_cast<std::int64_t>(memory ? malloc_usable_size(memory) : 0);
  void* const moved = __libc_realloc(memory, size);
  if (moved) count(static_cast<std::int64_t>(malloc_usable_size(moved)) - before);
  return moved;
}
void free(void* memory) noexcept {
  if (memory) live -= static_cast<std::int64_t>(malloc_usable_size(memory));
  __libc_free(memory);
}
}

namespace svrmu::io {
namespace {

template <class Work>
std::int64_t most_asked_for(const Work& work) {
  const std::int64_t before = live;
  peak = before;
  work();
  return peak - before;
}

constexpr std::int64_t megabyte = 1 << 20;
// Numbers are converted block by block, and HDF5 keeps caches of its own.
constexpr std::int64_t slack = 8 * megabyte + 8 * megabyte;

void expect_modest(const std::filesystem::path& path, std::int64_t asked) {
  const auto size = static_cast<std::int64_t>(std::filesystem::file_size(path));
  EXPECT_LE(asked, 16 * size + 64 * megabyte + slack) << path;
}

TEST(Memory, NoHeaderMakesAReaderAskForMoreThanItsFileJustifies) {
  SVRMU_NEEDS_H5_FILES();
  for (const auto& entry : std::filesystem::directory_iterator(made_h5("bad")))
    expect_modest(entry.path(), most_asked_for([&] {
                    EXPECT_THROW(read_matrix(entry.path().string()), InvalidInput) << entry.path();
                  }));
}

TEST(Memory, NoFindingOfTheFuzzersDoes) {
  for (const auto& parser : std::filesystem::directory_iterator(SVRMU_CORPUS))
    for (const auto& entry : std::filesystem::directory_iterator(parser)) {
      const std::string content = read_text(entry.path().string());
      expect_modest(entry.path(), most_asked_for([&] {
                      read_untrusted(parser.path().filename().string(), std::as_bytes(std::span(content)));
                    }));
    }
}

TEST(Memory, NoFlippedBitOfAModelDoes) {
  std::string bytes;
  build_model("m.h5", made_up_model<float>(solver_named("svrmu"), "svrmu"),
              [&](std::string_view built) { bytes = built; });
  const Input input{"m.h5", std::as_bytes(std::span(bytes)), nullptr, false, {}};
  ASSERT_NO_THROW(read_model(input));  // HDF5 makes its own tables once
  const std::int64_t asked = most_asked_for([&] {
    for (std::size_t bit = 0; bit < 8 * bytes.size(); ++bit) {
      bytes[bit / 8] = static_cast<char>(bytes[bit / 8] ^ (1 << bit % 8));
      EXPECT_THROW(read_model(input), InvalidData) << bit;
      bytes[bit / 8] = static_cast<char>(bytes[bit / 8] ^ (1 << bit % 8));
    }
  });
  EXPECT_LE(asked, megabyte);
}

TEST(Memory, ADenseMatrixTakesItsOwnSizeAndABlock) {
  SVRMU_NEEDS_H5_FILES();
  const auto asked = [](const std::string& name) {
    return most_asked_for([&] { read_matrix(made_h5(name), {.precision = Precision::float64}); });
  };
  asked("large.h5:plain");  // HDF5 makes its own tables once, at the first file
  EXPECT_LE(asked("zeros.h5"), 8 * 2000 * 10000 + slack);
  for (const std::string name : {"chunks", "thin", "tall", "plain"})
    EXPECT_LE(asked("large.h5:" + name), 8 * 3000 * 1500 + slack) << name;
}

}  // namespace
}  // namespace svrmu::io
