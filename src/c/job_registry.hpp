// All jobs that run in this process: stopped and waited for when it ends, unknown to its children. Who calls
// HDF5 asks for the instance before, so that a fork waits for that call.
#pragma once

#include <condition_variable>
#include <map>
#include <mutex>
#include <set>
#include <stop_token>

namespace svrmu::c {

class JobRegistry {
 public:
  // Never destroyed: a thread may outlive main().
  static JobRegistry& instance();

  // Before its thread begins. Cancelled once the program ends.
  void add(const void* job, const std::stop_source& stop);
  // The first and the last that the thread of a job does.
  void thread_began();
  void thread_ended();
  // Before a job is freed, when its thread has ended, or where it could not be started.
  void remove(const void* job);
  void not_started(const void* job);

  // A lock that the thread of a job may hold when the process is copied: a child makes it anew.
  void add_lock(std::mutex& lock);
  void remove_lock(std::mutex& lock);

  // Stops all jobs and waits for them. None can be started afterwards.
  void end_all();

 private:
  JobRegistry();

  void before_fork();
  void after_fork_in_parent();
  void after_fork_in_child();

  std::mutex mutex_;
  std::condition_variable ended_;
  std::map<const void*, std::stop_source> jobs_;
  std::set<std::mutex*> locks_;
  int running_ = 0;  // threads
};

}  // namespace svrmu::c
