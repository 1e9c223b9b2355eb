#include "linalg/workspace.hpp"

#include <algorithm>
#include <memory>
#include <new>
#include <stdexcept>
#include <utility>
#include <vector>

namespace svrmu {
namespace {

constexpr std::size_t alignment = 64;
constexpr std::size_t smallest_block = std::size_t{1} << 16;

struct Release {
  void operator()(std::byte* memory) const { ::operator delete(memory, std::align_val_t{alignment}); }
};

struct MemoryBlock {
  std::unique_ptr<std::byte, Release> memory;
  std::size_t size = 0;
};

MemoryBlock allocate(std::size_t size) {
  return {std::unique_ptr<std::byte, Release>(
              static_cast<std::byte*>(::operator new(size, std::align_val_t{alignment}))),
          size};
}

}  // namespace

// Blocks are filled one after the other. Where one did not suffice, the next workspace finds a single block
// as large as all of them.
class Workspace::Stack {
 public:
  const Workspace* top = nullptr;
  std::size_t block = 0;  // the one that is being filled
  std::size_t used = 0;   // bytes of it

  void* take(std::size_t size) {
    if (block < blocks_.size() && size <= blocks_[block].size - used) {
      std::byte* memory = blocks_[block].memory.get() + used;
      used += size;
      return memory;
    }
    return take_from_another_block(size);
  }

  void join_blocks() {
    if (blocks_.size() < 2) return;
    wanted_ = 0;
    for (const MemoryBlock& each : blocks_) wanted_ += each.size;
    blocks_.clear();
  }

 private:
  void* take_from_another_block(std::size_t size) {
    std::size_t next = blocks_.empty() ? 0 : block + 1;
    while (next < blocks_.size() && blocks_[next].size < size) ++next;
    if (next >= blocks_.size()) {
      const std::size_t last = blocks_.empty() ? smallest_block : 2 * blocks_.back().size;
      blocks_.push_back(allocate(std::max({size, last, std::exchange(wanted_, 0)})));
      next = blocks_.size() - 1;
    }
    block = next;
    used = size;
    return blocks_[block].memory.get();
  }

  std::vector<MemoryBlock> blocks_;
  std::size_t wanted_ = 0;
};

Workspace::Stack& Workspace::stack_of_this_thread() {
  thread_local Stack stack;
  return stack;
}

Workspace::Workspace()
    : stack_(stack_of_this_thread()),
      before_(std::exchange(stack_.top, this)),
      block_(stack_.block),
      used_(stack_.used) {}

Workspace::~Workspace() {
  stack_.top = before_;
  stack_.block = block_;
  stack_.used = used_;
  if (before_ == nullptr) stack_.join_blocks();
}

void* Workspace::take_bytes(std::size_t size) {
  if (stack_.top != this) throw std::logic_error("a workspace was asked for memory while a later one lives");
  return stack_.take((size + alignment - 1) / alignment * alignment);
}

}  // namespace svrmu
