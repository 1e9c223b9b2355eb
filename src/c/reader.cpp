// V by a function of the caller's: columns are read when they are asked for, and not kept.
#include <mutex>
#include <string>

#include "c/job_registry.hpp"
#include "c/matrix.hpp"
#include "svrmu/error.hpp"

namespace svrmu::c {
namespace {

template <class Scalar>
class Reader {
 public:
  explicit Reader(const svrmu_reader& reader) : reader_(reader) { JobRegistry::instance().add_lock(turns_); }
  ~Reader() { JobRegistry::instance().remove_lock(turns_); }
  Reader(const Reader&) = delete;
  Reader& operator=(const Reader&) = delete;

  Index features() const { return reader_.rows; }
  Index samples() const { return reader_.columns; }

  // Columns first .. first + count, one after the other. One call at a time, whoever asks.
  void read(Index first, Index count, Scalar* to) const {
    const std::lock_guard turn(turns_);
    const int answer = reader_.read(reader_.context, first, count, to);
    if (answer == 0) return;
    throw io::IoError("the reader of V failed with " + std::to_string(answer) + " on columns " +
                      std::to_string(first) + " to " + std::to_string(first + count - 1) +
                      " (counted from 0)");
  }

 private:
  svrmu_reader reader_;
  mutable std::mutex turns_;
};

template <class Scalar>
class ReaderStream final : public BatchStream<Scalar> {
 public:
  ReaderStream(std::shared_ptr<const Reader<Scalar>> reader, PassOrder order)
      : reader_(std::move(reader)), order_(std::move(order)) {}

  bool next(Batch<Scalar>& batch) override {
    if (at_ == order_.ends.size()) return false;
    const Index begin = at_ == 0 ? 0 : order_.ends[at_ - 1];
    const Index count = order_.ends[at_++] - begin;
    buffer_.resize(reader_->features(), count);
    // Neighbors are read in one call.
    for (Index j = 0; j < count;) {
      const Index first = column(begin + j);
      Index run = 1;
      while (j + run < count && column(begin + j + run) == first + run) ++run;
      reader_->read(first, run, buffer_.col(j).data());
      j += run;
    }
    batch.data = DenseColumns<Scalar>{buffer_.data(), 1, reader_->features()};
    batch.count = count;
    batch.first = 0;
    batch.list = {};
    return true;
  }

 private:
  Index column(Index place) const {
    return order_.columns.empty() ? place : order_.columns[static_cast<std::size_t>(place)];
  }

  std::shared_ptr<const Reader<Scalar>> reader_;
  PassOrder order_;
  std::size_t at_ = 0;
  Matrix<Scalar> buffer_;
};

template <class Scalar>
class ReaderSource final : public MatrixSource<Scalar> {
 public:
  explicit ReaderSource(const svrmu_reader& reader)
      : reader_(std::make_shared<const Reader<Scalar>>(reader)) {}

  Index features() const override { return reader_->features(); }
  Index samples() const override { return reader_->samples(); }
  bool is_sparse() const override { return false; }
  Index stored() const override { return features() * samples(); }
  std::unique_ptr<BatchStream<Scalar>> open(PassOrder order) const override {
    return std::make_unique<ReaderStream<Scalar>>(reader_, std::move(order));
  }

 private:
  std::shared_ptr<const Reader<Scalar>> reader_;
};

}  // namespace

template <class Scalar>
std::unique_ptr<MatrixSource<Scalar>> reader_source(const svrmu_reader& reader) {
  return std::make_unique<ReaderSource<Scalar>>(reader);
}

template std::unique_ptr<MatrixSource<float>> reader_source<float>(const svrmu_reader&);
template std::unique_ptr<MatrixSource<double>> reader_source<double>(const svrmu_reader&);

}  // namespace svrmu::c
