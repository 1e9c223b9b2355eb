#include "c/job.hpp"

#include <pthread.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <condition_variable>
#include <csignal>
#include <mutex>
#include <new>
#include <thread>
#include <vector>

#include "c/errors.hpp"
#include "c/job_registry.hpp"
#include "c/structs.hpp"

struct svrmu_job final : svrmu::c::Ear {
  std::stop_token stop() const override { return stop_source.get_token(); }
  void record(const svrmu::EpochRecord& record) override {
    const std::lock_guard lock(mutex);
    records.push_back(svrmu::c::record_of(record));
  }

  const pid_t process = getpid();
  std::stop_source stop_source;
  std::shared_ptr<svrmu_job> self;  // the caller's share; the thread has the other

  mutable std::mutex mutex;  // of all below
  mutable std::condition_variable ended;
  std::vector<svrmu_record> records;
  bool done = false;
  svrmu::c::Verdict verdict;
  svrmu::c::Outcome outcome;
};

namespace svrmu::c {
namespace {

// While it lives, new threads get no signals that are meant for the caller's: Ctrl-C, timers, children.
class QuietSignals {
 public:
  QuietSignals() {
    sigset_t all;
    sigfillset(&all);
    for (const int own : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGABRT, SIGSYS, SIGPROF})
      sigdelset(&all, own);
    pthread_sigmask(SIG_BLOCK, &all, &before_);
  }
  ~QuietSignals() { pthread_sigmask(SIG_SETMASK, &before_, nullptr); }
  QuietSignals(const QuietSignals&) = delete;
  QuietSignals& operator=(const QuietSignals&) = delete;

 private:
  sigset_t before_;
};

thread_local const svrmu_job* job_of_this_thread = nullptr;

void run_job(svrmu_job& job, Work work) {
  Verdict verdict;
  Outcome outcome;
  verdict.code = guarded([&] { outcome = work(job); });
  try {
    if (verdict.code != SVRMU_OK) verdict.message = svrmu_message();
  } catch (const std::bad_alloc&) {  // then the code alone has to do
  }
  work = nullptr;  // it shares the data
  {
    const std::lock_guard lock(job.mutex);
    job.verdict = std::move(verdict);
    job.outcome = std::move(outcome);
    job.done = true;
  }
  job.ended.notify_all();
}

// A child of the process has the memory of a job, but not its thread: nothing would ever wake it.
const svrmu_job& job_here(const svrmu_job* job) {
  if (required(job, "job").process != getpid())
    throw InvalidInput("the job belongs to process " + std::to_string(job->process) +
                       ", and this is a child of it (fork); start a job of its own here");
  return *job;
}

svrmu_code still_running() {
  set_message("the job has not ended yet");
  return SVRMU_RUNNING;
}

}  // namespace

// Nobody joins the thread: to see it end would take a small fit longer than its own work.
void start_job(Work work, svrmu_job*& place) {
  auto job = std::make_shared<svrmu_job>();
  JobRegistry& registry = JobRegistry::instance();
  registry.add(job.get(), job->stop_source);
  try {
    const QuietSignals quiet;
    std::thread([&registry, share = job, work = std::move(work)]() mutable {
      registry.thread_began();
      job_of_this_thread = share.get();
      run_job(*share, std::move(work));
      share.reset();
      registry.thread_ended();
    }).detach();
  } catch (const std::system_error& error) {
    registry.not_started(job.get());
    throw ResourceLimit(std::string("the system grants no thread for a job: ") + error.what());
  } catch (...) {
    registry.not_started(job.get());
    throw;
  }
  place = job.get();
  place->self = std::move(job);
}

svrmu_code with_outcome(const svrmu_job* job, const std::function<void(Outcome&)>& use) {
  const svrmu_job& of = job_here(job);
  const std::lock_guard lock(of.mutex);
  if (!of.done) return still_running();
  if (of.verdict.code == SVRMU_OK) use(const_cast<svrmu_job&>(of).outcome);
  return told(of.verdict);
}

}  // namespace svrmu::c

using namespace svrmu::c;

extern "C" {

svrmu_code svrmu_job_wait(svrmu_job* job, double seconds) {
  return guarded([&] {
    const svrmu_job& of = job_here(job);
    if (std::isnan(seconds)) throw svrmu::InvalidInput("seconds is not a number");
    constexpr double for_ever = 1e9;  // clocks count in whole nanoseconds
    std::unique_lock lock(of.mutex);
    const auto done = [&] { return of.done; };
    if (seconds < 0 || seconds > for_ever)
      of.ended.wait(lock, done);
    else if (!of.ended.wait_for(lock, std::chrono::duration<double>(seconds), done))
      return still_running();
    return told(of.verdict);
  });
}

void svrmu_job_stop(svrmu_job* job) {
  if (job != nullptr && job->process == getpid()) job->stop_source.request_stop();
}

svrmu_code svrmu_job_progress(const svrmu_job* job, int64_t first, svrmu_record* to, size_t record_size,
                              int64_t capacity, int64_t* count) {
  return guarded([&] {
    const svrmu_job& of = job_here(job);
    const Room room{to, record_size, capacity, "record_size"};
    room.check();
    if (first < 0) throw svrmu::InvalidInput("first is " + std::to_string(first) + "; records begin with 0");
    int64_t& filled = required(count, "count");
    const std::lock_guard lock(of.mutex);
    filled = std::clamp<int64_t>(static_cast<int64_t>(of.records.size()) - first, 0, capacity);
    for (int64_t i = 0; i < filled; ++i) room.put(i, of.records[static_cast<size_t>(first + i)]);
  });
}

// In a child of the process its memory is left alone: a thread that is not there holds its locks.
void svrmu_job_free(svrmu_job* job) {
  if (job == nullptr || job->process != getpid()) return;
  job->stop_source.request_stop();
  if (job == job_of_this_thread) return;  // a reader that ends the program
  {
    std::unique_lock lock(job->mutex);
    job->ended.wait(lock, [&] { return job->done; });
  }
  JobRegistry::instance().remove(job);
  job->self.reset();
}

}  // extern "C"
