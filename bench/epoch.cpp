// How much of an epoch is matrix products (svrmu_kernel_bench says how fast those are), measured in one run,
// interleaved; ratios are medians. Usage: svrmu_bench [rounds]
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <string>
#include <vector>

#include "data/factors.hpp"
#include "data/feed.hpp"
#include "data/random.hpp"
#include "linalg/batch_products.hpp"
#include "linalg/gemm.hpp"
#include "linalg/machine.hpp"
#include "linalg/parallel.hpp"
#include "linalg/products.hpp"
#include "svrmu/svrmu.hpp"

namespace {

using namespace svrmu;

double now() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

template <class Body>
double seconds(const Body& body) {
  const double begin = now();
  body();
  return now() - begin;
}

double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return values[values.size() / 2];
}

// "VmHWM:" is the peak, "VmRSS:" what is resident now.
double megabytes(const std::string& which) {
  std::ifstream status("/proc/self/status");
  for (std::string key; status >> key;) {
    double kilobytes = 0;
    if (key == which && status >> kilobytes) return kilobytes / 1024;
  }
  return 0;
}

// Low rank plus 5 % noise.
Matrix<double> make_data(Index F, Index N, Index K) {
  const Random random(1, Purpose::sketch);
  RowMatrix<double> W(F, K);
  Matrix<double> H(K, N);
  for (Index i = 0; i < F; ++i)
    for (Index k = 0; k < K; ++k) W(i, k) = random.uniform(i, k);
  for (Index j = 0; j < N; ++j)
    for (Index k = 0; k < K; ++k) H(k, j) = random.uniform(1000000 + j, k);
  Matrix<double> V(F, N);
  gemm(Op::transposed, Op::plain, F, N, K, 1.0, W.data(), K, H.data(), K, 0.0, V.data(), F);
  for (Index j = 0; j < N; ++j)
    for (Index i = 0; i < F; ++i) V(i, j) *= 1 + 0.1 * (random.uniform(2000000 + j, i) - 0.5);
  return V;
}

struct Factor {
  RowMatrix<double> W;
  Matrix<double> H;
};

// The products of one mu epoch, with the blocks that mu uses.
void mu_products(ColumnFeed<double>& feed, const Factor& f) {
  const Index K = f.W.cols();
  RowMatrix<double> VHt = RowMatrix<double>::Zero(f.W.rows(), K);
  const Matrix<double> G = WtW(f.W);
  Matrix<double> WtV;
  Matrix<double> h;
  Matrix<double> Gh;
  Matrix<double> HHt = Matrix<double>::Zero(K, K);
  for (const Batch<double>& v : feed.blocks()) {
    take_columns(f.H, v, h);
    WtV.resize(K, v.count);
    Gh.resize(K, v.count);
    multiply_WtV(f.W, v, WtV.data());
    parallel_tiles(v.count, column_tile, [&](Index a, Index b) {
      gemm(Op::plain, Op::plain, K, b - a, K, 1.0, G.data(), K, h.data() + a * K, K, 0.0, Gh.data() + a * K,
           K);
    });
    add_VHt(v, h.data(), K, VHt);
    HHt += gram(h.data(), v.count, K);
  }
  Combination<double> down;
  down.add(1, f.W, HHt).evaluate(f.W.rows(), K);
}

// The products of one hals epoch.
void hals_products(ColumnFeed<double>& feed, const Factor& f) {
  const Index K = f.W.cols();
  RowMatrix<double> VHt = RowMatrix<double>::Zero(f.W.rows(), K);
  const Matrix<double> G = WtW(f.W);
  Matrix<double> WtV(K, f.H.cols());
  for (const Batch<double>& v : feed.blocks()) {
    multiply_WtV(f.W, v, WtV.data() + v.sample(0) * K);
    add_VHt(v, f.H.data() + v.sample(0) * K, K, VHt);
  }
  const Matrix<double> HHt = gram(f.H.data(), f.H.cols(), K);
}

// The products of one svrmu epoch: the snapshot's V H', then per batch W'V, V h', V hs' and the small ones.
void svrmu_products(ColumnFeed<double>& feed, const Factor& f, Index b, Order order) {
  const Index F = f.W.rows();
  const Index K = f.W.cols();
  RowMatrix<double> full = RowMatrix<double>::Zero(F, K);
  RowMatrix<double> up(F, K);
  RowMatrix<double> up_s(F, K);
  Matrix<double> HHt = Matrix<double>::Zero(K, K);
  Matrix<double> h;
  Matrix<double> WtV;
  Matrix<double> Gh;
  for (const Batch<double>& v : feed.blocks()) {
    take_columns(f.H, v, h);
    add_VHt(v, h.data(), K, full);
    HHt += gram(h.data(), v.count, K);
  }
  for (const Batch<double>& v : feed.batches(b, order)) {
    take_columns(f.H, v, h);
    const Matrix<double> G = WtW(f.W);
    WtV.resize(K, v.count);
    Gh.resize(K, v.count);
    multiply_WtV(f.W, v, WtV.data());
    parallel_tiles(v.count, column_tile, [&](Index x, Index y) {
      gemm(Op::plain, Op::plain, K, y - x, K, 1.0, G.data(), K, h.data() + x * K, K, 0.0, Gh.data() + x * K,
           K);
    });
    up.setZero();
    up_s.setZero();
    add_VHt(v, h.data(), K, up, h.data(), &up_s);
    const Matrix<double> hht = gram(h.data(), v.count, K);
    const Matrix<double> hsht = gram(h.data(), v.count, K);
    Combination<double>().add(1, f.W, hht).evaluate(F, K);
    Combination<double>().add(1, f.W, hsht).evaluate(F, K);
  }
}

