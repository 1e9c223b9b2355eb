// The inner loops by themselves, against OpenBLAS in the same run: products with a dense V, HALS sweeps, and
// what a second thread adds. Everything is interleaved; figures are GFLOP/s of the best of several rounds, of
// useful operations (padding does not count). Usage: svrmu_kernel_bench [rounds]
#include <cblas.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <thread>
#include <vector>

#include "data/feed.hpp"
#include "linalg/batch_products.hpp"
#include "linalg/gemm.hpp"
#include "linalg/machine.hpp"
#include "linalg/parallel.hpp"
#include "linalg/products.hpp"
#include "svrmu/svrmu.hpp"

namespace {

using namespace svrmu;
using Clock = std::chrono::steady_clock;

// GFLOP/s of the fastest call so far.
class Speed {
 public:
  explicit Speed(double operations) : operations_(operations) {}
  template <class Body>
  void take(const Body& body) {
    const auto begin = Clock::now();
    body();
    best_ = std::min(best_, std::chrono::duration<double>(Clock::now() - begin).count());
  }
  double gflops() const { return 1e-9 * operations_ / best_; }
  double seconds() const { return best_; }

 private:
  double operations_;
  double best_ = 1e300;
};

const char* verdict(bool held) { return held ? "hit" : "miss"; }

void blas_product(CBLAS_TRANSPOSE op, int m, int n, int k, const double* A, const double* B, int ldb,
                  double* C) {
  cblas_dgemm(CblasColMajor, CblasNoTrans, op, m, n, k, 1, A, m, B, ldb, 0, C, m);
}
void blas_product(CBLAS_TRANSPOSE op, int m, int n, int k, const float* A, const float* B, int ldb,
                  float* C) {
  cblas_sgemm(CblasColMajor, CblasNoTrans, op, m, n, k, 1, A, m, B, ldb, 0, C, m);
}

template <class M>
M some(Index rows, Index columns) {
  using Scalar = typename M::Scalar;
  return (M::Random(rows, columns).array() + Scalar(1.1)).matrix();
}

// OpenBLAS's threads keep their cores busy for a while after a product.
void wait_for_idle_threads() { std::this_thread::sleep_for(std::chrono::milliseconds(200)); }

struct Square {
  double one = 0;
  double all = 0;
};

template <class Scalar>
Square square(int rounds) {
  constexpr int n = 2000;
  const auto A = some<Matrix<Scalar>>(n, n);
  Matrix<Scalar> C(n, n);
  Speed one(2.0 * n * n * n);
  Speed all(2.0 * n * n * n);
  for (int r = 0; r < rounds; ++r) {
    openblas_set_num_threads(1);
    one.take([&] { blas_product(CblasNoTrans, n, n, n, A.data(), A.data(), n, C.data()); });
    openblas_set_num_threads(available_threads());
    all.take([&] { blas_product(CblasNoTrans, n, n, n, A.data(), A.data(), n, C.data()); });
  }
  return {one.gflops(), all.gflops()};
}

// W'V and V H' of a whole V: two products.
template <class Scalar>
void our_products(ColumnFeed<Scalar>& feed, const RowMatrix<Scalar>& W, const Matrix<Scalar>& H,
                  Matrix<Scalar>& WtV, RowMatrix<Scalar>& VHt) {
  const Index K = W.cols();
  for (const Batch<Scalar>& v : feed.blocks()) {
    multiply_WtV(W, v, WtV.data() + v.sample(0) * K);
    add_VHt(v, H.data() + v.sample(0) * K, K, VHt);
  }
}

template <class Scalar>
bool products(const Square& machine, int rounds) {
  constexpr Index F = 1000;
  constexpr Index N = 20000;
  const auto V = some<Matrix<Scalar>>(F, N);
  const auto source = view(V);
  const Team alone;
  ColumnFeed<Scalar> feed(*source, alone, 0, Scalar(1), {});
  std::printf(
      "| K | ours | one thread | OpenBLAS's threads | its columns split | ours / its threads | of square | "
      "scaling over square's | |\n");
  std::printf("|---:|---:|---:|---:|---:|---:|---:|---:|---|\n");
  bool held = true;
  for (const Index K : {10, 16, 20, 32, 50, 64, 128, 256}) {
    const auto W = some<RowMatrix<Scalar>>(F, K);
    const auto H = some<Matrix<Scalar>>(K, N);
    Matrix<Scalar> WtV = Matrix<Scalar>::Zero(K, N);
    RowMatrix<Scalar> VHt = RowMatrix<Scalar>::Zero(F, K);
    const double operations = 4.0 * static_cast<double>(F * N * K);
    Speed ours(operations), ours_alone(operations), theirs(operations), split(operations);
    const auto k = static_cast<int>(K);
    const auto f = static_cast<int>(F);
    const auto n = static_cast<int>(N);
    for (int r = 0; r < rounds; ++r) {
      openblas_set_num_threads(available_threads());
      theirs.take([&] {
        blas_product(CblasNoTrans, k, n, f, W.data(), V.data(), f, WtV.data());
        blas_product(CblasTrans, k, f, n, H.data(), V.data(), f, VHt.data());
      });
      wait_for_idle_threads();
      const ThreadScope threads(0);
      ours.take([&] { our_products(feed, W, H, WtV, VHt); });
      split.take([&] {
        parallel_tiles(N, 1000, [&](Index a, Index b) {
          blas_product(CblasNoTrans, k, static_cast<int>(b - a), f, W.data(), V.data() + a * F, f,
                       WtV.data() + a * K);
        });
        // V H' with its rows split: nothing to add up afterwards.
        parallel_tiles(F, F / 2, [&](Index a, Index b) {
          blas_product(CblasTrans, k, static_cast<int>(b - a), n, H.data(), V.data() + a, f,
                       VHt.data() + a * K);
        });
      });
      const ThreadScope one(1);
      ours_alone.take([&] { our_products(feed, W, H, WtV, VHt); });
    }
    const double faster = ours.gflops() / theirs.gflops();
    const double of_square = ours.gflops() / machine.all;
    const double scaling = ours.gflops() / ours_alone.gflops() / (machine.all / machine.one);
    const bool enough = (K <= 32 ? faster >= 1.5 : faster >= 1.2 || of_square >= 0.8) && scaling >= 0.9;
    held &= enough || K > 64;
    std::printf("| %ld | %.1f | %.1f | %.1f | %.1f | %.2f | %.2f | %.2f | %s |\n", static_cast<long>(K),
                ours.gflops(), ours_alone.gflops(), theirs.gflops(), split.gflops(), faster, of_square,
                scaling, K > 64 ? "" : verdict(enough));
    std::fflush(stdout);
  }
  return held;
}

template <class Scalar>
bool sweeps(const Square& machine, int rounds) {
  constexpr Index items = 4096;
  constexpr int count = 4;
  std::printf("| K | 16 | 20 | 32 | 50 | 64 | 100 | 128 |\n|---|---:|---:|---:|---:|---:|---:|---:|\n");
  std::string speeds = "| GFLOP/s |";
  std::string shares = "| of square |";
  bool held = true;
  const ThreadScope one(1);
  for (const Index K : {16, 20, 32, 50, 64, 100, 128}) {
    const auto W = some<RowMatrix<Scalar>>(1000, K);
    const Matrix<Scalar> G = WtW(W);
    const auto A = some<Matrix<Scalar>>(K, items);
    auto X = some<Matrix<Scalar>>(K, items);
    Speed speed(2.0 * count * static_cast<double>(items * K * K));
    for (int r = 0; r < 4 * rounds; ++r)
      speed.take([&] { hals_sweep(X.data(), A.data(), items, G, Shrink<Scalar>{}, count); });
    const double share = speed.gflops() / machine.one;
    held &= share >= 0.75;
    char text[32];
    std::snprintf(text, sizeof text, " %.1f |", speed.gflops());
    speeds += text;
    std::snprintf(text, sizeof text, " %.2f |", share);
    shares += text;
  }
  std::printf("%s\n%s\n", speeds.c_str(), shares.c_str());
  return held;
}

// A small product like those of the surrogate, one thread: C (K x 128) <- A (K x rank) B.
template <class Scalar>
void small_products(int rounds) {
  constexpr Index n = 128;
  std::printf(
      "| K | rank | A B, ours | OpenBLAS | B A', ours | OpenBLAS |\n|---:|---:|---:|---:|---:|---:|\n");
  const ThreadScope one(1);
  for (const Index K : {20, 32, 50}) {
    const Index rank = 7 * K / 2;
    const auto A = some<Matrix<Scalar>>(K, rank);
    const auto B = some<Matrix<Scalar>>(rank, n);
    const auto Y = some<Matrix<Scalar>>(K, n);
    Matrix<Scalar> C = Matrix<Scalar>::Zero(K, n);
    Matrix<Scalar> D = Matrix<Scalar>::Zero(rank, K);
    const double operations = 2.0 * 100 * static_cast<double>(K * rank * n);
    Speed ours(operations), theirs(operations), cross(operations), their_cross(operations);
    const auto k = static_cast<int>(K);
    const auto l = static_cast<int>(rank);
    const auto many = [](const auto& body) {
      for (int i = 0; i < 100; ++i) body();
    };
    for (int r = 0; r < rounds; ++r) {
      ours.take([&] {
        many([&] {
          gemm(Op::plain, Op::plain, K, n, rank, Scalar(1), A.data(), K, B.data(), rank, Scalar(0), C.data(),
               K);
        });
      });
      theirs.take(
          [&] { many([&] { blas_product(CblasNoTrans, k, n, l, A.data(), B.data(), l, C.data()); }); });
      cross.take([&] {
        many([&] {
          gemm(Op::plain, Op::transposed, rank, K, n, Scalar(1), B.data(), rank, Y.data(), K, Scalar(0),
               D.data(), rank);
        });
      });
      their_cross.take(
          [&] { many([&] { blas_product(CblasTrans, l, k, n, B.data(), Y.data(), k, D.data()); }); });
    }
    std::printf("| %ld | %ld | %.1f | %.1f | %.1f | %.1f |\n", static_cast<long>(K), static_cast<long>(rank),
                ours.gflops(), theirs.gflops(), cross.gflops(), their_cross.gflops());
  }
}

template <class Scalar>
bool bench(const char* name, int rounds) {
  const Square machine = square<Scalar>(rounds);
  std::printf("## %s\n\nSquare product by OpenBLAS (%s): %.1f GFLOP/s on one thread, %.1f on %d.\n\n", name,
              openblas_get_corename(), machine.one, machine.all, available_threads());
  std::printf("W'V and V H' of 1000 x 20000, %d threads:\n\n", available_threads());
  bool held = products<Scalar>(machine, rounds);
  std::printf("\nHALS sweeps, one thread (at least 0.75 of a square product):\n\n");
  held &= sweeps<Scalar>(machine, rounds);
  std::printf("\nSmall products, one thread:\n\n");
  small_products<Scalar>(rounds);
  std::printf("\n");
  return held;
}

}  // namespace

int main(int argc, char** argv) {
  const int rounds = argc > 1 ? std::atoi(argv[1]) : 7;
  const bool in_double = bench<double>("double", rounds);
  const bool in_float = bench<float>("float", rounds);
  return in_double && in_float ? 0 : 1;
}
