// How soon `fast` (or another solver) is within 10, 1 and 0.1 % of the best objective, in product times: one
// product time is one W'V of that shape and precision, in column chunks of single-threaded OpenBLAS on all
// threads, measured throughout the same run. Everything that fit() does is on the clock. Usage:
// svrmu_fast_bench [sets, e.g. lowrank,large] [solvers, e.g. fast,hals-ext] [seeds] [seconds] [cpu]; the last
// word asks for one thread and processor time.
#include <cblas.h>
#include <time.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <limits>
#include <string>
#include <vector>

#include "data/random.hpp"
#include "linalg/parallel.hpp"
#include "svrmu/svrmu.hpp"

namespace {

using namespace svrmu;

// On a busy machine wall time says little: then one thread and its processor time.
bool on_one_thread = false;

double now() {
  if (!on_one_thread)
    return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
  timespec t{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
  return static_cast<double>(t.tv_sec) + 1e-9 * static_cast<double>(t.tv_nsec);
}

double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return values.empty() ? std::numeric_limits<double>::quiet_NaN() : values[values.size() / 2];
}

std::vector<std::string> split(const std::string& text) {
  std::vector<std::string> parts;
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t end = std::min(text.find(',', begin), text.size());
    parts.push_back(text.substr(begin, end - begin));
    begin = end + 1;
  }
  return parts;
}

struct Set {
  std::string name;
  std::string what;
  Index F, N, K;
  Index components;  // that V is made of
  double decay;      // component k weighs (k + 1)^-decay
  double zeros;      // share of zeros in both factors
  double noise;      // norm of the noise over that of the product
  bool single;
};

const std::vector<Set> sets = {
    {"lowrank", "factors 70 % dense, 5 % noise", 1000, 20000, 20, 20, 0, 0.3, 0.05, false},
    {"lowrank32", "factors 70 % dense, 5 % noise", 1000, 20000, 20, 20, 0, 0.3, 0.05, true},
    {"full", "factors without zeros, 5 % noise", 1000, 20000, 20, 20, 0, 0, 0.05, false},
    {"parts", "factors 10 % dense, 10 % noise", 1200, 10000, 40, 40, 0, 0.9, 0.1, false},
    {"powerlaw", "150 power-law components + 50 % noise", 1500, 8000, 30, 150, 1, 0, 0.5, false},
    {"large", "factors half dense, 5 % noise", 2000, 100000, 50, 50, 0, 0.5, 0.05, true},
    {"small", "noise-free", 300, 1000, 10, 10, 0, 0, 0, false},
};

template <class Scalar>
void multiply(int m, int n, int k, const Scalar* A, const Scalar* B, Scalar* C, bool transposed) {
  const auto op = transposed ? CblasTrans : CblasNoTrans;
  if constexpr (sizeof(Scalar) == 8)
    cblas_dgemm(CblasColMajor, op, CblasNoTrans, m, n, k, 1, A, transposed ? k : m, B, k, 0, C, m);
  else
    cblas_sgemm(CblasColMajor, op, CblasNoTrans, m, n, k, 1, A, transposed ? k : m, B, k, 0, C, m);
}

template <class Scalar>
Matrix<Scalar> make_data(const Set& s) {
  const ThreadScope threads(0);
  const Random random(1, Purpose::made_w);
  const Random normal(1, Purpose::made_noise);
  // Half-normal, or zero.
  const auto value = [&](Index i, Index k) {
    return random.uniform(i, k + s.components) < s.zeros ? 0 : std::abs(random.normal(i, k));
  };
  RowMatrix<Scalar> W(s.F, s.components);
  Matrix<Scalar> H(s.components, s.N);
  for (Index i = 0; i < s.F; ++i)
    for (Index k = 0; k < s.components; ++k)
      W(i, k) = static_cast<Scalar>(value(i, k) * std::pow(static_cast<double>(k + 1), -s.decay));
  parallel_for(s.N, [&](Index j) {
    for (Index k = 0; k < s.components; ++k) H(k, j) = static_cast<Scalar>(value(s.F + j, k));
  });
  Matrix<Scalar> V(s.F, s.N);
  parallel_tiles(s.N, 500, [&](Index a, Index b) {
    multiply(static_cast<int>(s.F), static_cast<int>(b - a), static_cast<int>(s.components), W.data(),
             H.data() + a * s.components, V.data() + a * s.F, true);
  });
  const Matrix<double> part = V.leftCols(std::min<Index>(s.N, 1000)).template cast<double>();
  const double size = std::sqrt(part.array().square().mean());
  if (s.noise > 0)
    parallel_for(s.N, [&](Index j) {
      for (Index i = 0; i < s.F; ++i)
        V(i, j) = static_cast<Scalar>(
            std::max(0.0, static_cast<double>(V(i, j)) + s.noise * size * normal.normal(i, j)));
    });
  return V;
}

// One product W'V in column chunks, in seconds: the best of a few.
template <class Scalar>
double product_time(const Matrix<Scalar>& V, Index K) {
  const ThreadScope threads(on_one_thread ? 1 : 0);
  const RowMatrix<Scalar> W = RowMatrix<Scalar>::Constant(V.rows(), K, Scalar(0.5));
  static Matrix<Scalar> out;
  out.resize(K, V.cols());
  double best = std::numeric_limits<double>::infinity();
  for (int i = 0; i < 5; ++i) {
    const double begin = now();
    parallel_tiles(V.cols(), std::min<Index>(1000, (V.cols() + 1) / 2), [&](Index a, Index b) {
      multiply(static_cast<int>(K), static_cast<int>(b - a), static_cast<int>(V.rows()), W.data(),
               V.data() + a * V.rows(), out.data() + a * K, false);
    });
    best = std::min(best, now() - begin);
  }
  return best;
}

