// A team whose members are threads of this process.
#pragma once

#include <algorithm>
#include <condition_variable>
#include <exception>
#include <functional>
#include <mutex>
#include <span>
#include <stdexcept>
#include <thread>
#include <vector>

#include "svrmu/team.hpp"

namespace svrmu {

// Where the members wait for each other. One that has left, by an error or because it is done, is never
// waited for: whoever would have to is told.
class MeetingPoint {
 public:
  struct MemberLeft : std::logic_error {
    MemberLeft() : std::logic_error("a team member waits for another that has left") {}
  };

  explicit MeetingPoint(int size) : size_(size) {}

  void wait() {
    std::unique_lock lock(mutex_);
    const long round = round_;
    if (++arrived_ == size_) {
      arrived_ = 0;
      ++round_;
      all_here_.notify_all();
      return;
    }
    all_here_.wait(lock, [&] { return round_ != round || left_; });
    if (round_ == round) throw MemberLeft();
  }

  void leave() {
    const std::lock_guard lock(mutex_);
    left_ = true;
    all_here_.notify_all();
  }

 private:
  std::mutex mutex_;
  std::condition_variable all_here_;
  int size_;
  int arrived_ = 0;
  long round_ = 0;
  bool left_ = false;
};

class ThreadTeam final : public Team {
 public:
  struct Shared {
    explicit Shared(int size) : meeting(size), data(static_cast<std::size_t>(size)) {}
    MeetingPoint meeting;
    std::vector<const void*> data;  // what each member brings to an exchange
  };

  ThreadTeam(Shared& shared, int member) : shared_(shared), member_(member) {}

  int member() const override { return member_; }
  int size() const override { return static_cast<int>(shared_.data.size()); }
  void sum(std::span<double> values) const override { exchange(values); }
  void sum(std::span<float> values) const override { exchange(values); }
  double max(double value) const override {
    bring(&value);
    double most = value;
    for (const void* member : shared_.data) most = std::max(most, *static_cast<const double*>(member));
    shared_.meeting.wait();
    return most;
  }

 private:
  void bring(const void* data) const {
    shared_.data[static_cast<std::size_t>(member_)] = data;
    shared_.meeting.wait();
  }

  // In the order of members on every member, so that all get the same bits.
  template <class Value>
  void exchange(std::span<Value> values) const {
    bring(values.data());
    std::vector<Value> total(values.size());
    for (const void* member : shared_.data)
      for (std::size_t i = 0; i < total.size(); ++i) total[i] += static_cast<const Value*>(member)[i];
    shared_.meeting.wait();
    std::copy(total.begin(), total.end(), values.begin());
  }

  Shared& shared_;
  int member_;
};

// body(team) on `size` members at once. Rethrows the first exception that any of them had.
inline void run_team(int size, const std::function<void(const Team&)>& body) {
  ThreadTeam::Shared shared(size);
  std::mutex mutex;
  std::exception_ptr first;
  std::exception_ptr left_alone;  // only a consequence of the first
  const auto take_part = [&](int member) {
    try {
      body(ThreadTeam(shared, member));
    } catch (const MeetingPoint::MemberLeft&) {
      const std::lock_guard lock(mutex);
      left_alone = std::current_exception();
    } catch (...) {
      const std::lock_guard lock(mutex);
      if (!first) first = std::current_exception();
    }
    shared.meeting.leave();
  };
  std::vector<std::thread> threads;
  for (int member = 0; member < size; ++member) threads.emplace_back(take_part, member);
  for (std::thread& thread : threads) thread.join();
  if (first) std::rethrow_exception(first);
  if (left_alone) std::rethrow_exception(left_alone);
}

}  // namespace svrmu
