// Batches of a matrix that lies in memory: nothing is copied.
#pragma once

#include <utility>

#include "svrmu/source.hpp"

namespace svrmu {

template <class Scalar>
class MemoryStream final : public BatchStream<Scalar> {
 public:
  MemoryStream(ColumnData<Scalar> data, PassOrder order) : data_(data), order_(std::move(order)) {}

  bool next(Batch<Scalar>& batch) override {
    if (at_ == order_.ends.size()) return false;
    const Index begin = at_ == 0 ? 0 : order_.ends[at_ - 1];
    batch.data = data_;
    batch.count = order_.ends[at_] - begin;
    batch.first = begin;
    batch.list = {};
    if (!order_.columns.empty())
      batch.list = std::span<const Index>(order_.columns)
                       .subspan(static_cast<std::size_t>(begin), static_cast<std::size_t>(batch.count));
    ++at_;
    return true;
  }

 private:
  ColumnData<Scalar> data_;
  PassOrder order_;
  std::size_t at_ = 0;
};

}  // namespace svrmu
