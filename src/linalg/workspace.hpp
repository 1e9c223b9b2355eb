// Memory that a tile works on for a while: no allocation once a thread has met its largest tile.
#pragma once

#include <cstddef>

#include "svrmu/matrix.hpp"

namespace svrmu {

// Arrays from a stack that each thread keeps. They are uninitialized, start at a multiple of 64 bytes, and
// live until the Workspace that gave them ends. Workspaces are local variables: one that began later ends
// first, and only the latest gives arrays, so that those of nested calls never overlap.
class Workspace {
 public:
  Workspace() : before_(top_) { top_.owner = this; }
  ~Workspace() {
    top_ = before_;
    if (before_.owner == nullptr && has_new_blocks_) settle();
  }
  Workspace(const Workspace&) = delete;
  Workspace& operator=(const Workspace&) = delete;

  template <class Scalar>
  Scalar* take(Index size) {
    const std::size_t bytes = (static_cast<std::size_t>(size) * sizeof(Scalar) + 63) / 64 * 64 + apart;
    if (top_.owner != this || bytes > static_cast<std::size_t>(top_.end - top_.next))
      return static_cast<Scalar*>(take_elsewhere(bytes));
    void* const memory = top_.next;
    top_.next += bytes;
    return static_cast<Scalar*>(memory);
  }

 private:
  struct Top {
    const Workspace* owner = nullptr;  // the latest workspace
    std::byte* next = nullptr;         // the free part of the block in use
    std::byte* end = nullptr;
  };
  // Between two arrays. Without it, those of a multiple of 4 KB would have the same place in their pages, and
  // a load from one would wait for the store to the other just before it.
  static constexpr std::size_t apart = 17 * std::size_t{64};

  static thread_local constinit Top top_;
  static thread_local constinit bool has_new_blocks_;

  // From a block that has room; throws where a later workspace lives.
  void* take_elsewhere(std::size_t bytes);
  // Now that nothing is in use: begins the one block there is again, or gives up several for a larger one.
  static void settle();

  Top before_;  // what the end of this workspace brings back
};

}  // namespace svrmu
