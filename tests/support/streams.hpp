// Columns that are served once, as a user might serve them.
#pragma once

#include <algorithm>

#include "problems.hpp"
#include "svrmu/svrmu.hpp"

namespace svrmu {

// Serves copies of columns once, so many at a time as it is told, and counts them.
template <class Scalar>
class CountingStream final : public ColumnStream<Scalar> {
 public:
  explicit CountingStream(const Matrix<Scalar>& V, Index begin = 0, Index end = -1)
      : V_(V), at_(begin), end_(end < 0 ? V.cols() : end) {}

  Index features() const override { return V_.rows(); }
  bool is_sparse() const override { return false; }
  bool next(Index most_columns, Batch<Scalar>& batch) override {
    if (at_ == end_) return false;
    const Index count = std::min(most_columns, end_ - at_);
    copy_ = V_.middleCols(at_, count);
    at_ += count;
    served_ += count;
    batch.data = DenseColumns<Scalar>{copy_.data(), 1, V_.rows()};
    batch.count = count;
    return true;
  }
  Index served() const { return served_; }

 private:
  const Matrix<Scalar>& V_;
  Index at_;
  Index end_;
  Index served_ = 0;
  Matrix<Scalar> copy_;
};

template <class Scalar>
StreamStart<Scalar> rank_of(Index rank) {
  StreamStart<Scalar> start;
  start.rank = rank;
  start.seed = 1;
  return start;
}

template <class Scalar>
StreamOptions<Scalar> one_thread() {
  StreamOptions<Scalar> options;
  options.threads = 1;
  return options;
}

// ||V - WH|| / ||V|| with the best H for this W.
inline double error_of(const Matrix<double>& V, const FitResult<double>& model) {
  const Matrix<double> H = transform(*view(V), model).H;
  return (V - plain_product(model.W, H)).norm() / V.norm();
}

}  // namespace svrmu
