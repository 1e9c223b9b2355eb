#include "linalg/parallel.hpp"

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <exception>
#include <mutex>
#include <new>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

#include "linalg/machine.hpp"

namespace svrmu {
namespace {

// A ticket names the job (generation), how many tiles it has, and the next tile to take: one atomic word, so
// that a thread that comes late to a finished job can never touch the next one by mistake.
constexpr int index_bits = 24;
constexpr std::uint64_t index_mask = (std::uint64_t{1} << index_bits) - 1;
std::uint64_t make_ticket(std::uint64_t generation, std::uint64_t count) {
  return (generation << (2 * index_bits)) | (count << index_bits);
}
std::uint64_t generation_of(std::uint64_t ticket) { return ticket >> (2 * index_bits); }
std::uint64_t count_of(std::uint64_t ticket) { return (ticket >> index_bits) & index_mask; }
std::uint64_t index_of(std::uint64_t ticket) { return ticket & index_mask; }

constexpr Index most_tiles = Index{1} << (index_bits - 1);

class Pool {
 public:
  explicit Pool(int threads) {
    // Where the system grants fewer threads than were asked for, those it grants do the work: the bits are
    // the same.
    try {
      for (int i = 1; i < threads; ++i) workers_.emplace_back([this] { work(); });
    } catch (const std::system_error&) {
    } catch (const std::bad_alloc&) {  // threads that run already must be joined
    }
  }
  ~Pool() {
    stopping_.store(true);
    ticket_.store(make_ticket(generation_of(ticket_.load()) + 1, 0));
    ticket_.notify_all();
    for (std::thread& worker : workers_) worker.join();
  }

  void run(Index count, void (*call)(const void*, Index), const void* body) {
    call_ = call;
    body_ = body;
    done_.store(0, std::memory_order_relaxed);
    ticket_.store(make_ticket(generation_of(ticket_.load(std::memory_order_relaxed)) + 1,
                              static_cast<std::uint64_t>(count)),
                  std::memory_order_release);
    ticket_.notify_all();
    take_tiles();
    const auto all = static_cast<std::uint64_t>(count);
    for (int spin = 0; done_.load(std::memory_order_acquire) != all; ++spin) {
      pause_briefly();
      if (spin > 4000) std::this_thread::yield();
    }
    if (failure_) std::rethrow_exception(std::exchange(failure_, nullptr));
  }

 private:
  void take_tiles() {
    for (;;) {
      const std::uint64_t ticket = ticket_.fetch_add(1, std::memory_order_acq_rel);
      if (index_of(ticket) >= count_of(ticket)) return;
      try {
        call_(body_, static_cast<Index>(index_of(ticket)));
      } catch (...) {
        const std::lock_guard lock(failure_mutex_);
        if (!failure_) failure_ = std::current_exception();
      }
      done_.fetch_add(1, std::memory_order_release);
    }
  }

  void work();

  std::atomic<std::uint64_t> ticket_{0};
  std::atomic<std::uint64_t> done_{0};
  std::atomic<bool> stopping_{false};
  void (*call_)(const void*, Index) = nullptr;
  const void* body_ = nullptr;
  std::mutex failure_mutex_;
  std::exception_ptr failure_;
  std::vector<std::thread> workers_;
};

thread_local Pool* current_pool = nullptr;
thread_local bool inside_tile = false;

void Pool::work() {
  const FlushDenormals flush;
  inside_tile = true;
  std::uint64_t seen = 0;
  for (;;) {
    // Jobs follow each other within microseconds: wait awake for a while before sleeping.
    std::uint64_t ticket = ticket_.load(std::memory_order_acquire);
    for (int spin = 0; generation_of(ticket) == seen && !stopping_.load(); ++spin) {
      if (spin < 20000) {
        pause_briefly();
      } else {
        ticket_.wait(ticket, std::memory_order_acquire);
      }
      ticket = ticket_.load(std::memory_order_acquire);
    }
    if (stopping_.load()) return;
    seen = generation_of(ticket);
    take_tiles();
  }
}

}  // namespace

struct ThreadScope::State {
  explicit State(int threads) : pool(threads), previous(std::exchange(current_pool, &pool)) {}
  ~State() { current_pool = previous; }

  FlushDenormals flush;
  Pool pool;
  Pool* previous;
};

ThreadScope::ThreadScope(int threads) : state_(new State(threads > 0 ? threads : available_threads())) {}
ThreadScope::~ThreadScope() { delete state_; }

bool in_thread_scope() { return current_pool != nullptr || inside_tile; }

namespace detail {

void run_tiles(Index count, void (*call)(const void*, Index), const void* body) {
  if (count <= 1 || current_pool == nullptr || inside_tile) {
    for (Index i = 0; i < count; ++i) call(body, i);
    return;
  }
  inside_tile = true;
  struct Leave {
    ~Leave() { inside_tile = false; }
  } leave;
  for (Index begin = 0; begin < count; begin += most_tiles) {
    struct Part {
      Index begin;
      void (*call)(const void*, Index);
      const void* body;
    } part{begin, call, body};
    current_pool->run(
        std::min(most_tiles, count - begin),
        [](const void* p, Index i) {
          const Part& job = *static_cast<const Part*>(p);
          job.call(job.body, job.begin + i);
        },
        &part);
  }
}

}  // namespace detail

}  // namespace svrmu
