// Times svrmu epochs on a sparse matrix written by bench/minibatch_peer.py: F N nnz (int64), offsets, rows
// (int32), values (double). Prints the median seconds of an epoch, evaluation excluded. Usage:
// svrmu_bench_sparse FILE K B
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <vector>

#include "svrmu/svrmu.hpp"

namespace {

template <class T>
std::vector<T> read(std::ifstream& file, std::size_t count) {
  std::vector<T> values(count);
  file.read(reinterpret_cast<char*>(values.data()), static_cast<std::streamsize>(count * sizeof(T)));
  return values;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 4) {
    std::fprintf(stderr, "usage: svrmu_bench_sparse FILE K BATCH_SIZE\n");
    return 2;
  }
  std::ifstream file(argv[1], std::ios::binary);
  const auto sizes = read<std::int64_t>(file, 3);
  const auto offsets = read<std::int32_t>(file, static_cast<std::size_t>(sizes[1]) + 1);
  const auto rows = read<std::int32_t>(file, static_cast<std::size_t>(sizes[2]));
  const auto values = read<double>(file, static_cast<std::size_t>(sizes[2]));
  if (!file) {
    std::fprintf(stderr, "cannot read %s\n", argv[1]);
    return 4;
  }
  const auto V = svrmu::view_sparse(sizes[0], sizes[1], offsets.data(), rows.data(), values.data());

  svrmu::FitOptions<double> options{.rank = std::atol(argv[2])};
  options.stopping = {.max_epochs = 6, .relative_change = 0};
  const auto result = svrmu::fit(*V, svrmu::SvrmuOptions{.batch_size = std::atol(argv[3])}, options);
  std::vector<double> epochs;
  for (std::size_t i = 2; i < result.history.size(); ++i)
    epochs.push_back(result.history[i].solver_seconds - result.history[i - 1].solver_seconds);
  std::sort(epochs.begin(), epochs.end());
  std::printf("%.6f\n", epochs[epochs.size() / 2]);
  return 0;
}