struct Point {
  double seconds;  // since the call of fit()
  double solver_seconds;
  double objective;
};
struct Trace {
  std::string solver;
  std::uint64_t seed;
  double product;
  std::vector<Point> points;
};

template <class Scalar>
Trace run(const Matrix<Scalar>& V, const Set& s, const std::string& solver, std::uint64_t seed,
          double seconds) {
  Trace trace{solver, seed, product_time(V, s.K), {}};
  FitOptions<Scalar> options{.rank = s.K, .seed = seed};
  options.threads = on_one_thread ? 1 : 0;
  options.stopping = {.max_epochs = 100000, .relative_change = 1e-7, .time_limit_seconds = seconds};
  const double begin = now();
  options.observer = [&](const EpochRecord& report) {
    trace.points.push_back({now() - begin, report.solver_seconds, report.objective});
    return Flow::keep_going;
  };
  fit(*view(V), solver_named(solver), options);
  trace.product = std::min(trace.product, product_time(V, s.K));
  return trace;
}

template <class Scalar>
void bench(const Set& s, const std::vector<std::string>& solvers, int seeds, double seconds) {
  const Matrix<Scalar> V = make_data<Scalar>(s);
  std::vector<Trace> traces;
  for (int seed = 1; seed <= seeds; ++seed)
    for (const std::string& solver : solvers)
      traces.push_back(run(V, s, solver, static_cast<std::uint64_t>(seed), seconds));
  double best = std::numeric_limits<double>::infinity();
  for (const Trace& t : traces)
    for (const Point& p : t.points) best = std::min(best, p.objective);
  std::printf("%s: %ld x %ld %s, K = %ld, %s; best f %.7g; a product takes %.2f ms\n", s.name.c_str(),
              static_cast<long>(s.F), static_cast<long>(s.N), s.single ? "float" : "double",
              static_cast<long>(s.K), s.what.c_str(), best, 1e3 * traces.front().product);
  for (const std::string& solver : solvers) {
    std::vector<std::vector<double>> to_gap(3);
    std::vector<std::vector<double>> solver_only(3);
    std::vector<std::vector<double>> seconds_to(3);
    double end_gap = 0;
    for (const Trace& t : traces) {
      if (t.solver != solver) continue;
      constexpr double gaps[3] = {0.1, 0.01, 0.001};
      for (std::size_t g = 0; g < 3; ++g) {
        const auto at = std::find_if(t.points.begin(), t.points.end(),
                                     [&](const Point& p) { return p.objective <= (1 + gaps[g]) * best; });
        const bool reached = at != t.points.end();
        const double never = std::numeric_limits<double>::infinity();
        to_gap[g].push_back(reached ? at->seconds / t.product : never);
        seconds_to[g].push_back(reached ? at->seconds : never);
        solver_only[g].push_back(reached ? at->solver_seconds / t.product : never);
      }
      end_gap = std::max(end_gap, t.points.back().objective / best - 1);
      if (std::getenv("SVRMU_BENCH_TRACE") != nullptr)
        for (const Point& p : t.points)
          std::printf("    %s seed %lu: %.2f pt, objective %.8g, gap %.4f %%\n", solver.c_str(),
                      static_cast<unsigned long>(t.seed), p.seconds / t.product, p.objective,
                      100 * (p.objective / best - 1));
    }
    std::printf("  %-9s pt to 10 / 1 / 0.1 %%: %6.1f %6.1f %6.1f", solver.c_str(), median(to_gap[0]),
                median(to_gap[1]), median(to_gap[2]));
    if (!on_one_thread)  // the solver's own clock is wall time
      std::printf("   s %7.3f %7.3f %7.3f   solver alone, pt %6.1f %6.1f %6.1f", median(seconds_to[0]),
                  median(seconds_to[1]), median(seconds_to[2]), median(solver_only[0]),
                  median(solver_only[1]), median(solver_only[2]));
    std::printf("   seeds");
    for (std::size_t i = 0; i < to_gap[1].size(); ++i) std::printf(" %.1f/%.1f", to_gap[1][i], to_gap[2][i]);
    std::printf("   worst end gap %.1e\n", end_gap);
  }
  std::fflush(stdout);
}

}  // namespace

int main(int argc, char** argv) {
  const std::vector<std::string> names = split(argc > 1 ? argv[1] : "lowrank,parts,powerlaw,large");
  const std::vector<std::string> solvers = split(argc > 2 ? argv[2] : "fast,hals-ext");
  const int seeds = argc > 3 ? std::atoi(argv[3]) : 3;
  const double seconds = argc > 4 ? std::atof(argv[4]) : 20;
  on_one_thread = argc > 5 && std::string(argv[5]) == "cpu";
  openblas_set_num_threads(1);
  for (const Set& s : sets) {
    if (std::find(names.begin(), names.end(), s.name) == names.end()) continue;
    if (s.single)
      bench<float>(s, solvers, seeds, seconds);
    else
      bench<double>(s, solvers, seeds, seconds);
  }
  return 0;
}
