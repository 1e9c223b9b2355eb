// Columns that a stream served, as a V of its own: it can be read as often as wanted until the next are
// served.
#pragma once

#include <algorithm>
#include <memory>
#include <type_traits>
#include <utility>

#include "svrmu/source.hpp"

namespace svrmu {

template <class Scalar>
class WindowSource final : public MatrixSource<Scalar> {
 public:
  explicit WindowSource(const Batch<Scalar>& window) : window_(window) {}

  Index features() const override { return window_.features; }
  Index samples() const override { return window_.count; }
  bool is_sparse() const override { return !std::holds_alternative<DenseColumns<Scalar>>(window_.data); }
  Index stored() const override {
    return std::visit(
        [&](const auto& data) -> Index {
          if constexpr (requires { data.offsets; }) {
            Index entries = 0;
            for (Index j = 0; j < window_.count; ++j)
              entries += data.offsets[window_.column(j) + 1] - data.offsets[window_.column(j)];
            return entries;
          } else {
            return window_.features * window_.count;
          }
        },
        window_.data);
  }
  std::unique_ptr<BatchStream<Scalar>> open(PassOrder order) const override {
    return std::make_unique<Stream>(window_, std::move(order));
  }

 private:
  class Stream final : public BatchStream<Scalar> {
   public:
    Stream(const Batch<Scalar>& window, PassOrder order) : window_(window), order_(std::move(order)) {
      list_.reserve(order_.columns.size());
      for (const Index j : order_.columns) list_.push_back(window.column(j));
    }

    bool next(Batch<Scalar>& batch) override {
      if (at_ == order_.ends.size()) return false;
      const Index begin = at_ == 0 ? 0 : order_.ends[at_ - 1];
      batch.data = window_.data;
      batch.count = order_.ends[at_++] - begin;
      batch.first = window_.first + begin;
      const std::span<const Index> listed = list_.empty() ? window_.list : std::span<const Index>(list_);
      batch.list = {};
      if (!listed.empty())
        batch.list = listed.subspan(static_cast<std::size_t>(begin), static_cast<std::size_t>(batch.count));
      return true;
    }

   private:
    const Batch<Scalar>& window_;
    PassOrder order_;
    std::vector<Index> list_;
    std::size_t at_ = 0;
  };

  const Batch<Scalar>& window_;
};

}  // namespace svrmu
