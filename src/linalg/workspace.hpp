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
  Workspace();
  ~Workspace();
  Workspace(const Workspace&) = delete;
  Workspace& operator=(const Workspace&) = delete;

  template <class Scalar>
  Scalar* take(Index size) {
    return static_cast<Scalar*>(take_bytes(static_cast<std::size_t>(size) * sizeof(Scalar)));
  }

 private:
  class Stack;
  static Stack& stack_of_this_thread();
  void* take_bytes(std::size_t size);

  Stack& stack_;
  const Workspace* before_;  // the one that begins again when this one ends
  std::size_t block_;        // the top of the stack when this one began
  std::size_t used_;
};

}  // namespace svrmu
