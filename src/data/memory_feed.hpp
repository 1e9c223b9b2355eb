// A matrix of this process alone, as a solver sees V.
#pragma once

#include <memory>

#include "data/feed.hpp"

namespace svrmu {

class MemoryFeed {
 public:
  explicit MemoryFeed(const SparseMatrix<float>& V)
      : source_(view(V)), feed_(*source_, alone_, 0, 1.0F, {}) {}
  ColumnFeed<float>& operator()() { return feed_; }

 private:
  std::unique_ptr<MatrixSource<float>> source_;
  Team alone_;
  ColumnFeed<float> feed_;
};

}  // namespace svrmu
