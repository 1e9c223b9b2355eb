#include "read_ahead.hpp"

#include <fcntl.h>
#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>

#include "svrmu/error.hpp"
#include "svrmu/io/files.hpp"

namespace svrmu::cli {
namespace {

constexpr std::size_t ring_size = std::size_t{8} << 20;
constexpr std::size_t piece = std::size_t{1} << 18;  // not worth a call if there is less room

// The system's pipes hold 64 KiB, which lets who writes wait for every piece. Where it cannot be, it is as
// it was.
void widen(int pipe) {
#ifdef F_SETPIPE_SZ
  ::fcntl(pipe, F_SETPIPE_SZ, 1 << 20);
#else
  (void)pipe;
#endif
}

}  // namespace

ReadAhead::ReadAhead(int descriptor, std::string name, std::stop_token stop)
    : descriptor_(descriptor),
      name_(std::move(name)),
      stop_(stop),
      ring_(ring_size),
      on_stop_(std::move(stop), [this] {
        const std::lock_guard lock(mutex_);
        came_.notify_all();
      }) {
  widen(descriptor_);
  if (::pipe2(wake_, O_CLOEXEC) != 0) throw io::IoError(name_ + ": cannot be read: " + std::strerror(errno));
  try {
    thread_ = std::thread([this] { run(); });
  } catch (...) {
    for (const int end : wake_) ::close(end);
    throw;
  }
}

ReadAhead::~ReadAhead() {
  {
    const std::lock_guard lock(mutex_);
    closing_ = true;
    went_.notify_all();
  }
  ::close(wake_[1]);  // which the thread's poll() sees
  thread_.join();
  ::close(wake_[0]);
}

std::size_t ReadAhead::read(std::byte* to, std::size_t most) {
  std::unique_lock lock(mutex_);
  came_.wait(lock,
             [&] { return written_ > taken_ || ended_ || error_ != nullptr || stop_.stop_requested(); });
  if (stop_.stop_requested()) throw Cancelled("the stream is not read any more");
  if (written_ == taken_) {
    if (error_) std::rethrow_exception(error_);
    return 0;
  }
  const std::size_t begin = taken_ % ring_size;
  const std::size_t count = std::min({most, static_cast<std::size_t>(written_ - taken_), ring_size - begin});
  lock.unlock();  // the thread does not touch what is not taken yet
  std::memcpy(to, ring_.data() + begin, count);
  lock.lock();
  taken_ += count;
  went_.notify_one();
  return count;
}

void ReadAhead::run() {
  std::unique_lock lock(mutex_);
  for (;;) {
    went_.wait(lock, [&] { return ring_size - (written_ - taken_) >= piece || closing_; });
    if (closing_) return;
    const std::size_t begin = written_ % ring_size;
    const std::size_t room =
        std::min(ring_size - static_cast<std::size_t>(written_ - taken_), ring_size - begin);
    lock.unlock();
    std::size_t got = 0;
    std::exception_ptr error;
    try {
      got = read_some(ring_.data() + begin, room);
    } catch (...) {
      error = std::current_exception();
    }
    lock.lock();
    written_ += got;
    ended_ = got == 0;
    error_ = error;
    came_.notify_one();
    if (ended_) return;
  }
}

// 0 at the end, and when nobody wants them any more.
std::size_t ReadAhead::read_some(std::byte* to, std::size_t most) {
  for (;;) {
    pollfd waits[2] = {{descriptor_, POLLIN, 0}, {wake_[0], POLLIN, 0}};
    if (::poll(waits, 2, -1) < 0 && errno != EINTR)
      throw io::IoError(name_ + ": cannot be read: " + std::strerror(errno));
    if (waits[1].revents != 0) return 0;
    if (waits[0].revents == 0) continue;
    const ssize_t got = ::read(descriptor_, to, most);
    if (got >= 0) return static_cast<std::size_t>(got);
    if (errno != EINTR && errno != EAGAIN)
      throw io::IoError(name_ + ": cannot be read: " + std::strerror(errno));
  }
}

}  // namespace svrmu::cli
