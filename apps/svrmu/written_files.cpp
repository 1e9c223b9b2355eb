#include "written_files.hpp"

#include <algorithm>
#include <cerrno>
#include <iostream>
#include <streambuf>

#include "console.hpp"

namespace svrmu::cli {
namespace {

// Passes everything on, and notes that there was something.
class NotedStream final : public std::streambuf {
 public:
  NotedStream(std::streambuf& to, std::atomic<bool>& begun) : to_(to), begun_(begun) {}

 private:
  int_type overflow(int_type c) override {
    begun_ = true;
    return traits_type::eq_int_type(c, traits_type::eof()) ? traits_type::not_eof(c)
                                                           : to_.sputc(traits_type::to_char_type(c));
  }
  std::streamsize xsputn(const char* text, std::streamsize size) override {
    if (size > 0) begun_ = true;
    return to_.sputn(text, size);
  }
  int sync() override { return to_.pubsync(); }

  std::streambuf& to_;
  std::atomic<bool>& begun_;
};

}  // namespace

WrittenFiles& WrittenFiles::get() {
  static WrittenFiles& files = *new WrittenFiles;  // the thread that watches for signals may outlive main()
  return files;
}

int WrittenFiles::create(const std::string& path, const std::string& like, int& file) {
  const std::lock_guard lock(mutex_);
  const auto [entry, added] = unfinished_.insert(path);
  const int code = real_.create(path, like, file);
  if (code != 0 && added) unfinished_.erase(entry);
  return code;
}

int WrittenFiles::rename(const std::string& from, const std::string& to, bool replace) {
  const std::lock_guard lock(mutex_);
  written_.push_back(to);
  const int code = real_.rename(from, to, replace);
  if (code == 0)
    unfinished_.erase(from);
  else
    written_.pop_back();
  return code;
}

int WrittenFiles::remove(const std::string& path) {
  const std::lock_guard lock(mutex_);
  const int code = real_.remove(path);
  if (code == 0 || code == ENOENT) unfinished_.erase(path);
  return code;
}

std::size_t WrittenFiles::count() const {
  const std::lock_guard lock(mutex_);
  return written_.size();
}

void WrittenFiles::watch_standard_output() {
  static NotedStream& stream = *new NotedStream(*std::cout.rdbuf(), stream_has_begun_);
  std::cout.rdbuf(&stream);
}

std::string WrittenFiles::last_words() const {
  const std::lock_guard lock(mutex_);
  return words();
}

std::string WrittenFiles::words() const {
  constexpr std::size_t most = 8;  // figures can be many
  std::string text;
  for (std::size_t i = 0; i < std::min(written_.size(), most); ++i)
    text += (i == 0 ? "; saved: " : ", ") + printable(written_[i]);
  if (written_.size() > most) text += " and " + std::to_string(written_.size() - most) + " more";
  if (stream_has_begun_) text += "; standard output may be cut off";
  return "interrupted" + (text.empty() ? "; nothing was written" : text);
}

std::string WrittenFiles::end() {
  mutex_.lock();  // for good
  for (const std::string& path : unfinished_) real_.remove(path);
  return words();
}

void WrittenFiles::give_up() noexcept {
  if (!mutex_.try_lock()) return;  // it fails within one of these functions
  for (const std::string& path : unfinished_) real_.remove(path);
}

}  // namespace svrmu::cli
