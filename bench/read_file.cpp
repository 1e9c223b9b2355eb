// Reads one matrix and says how long it took and how much memory: read_file PATH [THREADS].
#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <exception>
#include <fstream>
#include <iostream>
#include <string>

#include "svrmu/io/files.hpp"

// Of this program alone: getrusage would count the one that started it.
static double peak_kilobytes() {
  std::ifstream status("/proc/self/status");
  for (std::string word; status >> word;)
    if (double kilobytes = 0; word == "VmHWM:" && status >> kilobytes) return kilobytes;
  return 0;
}

int main(int count, char** arguments) {
  if (count < 2) {
    std::cerr << "usage: read_file PATH [THREADS]\n";
    return 2;
  }
  try {
    svrmu::io::ReadOptions options;
    options.threads = count > 2 ? std::atoi(arguments[2]) : 0;
    const auto begin = std::chrono::steady_clock::now();
    const svrmu::io::MatrixFile file = svrmu::io::read_matrix(arguments[1], options);
    const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - begin;
    const double scalar = file.is_double() ? 8 : 4;
    const double majors = static_cast<double>(std::max(file.rows, file.columns));
    const double bytes = static_cast<double>(file.stored()) * (file.is_sparse() ? 8 + scalar : scalar) +
                         (file.is_sparse() ? 8 * majors : 0);
    std::cout << "{\"rows\": " << file.rows << ", \"columns\": " << file.columns
              << ", \"stored\": " << file.stored() << ", \"seconds\": " << seconds.count()
              << ", \"matrix_mb\": " << bytes / 1e6 << ", \"peak_mb\": " << peak_kilobytes() * 1024 / 1e6
              << "}\n";
  } catch (const std::exception& error) {
    std::cerr << error.what() << '\n';
    return 1;
  }
}
