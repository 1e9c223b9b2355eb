// The bytes of a stream, read ahead: who writes it and who computes work at the same time.
#pragma once

#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <functional>
#include <mutex>
#include <stop_token>
#include <string>
#include <thread>
#include <vector>

namespace svrmu::cli {

class ReadAhead {
 public:
  // The descriptor must stay open. `name` is what messages call it.
  ReadAhead(int descriptor, std::string name, std::stop_token stop);
  ~ReadAhead();
  ReadAhead(const ReadAhead&) = delete;
  ReadAhead& operator=(const ReadAhead&) = delete;

  // As io::ByteSource: waits for bytes, and throws Cancelled when a stop is asked for.
  std::size_t read(std::byte* to, std::size_t most);

 private:
  void run();
  std::size_t read_some(std::byte* to, std::size_t most);

  const int descriptor_;
  const std::string name_;
  const std::stop_token stop_;
  std::vector<std::byte> ring_;
  std::mutex mutex_;
  std::condition_variable came_;
  std::condition_variable went_;
  std::uint64_t written_ = 0;  // since the beginning
  std::uint64_t taken_ = 0;
  bool ended_ = false;
  bool closing_ = false;
  std::exception_ptr error_;
  int wake_[2] = {-1, -1};  // a pipe that ends the wait for bytes
  std::thread thread_;
  std::stop_callback<std::function<void()>> on_stop_;
};

}  // namespace svrmu::cli
