// V that never lies in memory: a source that computes its columns when they are asked for. A file, a database
// or a decoder would be written the same way.
#include <cmath>
#include <iostream>
#include <memory>
#include <svrmu/svrmu.hpp>
#include <utility>

using svrmu::Index;

// A made-up recording of three instruments: column n is the spectrum heard at time n.
constexpr Index frequencies = 120;
constexpr Index times = 900;

void hear(Index time, double* spectrum) {
  for (Index f = 0; f < frequencies; ++f) {
    spectrum[f] = 0;
    for (Index instrument = 0; instrument < 3; ++instrument) {
      const double loud = std::sin(0.013 * double((instrument + 2) * time));
      const double distance = double(f - 20 - 35 * instrument) / 6.0;
      spectrum[f] += loud * loud * std::exp(-distance * distance);
    }
  }
}

// One visit of the columns: fills a buffer batch by batch, in the order that was asked for.
class Listening final : public svrmu::BatchStream<double> {
 public:
  explicit Listening(svrmu::PassOrder order) : order_(std::move(order)) {}

  bool next(svrmu::Batch<double>& batch) override {
    if (at_ == order_.ends.size()) return false;
    const Index begin = at_ == 0 ? 0 : order_.ends[at_ - 1];
    const Index end = order_.ends[at_++];
    buffer_.resize(frequencies, end - begin);
    for (Index i = begin; i < end; ++i) {
      const Index column = order_.columns.empty() ? i : order_.columns[static_cast<std::size_t>(i)];
      hear(column, buffer_.col(i - begin).data());
    }
    batch.data = svrmu::DenseColumns<double>{.data = buffer_.data(), .column_stride = frequencies};
    batch.count = end - begin;
    batch.first = 0;  // of the buffer
    batch.list = {};
    return true;
  }

 private:
  svrmu::PassOrder order_;
  std::size_t at_ = 0;
  svrmu::Matrix<double> buffer_;
};

class Recording final : public svrmu::MatrixSource<double> {
 public:
  Index features() const override { return frequencies; }
  Index samples() const override { return times; }
  bool is_sparse() const override { return false; }
  Index stored() const override { return frequencies * times; }
  std::unique_ptr<svrmu::BatchStream<double>> open(svrmu::PassOrder order) const override {
    return std::make_unique<Listening>(std::move(order));
  }
};

int main() {
  svrmu::FitOptions<double> options;
  options.rank = 3;
  options.normalize = true;
  options.stopping = {.max_epochs = 50, .relative_change = 0};
  const svrmu::IncMuOptions solver{.batch_size = 60, .h_repeats = 5};

  const auto streamed = svrmu::fit(Recording(), solver, options);
  std::cout << svrmu::summary(streamed);

  // The same numbers held in memory give the same bits.
  svrmu::Matrix<double> V(frequencies, times);
  for (Index n = 0; n < times; ++n) hear(n, V.col(n).data());
  const auto held = svrmu::fit(*svrmu::view(V), solver, options);
  const bool same = streamed.W == held.W && streamed.H == held.H;
  std::cout << "streamed and in memory: " << (same ? "the same bits" : "different") << '\n';
  return same && streamed.record().relative_error < 0.05 ? 0 : 1;
}
