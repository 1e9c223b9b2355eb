// How fast fit_stream() learns from a V in memory beside one epoch of the same solver on it, on one thread,
// interleaved, best of all rounds; and what it holds. Usage: svrmu_stream_bench [columns] [rounds]
// [solver...]
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <string>
#include <vector>

#include "data/random.hpp"
#include "linalg/gemm.hpp"
#include "svrmu/svrmu.hpp"

namespace {

using namespace svrmu;

constexpr Index features = 500;
constexpr Index rank = 20;

double now() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

double peak_megabytes() {
  std::ifstream status("/proc/self/status");
  for (std::string key; status >> key;) {
    double kilobytes = 0;
    if (key == "VmHWM:" && status >> kilobytes) return kilobytes / 1024;
  }
  return 0;
}

// Low rank plus 20 % noise, as many columns as one likes.
class Data {
 public:
  Data() : random_(1, Purpose::sketch), W_(features, rank), noise_(1 << 20) {
    for (Index i = 0; i < features; ++i)
      for (Index k = 0; k < rank; ++k) W_(i, k) = static_cast<float>(random_.uniform(i, k));
    for (std::size_t i = 0; i < noise_.size(); ++i)
      noise_[i] = static_cast<float>(0.8 + 0.4 * random_.uniform(1000, static_cast<Index>(i)));
  }

  void make(Index first, Index count, float* to) const {
    Matrix<float> H(rank, count);
    for (Index j = 0; j < count; ++j)
      for (Index k = 0; k < rank; ++k) H(k, j) = static_cast<float>(random_.uniform(2000 + first + j, k));
    gemm(Op::transposed, Op::plain, features, count, rank, 1.0F, W_.data(), rank, H.data(), rank, 0.0F, to,
         features);
    auto at = static_cast<std::size_t>(first * 7919);
    for (Index i = 0; i < count * features; ++i) to[i] *= noise_[at++ % noise_.size()];
  }

 private:
  Random random_;
  RowMatrix<float> W_;
  std::vector<float> noise_;
};

// The same few columns again and again: what is held must not depend on how many there are.
class Repeated final : public ColumnStream<float> {
 public:
  Repeated(const Matrix<float>& columns, Index count) : columns_(columns), left_(count) {}

  Index features() const override { return columns_.rows(); }
  bool is_sparse() const override { return false; }
  bool next(Index most_columns, Batch<float>& batch) override {
    if (left_ == 0) return false;
    batch.data = DenseColumns<float>{columns_.data(), 1, columns_.rows()};
    batch.count = std::min({most_columns, left_, columns_.cols()});
    batch.first = 0;
    left_ -= batch.count;
    return true;
  }

 private:
  const Matrix<float>& columns_;
  Index left_;
};

struct Times {
  double epoch = 1e300;   // in memory, in the solver, in the usual order
  double cyclic = 1e300;  // the same in the order of the stream
  double fit = 1e300;     // the whole call
  double stream = 1e300;  // the whole call
  double error_epoch = 0;
  double error_stream = 0;
};

void measure(const Matrix<float>& V, const SolverOptions& solver, Times& times) {
  FitOptions<float> options{.rank = rank, .threads = 1};
  options.stopping = {.max_epochs = 1, .relative_change = 0};
  const auto seconds = [](const FitResult<float>& fitted) {
    return fitted.history.back().solver_seconds - fitted.history.front().solver_seconds;
  };
  double begin = now();
  const auto fitted = fit(*view(V), solver, options);
  times.fit = std::min(times.fit, now() - begin);
  times.epoch = std::min(times.epoch, seconds(fitted));
  times.error_epoch = fitted.history.back().relative_error;
  SolverOptions cyclic = solver;
  set_option(cyclic, "order", "cyclic");
  times.cyclic = std::min(times.cyclic, seconds(fit(*view(V), cyclic, options)));
  begin = now();
  const auto streamed = fit_stream(*view(V), solver, StreamStart<float>{.rank = rank}, {.threads = 1});
  times.stream = std::min(times.stream, now() - begin);
  times.error_stream = streamed.record().relative_error;
}

// In a process of its own: memory that earlier work gave back would hide what is asked for.
void measure_memory(const SolverOptions& solver, const std::string& name, Index columns) {
  std::fflush(stdout);
  const pid_t child = fork();
  if (child > 0) {
    waitpid(child, nullptr, 0);
    return;
  }
  Matrix<float> some(features, 8192);
  Data().make(0, some.cols(), some.data());
  Repeated stream(some, columns);
  fit_stream(stream, solver, StreamStart<float>{.rank = rank}, {.threads = 1});
  std::printf("%-10s %9ld columns, of which 16 MB are at hand: peak of the process %.0f MB\n", name.c_str(),
              static_cast<long>(columns), peak_megabytes());
  std::fflush(stdout);
  _exit(0);
}

}  // namespace

int main(int argc, char** argv) {
  const Index columns = argc > 1 ? std::atol(argv[1]) : 1000000;
  const int rounds = argc > 2 ? std::atoi(argv[2]) : 3;
  std::vector<std::string> names(argv + std::min(argc, 3), argv + argc);
  if (names.empty()) names = {"inc-hals", "onmf", "inc-mu-acc", "smu-acc", "svrmu-acc"};

  for (const std::string& name : names)
    for (const Index count : {columns / 10, columns}) measure_memory(solver_named(name), name, count);

  Matrix<float> V(features, columns);
  constexpr Index block = 4096;
  const Data data;
  for (Index first = 0; first < columns; first += block)
    data.make(first, std::min(block, columns - first), V.data() + first * features);
  std::printf("%ld x %ld, float, K = %ld, one thread, best of %d; seconds\n", static_cast<long>(features),
              static_cast<long>(columns), static_cast<long>(rank), rounds);
  std::printf("%-10s %8s %8s %8s %8s %16s %16s   relative error: epoch, stream\n", "", "epoch", "cyclic",
              "fit", "stream", "epoch / stream", "cyclic / stream");
  std::vector<Times> times(names.size());
  for (int r = 0; r < rounds; ++r)
    for (std::size_t i = 0; i < names.size(); ++i) measure(V, solver_named(names[i]), times[i]);
  for (std::size_t i = 0; i < names.size(); ++i) {
    const Times& t = times[i];
    std::printf("%-10s %8.3f %8.3f %8.3f %8.3f %16.2f %16.2f   %.4f, %.4f\n", names[i].c_str(), t.epoch,
                t.cyclic, t.fit, t.stream, t.epoch / t.stream, t.cyclic / t.stream, t.error_epoch,
                t.error_stream);
  }
  return 0;
}
