#include "c/job_registry.hpp"

#include <pthread.h>

#include <atomic>
#include <cstdlib>
#include <new>

#include "c/errors.hpp"
#include "io/h5_fork.hpp"
#include "svrmu/error.hpp"
#include "svrmu/solvers.hpp"

namespace svrmu::c {
namespace {

std::atomic<bool> ending = false;
thread_local bool in_job_thread = false;

}  // namespace

bool program_ends() noexcept { return ending.load(); }

JobRegistry& JobRegistry::instance() {
  static JobRegistry& registry = *new JobRegistry;
  return registry;
}

// What is made later is destroyed earlier. So all that jobs use of the library for good is made before the
// program is told to end them: the catalog. HDF5 ends by itself, but no job calls it.
JobRegistry::JobRegistry() {
  catalog();
  std::atexit([] { instance().end_all(); });
  pthread_atfork([] { instance().before_fork(); }, [] { instance().after_fork_in_parent(); },
                 [] { instance().after_fork_in_child(); });
}

void JobRegistry::add(const void* job, const std::stop_source& stop) {
  const std::lock_guard lock(mutex_);
  if (program_ends()) throw Cancelled("the program is ending: no job can be started any more");
  jobs_.emplace(job, stop);
  ++running_;
}

void JobRegistry::thread_began() { in_job_thread = true; }

void JobRegistry::thread_ended() {
  const std::lock_guard lock(mutex_);
  --running_;
  ended_.notify_all();
}

void JobRegistry::remove(const void* job) {
  const std::lock_guard lock(mutex_);
  jobs_.erase(job);
}

void JobRegistry::not_started(const void* job) {
  remove(job);
  thread_ended();
}

void JobRegistry::add_lock(std::mutex& lock) {
  const std::lock_guard guard(mutex_);
  locks_.insert(&lock);
}

void JobRegistry::remove_lock(std::mutex& lock) {
  const std::lock_guard guard(mutex_);
  locks_.erase(&lock);
}

// A reader of the caller's that ends the program does so on the thread of a job, which cannot wait for
// itself.
void JobRegistry::end_all() {
  std::unique_lock lock(mutex_);
  ending.store(true);
  for (auto& [job, stop] : jobs_) stop.request_stop();
  ended_.wait(lock, [&] { return running_ == (in_job_thread ? 1 : 0); });
}

// Nobody changes the registry, or is inside HDF5, while the process is copied.
void JobRegistry::before_fork() {
  mutex_.lock();
  io::h5_before_fork();
}

void JobRegistry::after_fork_in_parent() {
  io::h5_after_fork_in_parent();
  mutex_.unlock();
}

// Threads are not copied: those of the jobs do not exist here, and what waited for them does not, either.
// Where a reader has forked, its thread is no longer that of a job.
void JobRegistry::after_fork_in_child() {
  io::h5_after_fork_in_child();
  new (&mutex_) std::mutex;
  new (&ended_) std::condition_variable;
  for (std::mutex* lock : locks_) new (lock) std::mutex;
  in_job_thread = false;
  jobs_.clear();
  running_ = 0;
}

}  // namespace svrmu::c
