#include "linalg/workspace.hpp"

#include <algorithm>
#include <memory>
#include <new>
#include <stdexcept>
#include <utility>
#include <vector>

namespace svrmu {
namespace {

constexpr std::align_val_t line{64};
constexpr std::size_t smallest_block = std::size_t{1} << 16;

struct Release {
  void operator()(std::byte* memory) const { ::operator delete(memory, line); }
};

struct MemoryBlock {
  explicit MemoryBlock(std::size_t bytes)
      : memory(static_cast<std::byte*>(::operator new(bytes, line))), size(bytes) {}
  std::byte* end() const { return memory.get() + size; }

  std::unique_ptr<std::byte, Release> memory;
  std::size_t size;
};

// The blocks of this thread are filled one after the other. Where one did not suffice, the next workspace
// finds a single block as large as all of them.
struct Blocks {
  std::vector<MemoryBlock> all;
  std::size_t wanted = 0;
};
Blocks& blocks_of_this_thread() {
  thread_local Blocks blocks;
  return blocks;
}

}  // namespace

thread_local constinit Workspace::Top Workspace::top_;
thread_local constinit bool Workspace::has_new_blocks_ = false;

void* Workspace::take_elsewhere(std::size_t bytes) {
  if (top_.owner != this) throw std::logic_error("a workspace was asked for memory while a later one lives");
  auto& [all, wanted] = blocks_of_this_thread();
  // Blocks behind the one in use are free; all are, where none is in use.
  auto block = all.begin();
  if (top_.end != nullptr)
    block = 1 + std::find_if(all.begin(), all.end(),
                             [](const MemoryBlock& each) { return each.end() == top_.end; });
  block = std::find_if(block, all.end(), [&](const MemoryBlock& each) { return each.size >= bytes; });
  if (block == all.end()) {
    const std::size_t usual = all.empty() ? smallest_block : 2 * all.back().size;
    all.emplace_back(std::max({bytes, usual, std::exchange(wanted, 0)}));
    block = all.end() - 1;
    has_new_blocks_ = true;
  }
  top_.next = block->memory.get() + bytes;
  top_.end = block->end();
  return block->memory.get();
}

void Workspace::settle() {
  auto& [all, wanted] = blocks_of_this_thread();
  has_new_blocks_ = false;
  if (all.size() == 1) {
    top_.next = all.front().memory.get();
    top_.end = all.front().end();
    return;
  }
  for (const MemoryBlock& each : all) wanted += each.size;
  all.clear();
  top_ = {};
}

}  // namespace svrmu
