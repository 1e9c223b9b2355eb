// The only place that knows threads. Work is cut into tiles whose bounds never depend on the number of
// threads, and every tile writes its own results: the answer has the same bits for any number.
#pragma once

#include <atomic>
#include <optional>

#include "svrmu/export.hpp"
#include "svrmu/matrix.hpp"

namespace svrmu {

// While it lives, parallel_for on this thread uses that many threads (0: all available), denormals are
// flushed to zero. Afterwards everything is as before.
class SVRMU_API ThreadScope {
 public:
  explicit ThreadScope(int threads);
  ~ThreadScope();
  ThreadScope(const ThreadScope&) = delete;
  ThreadScope& operator=(const ThreadScope&) = delete;

 private:
  struct State;
  State* state_;
};

// Whether this thread is inside a ThreadScope.
SVRMU_API bool in_thread_scope();

// For work on so many numbers that may be a call of its own or part of a larger one: the threads of the scope
// that there is, else threads of its own where the work is worth their start.
class ThreadsFor {
 public:
  ThreadsFor(Index numbers, int threads) {
    constexpr Index worth_it = Index{1} << 18;
    if (numbers >= worth_it && !in_thread_scope()) own_.emplace(threads);
  }

 private:
  std::optional<ThreadScope> own_;
};

namespace detail {
SVRMU_API void run_tiles(Index count, void (*call)(const void*, Index), const void* body);
}

// body(i) for i in 0 .. count - 1, in any order, on any thread of the scope. Nested calls run in place.
template <class Body>
void parallel_for(Index count, const Body& body) {
  detail::run_tiles(
      count, [](const void* b, Index i) { (*static_cast<const Body*>(b))(i); }, &body);
}

// body(begin, end) over consecutive tiles of `size` items.
template <class Body>
void parallel_tiles(Index items, Index size, const Body& body) {
  parallel_for((items + size - 1) / size, [&](Index t) {
    const Index begin = t * size;
    body(begin, begin + size < items ? begin + size : items);
  });
}

// Makes a mark 1 that several tiles may set, and none reads before all have ended.
template <class Scalar>
void set_mark(Scalar& mark) {
  const std::atomic_ref<Scalar> shared(mark);
  // Most are set already, and reading is cheap where everybody reads.
  if (shared.load(std::memory_order_relaxed) != Scalar(1)) shared.store(Scalar(1), std::memory_order_relaxed);
}

}  // namespace svrmu
