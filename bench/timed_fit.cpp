// Whole calls of fit() on data in memory, for bench/compete: commands are read as JSON lines and answered by
// JSON lines. Usage: svrmu_timed_fit V.npy|V.npz THREADS [float32|float64]
//   {"algorithm": "fast", "rank": 20, "seed": 1, "cap": 5, "w": "W0.npy", "h": "H0.npy", "out": "prefix"}
// algorithm "auto" is the library's choice, without w and h it makes its own start, without cap it ends by
// its own tolerance; "memory": true asks what it takes beyond V. W and H are left in PREFIX.w.npy, .h.npy.
//   {"product": 20}  seconds of one W'V with K = 20 by column chunks of single-threaded OpenBLAS: the unit
//                    "product time"
//   {"square": 2000} GFLOP/s of a square product by OpenBLAS's own threads
#include <cblas.h>
#include <malloc.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <fstream>
#include <iostream>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "data/feed.hpp"
#include "linalg/batch_products.hpp"
#include "linalg/parallel.hpp"
#include "svrmu/choose.hpp"
#include "svrmu/io/files.hpp"
#include "svrmu/svrmu.hpp"

namespace svrmu {
namespace {

using nlohmann::json;
using Clock = std::chrono::steady_clock;

double since(Clock::time_point begin) { return std::chrono::duration<double>(Clock::now() - begin).count(); }

double status_megabytes(const std::string& field) {
  std::ifstream status("/proc/self/status");
  for (std::string word; status >> word;)
    if (double kilobytes = 0; word == field && status >> kilobytes) return kilobytes / 1024;
  return 0;
}

// The peak counts from here.
void forget_peak() {
  malloc_trim(0);
  std::ofstream("/proc/self/clear_refs") << 5;
}

template <class Scalar, class M>
M read_factor(const std::string& path) {
  const io::MatrixFile file = io::read_matrix(
      path,
      {io::SamplesIn::columns, sizeof(Scalar) == 4 ? io::Precision::float32 : io::Precision::float64, 1});
  const auto& stored = std::get<io::StoredDense<Scalar>>(file.matrix);
  if (stored.layout == Layout::columns_contiguous)
    return Eigen::Map<const Matrix<Scalar>>(stored.data, file.rows, file.columns);
  return Eigen::Map<const RowMatrix<Scalar>>(stored.data, file.rows, file.columns);
}

template <class Scalar>
json timed_fit(const MatrixSource<Scalar>& V, const json& command, int threads) {
  FitOptions<Scalar> options;
  options.rank = command.at("rank");
  options.seed = command.value("seed", 0);
  options.threads = threads;
  options.loss = parse_loss(command.value("loss", "frobenius"));
  if (command.contains("cap")) {
    options.stopping.max_epochs = command.at("cap");
    options.stopping.relative_change = 0;
  }
  if (command.contains("limit")) options.stopping.time_limit_seconds = command.at("limit");
  if (command.contains("w")) options.given.W = read_factor<Scalar, RowMatrix<Scalar>>(command.at("w"));
  if (command.contains("h")) options.given.H = read_factor<Scalar, Matrix<Scalar>>(command.at("h"));
  const bool memory = command.value("memory", false);
  if (memory) forget_peak();  // which makes the call slower: all its memory is new
  const double before = status_megabytes("VmRSS:");
  const std::string algorithm = command.at("algorithm");
  const auto begin = Clock::now();
  const SolverOptions solver = solver_named(algorithm);
  const FitResult<Scalar> result = fit(V, solver, options);
  const double seconds = since(begin);
  const double peak = status_megabytes("VmHWM:");
  const std::string out = command.at("out");
  io::write_npy(out + ".w.npy", io::dense_view(result.W), {.overwrite = true});
  io::write_npy(out + ".h.npy", io::dense_view(result.H), {.overwrite = true});
  json answer = {{"seconds", seconds},
                 {"keeps_h", true},
                 {"epochs", result.history.back().epoch},
                 {"reason", to_string(result.reason)},
                 {"peak_megabytes", peak}};
  if (memory) {
    answer["extra_megabytes"] = peak - before;
    answer["planned_megabytes"] = plan_fit(V, solver, options).bytes / 0x1p20;
  }
  return answer;
}

// C <- A B with A m x k.
void blas_product(int m, int n, int k, const double* A, const double* B, double* C) {
  cblas_dgemm(CblasColMajor, CblasNoTrans, CblasNoTrans, m, n, k, 1, A, m, B, k, 0, C, m);
}
void blas_product(int m, int n, int k, const float* A, const float* B, float* C) {
  cblas_sgemm(CblasColMajor, CblasNoTrans, CblasNoTrans, m, n, k, 1, A, m, B, k, 0, C, m);
}

template <class Scalar>
json product_time(const MatrixSource<Scalar>& V, const Matrix<Scalar>& dense, Index rank, int threads) {
  const ThreadScope scope(threads);
  const RowMatrix<Scalar> W = RowMatrix<Scalar>::Constant(V.features(), rank, Scalar(0.5));
  Matrix<Scalar> WtV = Matrix<Scalar>::Zero(rank, V.samples());
  const Index tile = std::min<Index>(1000, (V.samples() + 1) / 2);
  std::vector<double> seconds;
  for (int repeat = 0; repeat < 5; ++repeat) {
    const auto begin = Clock::now();
    if (V.is_sparse()) {  // OpenBLAS has no sparse product: ours
      const Team alone;
      ColumnFeed<Scalar> feed(V, alone, 0, Scalar(1), {});
      for (const Batch<Scalar>& v : feed.blocks(Counted::columns))
        multiply_WtV(W, v, WtV.data() + v.first_sample * rank);
    } else {
      parallel_tiles(V.samples(), tile, [&](Index a, Index b) {
        blas_product(static_cast<int>(rank), static_cast<int>(b - a), static_cast<int>(V.features()),
                     W.data(), dense.data() + a * V.features(), WtV.data() + a * rank);
      });
    }
    seconds.push_back(since(begin));
  }
  std::sort(seconds.begin(), seconds.end());
  return {{"seconds", seconds[2]}};
}

template <class Scalar>
json square_speed(int n, int threads) {
  openblas_set_num_threads(threads);
  const Matrix<Scalar> A = Matrix<Scalar>::Constant(n, n, Scalar(0.5));
  Matrix<Scalar> C = Matrix<Scalar>::Zero(n, n);
  double best = 1e300;
  for (int repeat = 0; repeat < 5; ++repeat) {
    const auto begin = Clock::now();
    blas_product(n, n, n, A.data(), A.data(), C.data());
    best = std::min(best, since(begin));
  }
  openblas_set_num_threads(1);
  return {{"gflops", 2e-9 * n * n * n / best}};
}

template <class Scalar>
void serve(const std::string& path, io::Precision precision, int threads) {
  io::MatrixFile file = io::read_matrix(path, {io::SamplesIn::columns, precision, threads});
  Matrix<Scalar> dense;
  std::unique_ptr<MatrixSource<Scalar>> V;
  if (file.is_sparse()) {
    V = io::open_source<Scalar>(file);
  } else {  // out of the mapped file, as a program's own data would lie
    dense = read_factor<Scalar, Matrix<Scalar>>(path);
    file = {};
    V = view(dense);
  }
  for (std::string line; std::getline(std::cin, line);) {
    const json command = json::parse(line);
    json answer;
    if (command.contains("product"))
      answer = product_time(*V, dense, command.at("product").get<Index>(), threads);
    else if (command.contains("square"))
      answer = square_speed<Scalar>(command.at("square"), threads);
    else
      answer = timed_fit(*V, command, threads);
    std::cout << answer.dump() << std::endl;
  }
}

}  // namespace
}  // namespace svrmu

int main(int argc, char** argv) {
  if (argc != 3 && argc != 4) {
    std::cerr << "usage: svrmu_timed_fit V.npy|V.npz THREADS [float32|float64], commands on standard input\n";
    return 2;
  }
  try {
    namespace io = svrmu::io;
    openblas_set_num_threads(1);
    const int threads = std::atoi(argv[2]);
    const std::string asked = argc == 4 ? argv[3] : "";
    const bool single =
        asked.empty() ? !io::read_matrix(argv[1], {.threads = threads}).is_double() : asked == "float32";
    if (single)
      svrmu::serve<float>(argv[1], io::Precision::float32, threads);
    else
      svrmu::serve<double>(argv[1], io::Precision::float64, threads);
  } catch (const std::exception& error) {
    std::cerr << "svrmu_timed_fit: " << error.what() << '\n';
    return 1;
  }
  return 0;
}
