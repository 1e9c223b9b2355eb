// What one call of fit() costs on a small V, for bench/python.py, which times the same call from Python.
// Usage: svrmu_call_bench ALGORITHM FEATURES SAMPLES RANK EPOCHS CALLS; prints the seconds of each call.
#include <chrono>
#include <cstdlib>
#include <iostream>

#include "svrmu/svrmu.hpp"

int main(int argc, char** argv) {
  if (argc != 7) {
    std::cerr << "usage: svrmu_call_bench ALGORITHM FEATURES SAMPLES RANK EPOCHS CALLS\n";
    return 2;
  }
  using Clock = std::chrono::steady_clock;
  const svrmu::Index features = std::atol(argv[2]), samples = std::atol(argv[3]);
  svrmu::Matrix<double> V(features, samples);
  for (svrmu::Index j = 0; j < samples; ++j)
    for (svrmu::Index i = 0; i < features; ++i) V(i, j) = double(1 + (7 * i + 13 * j) % 11);
  for (int call = 0; call < std::atoi(argv[6]); ++call) {
    const auto begin = Clock::now();
    svrmu::FitOptions<double> options;
    options.rank = std::atol(argv[4]);
    options.seed = 1;
    options.threads = 1;
    options.stopping = {.max_epochs = std::atol(argv[5]), .relative_change = 0};
    const auto result = svrmu::fit(*svrmu::view(V), svrmu::solver_named(argv[1]), options);
    const std::chrono::duration<double> seconds = Clock::now() - begin;
    std::cout << seconds.count() << '\n';
    if (result.W.size() == 0) return 1;
  }
  return 0;
}