template <class M>
double epoch_seconds(const M& V, const SolverOptions& solver, const Factor& start) {
  FitOptions<double> options{.rank = start.W.cols()};
  options.stopping = {.max_epochs = 3, .relative_change = 0};
  options.given = {.W = start.W, .H = start.H};
  const auto result = fit(*view(V), solver, options);
  // The first epoch of svrmu makes its own snapshot; the later ones find it made.
  return (result.history[3].solver_seconds - result.history[1].solver_seconds) / 2;
}

void bench_shape(Index F, Index N, Index K, int rounds) {
  const Matrix<double> V = make_data(F, N, K);
  const auto source = view(V);
  const Team alone{};
  ColumnFeed<double> feed(*source, alone, 0, 1.0, {});
  const Factor f{RowMatrix<double>::Constant(F, K, 0.5) + 0.1 * RowMatrix<double>::Random(F, K),
                 Matrix<double>::Constant(K, N, 0.5) + 0.1 * Matrix<double>::Random(K, N)};
  const Index b = std::max<Index>(5 * K, 256);

  std::vector<double> mu_share, hals_share, svrmu_share, cyclic_share;
  for (int r = 0; r < rounds; ++r) {
    double mu_alone = 0;
    double hals_alone = 0;
    double svrmu_alone = 0;
    double cyclic_alone = 0;
    {
      const ThreadScope threads(0);
      mu_alone = seconds([&] { mu_products(feed, f); });
      hals_alone = seconds([&] { hals_products(feed, f); });
      cyclic_alone = seconds([&] { svrmu_products(feed, f, b, Order::cyclic); });
      svrmu_alone = seconds([&] { svrmu_products(feed, f, b, Order::permute_once); });
    }
    const double mu = epoch_seconds(V, MuOptions{}, f);
    const double hals = epoch_seconds(V, HalsOptions{}, f);
    const double cyclic = epoch_seconds(V, SvrmuOptions{.order = Order::cyclic}, f);
    const double svrmu = epoch_seconds(V, SvrmuOptions{}, f);
    mu_share.push_back(mu_alone / mu);
    hals_share.push_back(hals_alone / hals);
    cyclic_share.push_back(cyclic_alone / cyclic);
    svrmu_share.push_back(svrmu_alone / svrmu);
  }
  std::printf("dense %ld x %ld, K = %ld, %d threads, median of %d rounds\n", static_cast<long>(F),
              static_cast<long>(N), static_cast<long>(K), available_threads(), rounds);
  std::printf(
      "  products / epoch      mu %.2f   hals %.2f   svrmu %.2f (permute_once)   %.2f (cyclic), b = %ld\n",
      median(mu_share), median(hals_share), median(svrmu_share), median(cyclic_share), static_cast<long>(b));
}

// Epochs of a V whose rows are contiguous over those of one whose columns are.
void bench_layouts(Index F, Index N, Index K, int rounds) {
  const Matrix<double> V = make_data(F, N, K);
  const RowMatrix<double> rows = V;
  const Factor f{RowMatrix<double>::Constant(F, K, 0.5) + 0.1 * RowMatrix<double>::Random(F, K),
                 Matrix<double>::Constant(K, N, 0.5) + 0.1 * Matrix<double>::Random(K, N)};
  std::printf("rows contiguous / columns contiguous, dense %ld x %ld, K = %ld, median of %d rounds\n ",
              static_cast<long>(F), static_cast<long>(N), static_cast<long>(K), rounds);
  for (const char* name : {"mu", "smu", "onmf", "inc-hals", "svrmu", "svrmu-acc"}) {
    std::vector<double> ratio;
    for (int r = 0; r < rounds; ++r) {
      const double by_columns = epoch_seconds(V, solver_named(name), f);
      ratio.push_back(epoch_seconds(rows, solver_named(name), f) / by_columns);
    }
    std::printf("   %s %.2f", name, median(ratio));
    std::fflush(stdout);
  }
  std::printf("\n");
}

// In a process of its own: memory that earlier work gave back would hide what the fit asks for.
void bench_memory(Index F, Index N, Index K) {
  const pid_t child = fork();
  if (child > 0) {
    waitpid(child, nullptr, 0);
    return;
  }
  const Matrix<double> V = make_data(F, N, K);
  const Factor f{RowMatrix<double>::Constant(F, K, 0.5), Matrix<double>::Constant(K, N, 0.5)};
  const double before = megabytes("VmRSS:");
  epoch_seconds(V, SvrmuOptions{}, f);
  const double used = megabytes("VmHWM:") - before;
  const double mega = 8.0 / 1024 / 1024;
  const double factors = mega * static_cast<double>(K * (F + N));
  // The options' copy of the start, the iterate, its epoch's start (svrmu's snapshot), checkpoint and result;
  // sums.
  const double stored = 5 * factors + mega * 7 * static_cast<double>(F * K);
  const auto b = static_cast<double>(std::max<Index>(5 * K, 256));
  std::printf(
      "memory of a svrmu fit beyond V, %ld x %ld, K = %ld: %.0f MB; factors and what the method stores: %.0f "
      "MB; "
      "a batch: %.1f MB\n",
      static_cast<long>(F), static_cast<long>(N), static_cast<long>(K), used, stored,
      mega * static_cast<double>(F) * b);
  std::fflush(stdout);
  _exit(0);
}

}  // namespace

int main(int argc, char** argv) {
  const int rounds = argc > 1 ? std::atoi(argv[1]) : 7;
  bench_memory(1000, 20000, 20);
  bench_memory(2000, 20000, 50);
  bench_shape(1000, 20000, 20, rounds);
  bench_shape(2000, 20000, 50, rounds);
  bench_layouts(1000, 20000, 20, rounds);
  return 0;
}
