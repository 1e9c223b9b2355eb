// Texts one after the other, as svrmu_texts shows them.
#pragma once

#include <cstdint>
#include <map>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "svrmu/c.h"

namespace svrmu::c {

class PackedTexts {
 public:
  PackedTexts() = default;
  explicit PackedTexts(const std::vector<std::string>& texts) {
    ends_.reserve(texts.size());
    for (const std::string& text : texts) {
      bytes_ += text;
      ends_.push_back(static_cast<std::int64_t>(bytes_.size()));
    }
  }

  svrmu_texts view() const {
    return {bytes_.c_str(), ends_.empty() ? nullptr : ends_.data(), static_cast<std::int64_t>(ends_.size())};
  }

 private:
  std::string bytes_;
  std::vector<std::int64_t> ends_;
};

// Texts that an object was asked for, by name: they live as long as it does. Threads may ask at once.
class KeptTexts {
 public:
  template <class Make>
  svrmu_texts get(std::string_view name, const Make& make) {
    const std::lock_guard lock(mutex_);
    auto found = kept_.find(name);
    if (found == kept_.end()) found = kept_.emplace(std::string(name), PackedTexts(make())).first;
    return found->second.view();
  }
  void forget(std::string_view name) {
    const std::lock_guard lock(mutex_);
    if (const auto found = kept_.find(name); found != kept_.end()) kept_.erase(found);
  }

 private:
  std::mutex mutex_;
  std::map<std::string, PackedTexts, std::less<>> kept_;
};

}  // namespace svrmu::c
