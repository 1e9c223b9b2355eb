// Sources as a user might write them.
#pragma once

#include <functional>
#include <memory>
#include <utility>

#include "svrmu/source.hpp"

namespace svrmu {

// Hands out copies of the columns of a dense matrix, one batch at a time, as a file would.
template <class Scalar>
class CopyingSource final : public MatrixSource<Scalar> {
 public:
  explicit CopyingSource(const Matrix<Scalar>& V) : V_(V) {}

  Index features() const override { return V_.rows(); }
  Index samples() const override { return V_.cols(); }
  bool is_sparse() const override { return false; }
  Index stored() const override { return V_.size(); }
  std::unique_ptr<BatchStream<Scalar>> open(PassOrder order) const override {
    return std::make_unique<Stream>(V_, std::move(order));
  }

 private:
  class Stream final : public BatchStream<Scalar> {
   public:
    Stream(const Matrix<Scalar>& V, PassOrder order) : V_(V), order_(std::move(order)) {}

    bool next(Batch<Scalar>& batch) override {
      if (at_ == order_.ends.size()) return false;
      const Index begin = at_ == 0 ? 0 : order_.ends[at_ - 1];
      const Index count = order_.ends[at_] - begin;
      copy_.resize(V_.rows(), count);
      for (Index j = 0; j < count; ++j) {
        const Index place = begin + j;
        const Index column = order_.columns.empty() ? place : order_.columns[static_cast<std::size_t>(place)];
        copy_.col(j) = V_.col(column);
      }
      batch.data = DenseColumns<Scalar>{copy_.data(), 1, V_.rows()};
      batch.count = count;
      batch.first = 0;
      batch.list = {};
      ++at_;
      return true;
    }

   private:
    const Matrix<Scalar>& V_;
    PassOrder order_;
    Matrix<Scalar> copy_;
    std::size_t at_ = 0;
  };

  const Matrix<Scalar>& V_;
};

// Another source, which counts the columns that it serves.
template <class Scalar>
class CountingSource final : public MatrixSource<Scalar> {
 public:
  explicit CountingSource(const MatrixSource<Scalar>& source) : source_(source) {}

  Index served() const { return served_; }
  Index opened() const { return opened_; }
  Index features() const override { return source_.features(); }
  Index samples() const override { return source_.samples(); }
  bool is_sparse() const override { return source_.is_sparse(); }
  Index stored() const override { return source_.stored(); }
  std::unique_ptr<BatchStream<Scalar>> open(PassOrder order) const override {
    ++opened_;
    return std::make_unique<Stream>(source_.open(std::move(order)), served_);
  }

 private:
  class Stream final : public BatchStream<Scalar> {
   public:
    Stream(std::unique_ptr<BatchStream<Scalar>> stream, Index& served)
        : stream_(std::move(stream)), served_(served) {}

    bool next(Batch<Scalar>& batch) override {
      const bool more = stream_->next(batch);
      if (more) served_ += batch.count;
      return more;
    }

   private:
    std::unique_ptr<BatchStream<Scalar>> stream_;
    Index& served_;
  };

  const MatrixSource<Scalar>& source_;
  mutable Index served_ = 0;
  mutable Index opened_ = 0;
};

// Another source, whose batches can be watched: on_batch(batches of that visit) is called for each.
template <class Scalar>
class WatchedSource final : public MatrixSource<Scalar> {
 public:
  using Watch = std::function<void(std::size_t)>;

  WatchedSource(const MatrixSource<Scalar>& source, Watch on_batch)
      : source_(source), on_batch_(std::move(on_batch)) {}

  Index features() const override { return source_.features(); }
  Index samples() const override { return source_.samples(); }
  bool is_sparse() const override { return source_.is_sparse(); }
  Index stored() const override { return source_.stored(); }
  std::unique_ptr<BatchStream<Scalar>> open(PassOrder order) const override {
    const std::size_t batches = order.ends.size();
    return std::make_unique<Stream>(source_.open(std::move(order)), batches, on_batch_);
  }

 private:
  class Stream final : public BatchStream<Scalar> {
   public:
    Stream(std::unique_ptr<BatchStream<Scalar>> stream, std::size_t batches, const Watch& on_batch)
        : stream_(std::move(stream)), batches_(batches), on_batch_(on_batch) {}

    bool next(Batch<Scalar>& batch) override {
      on_batch_(batches_);
      return stream_->next(batch);
    }

   private:
    std::unique_ptr<BatchStream<Scalar>> stream_;
    std::size_t batches_;
    const Watch& on_batch_;
  };

  const MatrixSource<Scalar>& source_;
  Watch on_batch_;
};

// Serves dense columns but says that they are sparse.
template <class Scalar>
class LyingSource final : public MatrixSource<Scalar> {
 public:
  explicit LyingSource(const MatrixSource<Scalar>& source) : source_(source) {}

  Index features() const override { return source_.features(); }
  Index samples() const override { return source_.samples(); }
  bool is_sparse() const override { return !source_.is_sparse(); }
  Index stored() const override { return source_.stored(); }
  std::unique_ptr<BatchStream<Scalar>> open(PassOrder order) const override {
    return source_.open(std::move(order));
  }

 private:
  const MatrixSource<Scalar>& source_;
};

}  // namespace svrmu
