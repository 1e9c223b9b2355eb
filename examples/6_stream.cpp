// Data that come by once: W is learned from a stream of one's own, whose length nobody knows, in memory that
// does not depend on it. A socket, a camera or a message queue would be written the same way.
#include <algorithm>
#include <cmath>
#include <iostream>
#include <svrmu/svrmu.hpp>

using svrmu::Index;

// Spectra of three substances in changing mixtures, one after the other.
class Sensor final : public svrmu::ColumnStream<float> {
 public:
  Sensor(Index begin, Index end) : at_(begin), end_(end) {}

  Index features() const override { return 80; }
  bool is_sparse() const override { return false; }
  bool next(Index most_columns, svrmu::Batch<float>& batch) override {
    const Index count = std::min(most_columns, end_ - at_);
    if (count == 0) return false;  // the sensor was switched off
    buffer_.resize(features(), count);
    for (Index j = 0; j < count; ++j) measure(at_ + j, buffer_.col(j).data());
    at_ += count;
    batch.data = svrmu::DenseColumns<float>{.data = buffer_.data(), .column_stride = features()};
    batch.count = count;
    batch.first = 0;  // of the buffer
    return true;
  }

 private:
  static void measure(Index time, float* spectrum) {
    for (Index f = 0; f < 80; ++f) {
      double light = 0;
      for (Index substance = 0; substance < 3; ++substance) {
        const double amount = std::sin(0.7 * double((substance + 1) * time) + double(substance));
        const double distance = double(f - 15 - 25 * substance) / 5.0;
        light += amount * amount * std::exp(-distance * distance);
      }
      spectrum[f] = static_cast<float>(light);
    }
  }

  Index at_;
  Index end_;
  svrmu::Matrix<float> buffer_;
};

int main() {
  Sensor morning(0, 20000);
  svrmu::StreamOptions<float> options;
  options.forget_factor = 0.9;  // the first spectra were seen with a W that knew little
  options.progress = [](const svrmu::StreamProgress& now) {
    if (now.columns % 5120 == 0)
      std::cout << now.columns << " spectra, relative error of the last ones " << now.relative_error << '\n';
  };
  auto model = svrmu::fit_stream(morning, svrmu::IncHalsOptions{}, {.rank = 3}, options);
  std::cout << svrmu::summary(model);

  // In the afternoon it goes on, with the same bits as if it had never stopped where batches end alike.
  Sensor afternoon(20000, 30000);
  model = svrmu::update(model, afternoon, options);
  std::cout << "after " << model.record().columns_read << " spectra: relative error "
            << model.record().relative_error << '\n';

  // What is in single spectra: H was not kept, but any sample can be taken apart.
  Sensor later(50000, 50100);
  svrmu::Batch<float> batch;
  later.next(100, batch);
  const svrmu::Matrix<float> V = Eigen::Map<const svrmu::Matrix<float>>(
      std::get<svrmu::DenseColumns<float>>(batch.data).data, later.features(), batch.count);
  const svrmu::Matrix<float> H = svrmu::transform(*svrmu::view(V), model).H;
  const float error = (V - model.W * H).norm() / V.norm();
  std::cout << "100 spectra that it never saw: relative error " << error << '\n';
  return error < 0.05F && model.H.cols() == 0 ? 0 : 1;
}
