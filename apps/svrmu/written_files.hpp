// What this run has written and is writing, so that an interrupt can tell the truth and clean up.
#pragma once

#include <atomic>
#include <mutex>
#include <set>
#include <string>
#include <vector>

#include "io/file_system.hpp"

namespace svrmu::cli {

// The real file system with a list. An interrupt comes before or after each of its steps, never within.
class WrittenFiles final : public io::FileSystem {
 public:
  static WrittenFiles& get();

  int create(const std::string& path, const std::string& like, int& file) override;
  int write(int file, const void* data, std::size_t size) override { return real_.write(file, data, size); }
  int rewrite(int file, const void* data, std::size_t size) override {
    return real_.rewrite(file, data, size);
  }
  int sync(int file) override { return real_.sync(file); }
  int close(int file) override { return real_.close(file); }
  int rename(const std::string& from, const std::string& to, bool replace) override;
  int remove(const std::string& path) override;
  int sync_folder(const std::string& path) override { return real_.sync_folder(path); }

  std::size_t count() const;

  // From now on it is known whether something went to standard output through std::cout.
  void watch_standard_output();

  // "interrupted; saved: V.svrmu.h5", or that nothing was written.
  std::string last_words() const;

  // Removes what is unfinished and holds everything that would be written from now on: the program ends.
  std::string end();

  // Removes what is unfinished, without needing memory. For a program that cannot go on.
  void give_up() noexcept;

 private:
  std::string words() const;

  io::FileSystem& real_ = io::real_file_system();
  mutable std::mutex mutex_;
  std::set<std::string> unfinished_;
  std::vector<std::string> written_;
  std::atomic<bool> stream_has_begun_ = false;
};

}  // namespace svrmu::cli
