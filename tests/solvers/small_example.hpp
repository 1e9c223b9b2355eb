// V 4 x 6, K = 2, in batches of 4 and 2: solvers against algorithms.md written out with plain Eigen.
#pragma once

#include <gtest/gtest.h>

#include <functional>

#include "solvers/algorithm.hpp"
#include "svrmu/penalties.hpp"

namespace svrmu {

using M = Eigen::MatrixXd;

constexpr double machine_floor = 0x1p-52;

struct SmallExample {
  SmallExample() : V(4, 6), W(4, 2), H(2, 6), R(4, 6) {
    V << 1.0, 0.5, 2.0, 0.0, 1.5, 0.7,  //
        0.2, 1.1, 0.9, 1.3, 0.0, 2.2,   //
        3.0, 0.4, 0.6, 1.8, 0.1, 0.3,   //
        0.8, 1.9, 1.2, 0.5, 2.5, 1.0;
    W << 0.9, 0.3,  //
        0.4, 1.2,   //
        0.7, 0.6,   //
        1.1, 0.2;
    H << 0.5, 1.0, 0.8, 0.3, 0.9, 0.6,  //
        1.2, 0.4, 0.7, 1.1, 0.2, 0.5;
    R = 0.1 * V.cwiseMax(0.05);
  }

  M V, W, H, R;
};

struct Range {
  Index first;
  Index count;
};
constexpr Range batches_of_4[] = {{0, 4}, {4, 2}};

inline M floored(const M& x) { return x.cwiseMax(machine_floor); }
inline M divided(const M& up, const M& down) { return (up.array() / down.array()).matrix(); }
inline M scaled_by(const M& x, const M& ratio) { return x.cwiseProduct(ratio); }

// W <- floor((1-a) W + a W .* (P ./ (Q + l1 + l2 W))).
inline void step_W(M& W, const M& P, const M& Q, double a = 1, double l1 = 0, double l2 = 0) {
  const M down = (Q.array() + l1 + l2 * W.array()).matrix();
  W = floored((1 - a) * W + a * scaled_by(W, divided(P, down)));
}

// H_B <- floor(H_B .* (W'V_B) ./ (W'W H_B + l1 + l2 H_B)), `repeats` times.
inline M step_h(const M& W, const M& v, M h, int repeats = 1, double l1 = 0, double l2 = 0) {
  for (int l = 0; l < repeats; ++l) {
    const M down = ((W.transpose() * W * h).array() + l1 + l2 * h.array()).matrix();
    h = floored(scaled_by(h, divided(W.transpose() * v, down)));
  }
  return h;
}

constexpr Penalties no_penalties{};
constexpr Penalties some_penalties{0.4, 0.3, 0.2, 0.1};

inline DataTerm<double> term_with(const Penalties& p) {
  DataTerm<double> term;
  term.on_w = {p.l1_w, p.l2_w};
  term.on_h = {p.l1_h, p.l2_h};
  return term;
}

// Sequential R by the multiplicative rule, or in closed form.
inline DataTerm<double> term_with_outliers(OutlierModel outliers, double lambda) {
  DataTerm<double> term;
  term.outliers = outliers;
  term.lambda = lambda;
  term.sequential = outliers == OutlierModel::multiplicative;
  return term;
}

// The library's solver on the small example.
class SolverRun {
 public:
  template <class Options>
  SolverRun(Options options, const DataTerm<double>& term, double step = 1) : step_(step) {
    if constexpr (requires { options.batch_size; }) {
      if (options.batch_size == 0) options.batch_size = 4;
      if (options.order == Order::permute_once) options.order = Order::cyclic;
    }
    solver_ = make_solver<double>(options, term);
    f.W = example.W;
    f.H = example.H;
    if (term.outliers == OutlierModel::multiplicative) f.R.dense = example.R;
    solver_->prepare(feed, f);
  }

  void epoch() {
    const Factors<double> start = f;
    feed.begin_epoch(++epochs_);
    solver_->epoch(feed, f, {step_, start});
  }
  Solver<double>& solver() { return *solver_; }

  void expect(const M& W, const M& H) const {
    EXPECT_LE((f.W - W).norm(), 1e-12 * W.norm()) << "W is\n" << f.W << "\nbut should be\n" << W;
    EXPECT_LE((f.H - H).norm(), 1e-12 * H.norm()) << "H is\n" << f.H << "\nbut should be\n" << H;
  }

  const SmallExample example;
  const Matrix<double> V = example.V;
  const std::unique_ptr<MatrixSource<double>> source = view(V);
  const Team alone{};
  ColumnFeed<double> feed{*source, alone, 0, 1.0, {}};
  Factors<double> f;

 private:
  double step_;
  Index epochs_ = 0;
  std::unique_ptr<Solver<double>> solver_;
};

// What fit() does when an epoch is undone: after prepare() the solver begins anew, whatever it has done
// before.
inline void expect_prepare_forgets(SolverRun& run, int epochs_before) {
  const Factors<double> start = run.f;
  run.epoch();
  const Factors<double> once = run.f;
  for (int epoch = 1; epoch < epochs_before; ++epoch) run.epoch();
  run.f = start;
  run.solver().prepare(run.feed, run.f);
  run.epoch();
  EXPECT_EQ(run.f.W, once.W);
  EXPECT_EQ(run.f.H, once.H);
}

}  // namespace svrmu
