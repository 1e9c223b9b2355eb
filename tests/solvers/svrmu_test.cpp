// Sections 2.1, 2.5 and 6.
#include "small_example.hpp"

namespace svrmu {
namespace {

struct Settings {
  int epochs = 1;
  int passes = 1;
  int steps = 0;  // in each epoch; 0: by passes
  int repeats = 1;
  double a = 1;
  Penalties p{};
};

struct Expected {
  M W, H;
};

Expected svrmu(const Settings& s) {
  const SmallExample e;
  M W = e.W;
  M H = e.H;
  const double N = 6;
  const int steps = s.steps > 0 ? s.steps : 2 * s.passes;
  for (int epoch = 0; epoch < s.epochs; ++epoch) {
    const M Ws = W;
    const M Hs = H;
    const M Qf = Ws * (Hs * Hs.transpose()) / N;
    const M Pf = e.V * Hs.transpose() / N;
    for (int i = 0; i < steps; ++i) {
      const Range& B = batches_of_4[(epoch * steps + i) % 2];
      const double b = double(B.count);
      const M v = e.V.middleCols(B.first, B.count);
      const M h = step_h(W, v, H.middleCols(B.first, B.count), s.repeats, s.p.l1_h, s.p.l2_h);
      const M hs = Hs.middleCols(B.first, B.count);
      const M Q = (W * (h * h.transpose()) + v * hs.transpose()) / b + Qf;
      const M P = (Ws * (hs * hs.transpose()) + v * h.transpose()) / b + Pf;
      step_W(W, P, Q, s.a, s.p.l1_w / N, s.p.l2_w / N);
      H.middleCols(B.first, B.count) = h;
    }
  }
  return {W, H};
}

void expect_svrmu(const Settings& s) {
  SvrmuOptions options{.inner_passes = s.passes, .h_repeats = s.repeats};
  if (s.steps > 0) options = {.inner_steps = s.steps, .h_repeats = s.repeats};
  SolverRun run(options, term_with(s.p), s.a);
  for (int epoch = 0; epoch < s.epochs; ++epoch) run.epoch();
  const Expected x = svrmu(s);
  run.expect(x.W, x.H);
}

TEST(Svrmu, CorrectsEachBatchByItsGradientAtTheSnapshot) { expect_svrmu({}); }

TEST(Svrmu, TakesANewSnapshotInEachEpoch) { expect_svrmu({.epochs = 4}); }

TEST(Svrmu, KeepsItsSnapshotOverSeveralPasses) { expect_svrmu({.epochs = 2, .passes = 3}); }

TEST(Svrmu, KeepsItsSnapshotForLessThanAPass) { expect_svrmu({.epochs = 5, .steps = 1}); }

TEST(Svrmu, KeepsItsSnapshotForAnyNumberOfSteps) { expect_svrmu({.epochs = 5, .steps = 5}); }

TEST(Svrmu, RepeatsTheHStep) { expect_svrmu({.epochs = 2, .repeats = 5}); }

TEST(Svrmu, DampsTheWStep) { expect_svrmu({.epochs = 2, .a = 0.3}); }

TEST(Svrmu, SpreadsThePenaltiesOverTheSamples) { expect_svrmu({.epochs = 2, .p = some_penalties}); }

// With b = N and h = hs the batch cancels out and the step is W .* (W + S P0) ./ ...: Q - P = full gradient.
TEST(Svrmu, WithOneBatchQMinusPIsTheGradientOfAll) {
  const SmallExample e;
  SolverRun run(SvrmuOptions{.batch_size = 6}, DataTerm<double>{});
  run.epoch();
  const double N = 6;
  const M h = step_h(e.W, e.V, e.H);
  const M gradient = (e.W * h * h.transpose() - e.V * h.transpose()) / N;
  const M Q = (e.W * (h * h.transpose()) + e.V * e.H.transpose()) / N + e.W * (e.H * e.H.transpose()) / N;
  run.expect(e.W - scaled_by(e.W, divided(gradient, Q)), h);
}

TEST(Svrmu, WithOneBatchStaysAtAStationaryPoint) {
  // Rank one and V = WH: the gradient vanishes, so W cannot move.
  SolverRun run(SvrmuOptions{.batch_size = 6}, DataTerm<double>{});
  const Matrix<double> V = run.f.W * run.f.H;
  const auto source = view(V);
  ColumnFeed<double> feed(*source, run.alone, 0, 1.0, {});
  const Factors<double> start = run.f;
  run.solver().epoch(feed, run.f, {1, start});
  EXPECT_LE((run.f.W - start.W).norm(), 1e-14);
}

TEST(Svrmu, CountsTheSnapshotAndEveryPass) {
  SolverRun run(SvrmuOptions{.inner_passes = 3}, DataTerm<double>{});
  run.epoch();
  EXPECT_EQ(run.feed.gradient_count(), 4 * 24);
}

TEST(Svrmu, CountsTheSnapshotAndTheStepsThatWereMade) {
  SolverRun run(SvrmuOptions{.inner_steps = 3}, DataTerm<double>{});
  run.epoch();  // 4 rows: all 6 columns for the snapshot, then batches of 4, 2 and 4
  EXPECT_EQ(run.feed.gradient_count(), 4 * 16);
  EXPECT_EQ(run.feed.columns_read(), 6 + 10 + 6);
  run.epoch();  // 2, 4 and 2; the snapshot was read at the end of the first epoch
  EXPECT_EQ(run.feed.gradient_count(), 4 * (16 + 14));
  EXPECT_EQ(run.feed.columns_read(), 22 + 8 + 6);
}

TEST(Svrmu, SplitsTheGradientOfEveryBeta) {
  for (const double beta : {0.5, 1.0, 1.5, 3.0}) {
    SCOPED_TRACE(beta);
    DataTerm<double> term;
    term.beta = beta;
    term.exponent = beta < 1 ? 1 / (2 - beta) : beta > 2 ? 1 / (beta - 1) : 1;
    SolverRun run(SvrmuOptions{.inner_passes = 2}, term);
    run.epoch();

    const SmallExample e;
    const double N = 6;
    M W = e.W;
    M H = e.H;
    const auto plus = [&](const M& at, const M& h) {
      return M((at * h).array().pow(beta - 1).matrix() * h.transpose());
    };
    const auto minus = [&](const M& at, const M& h, const M& v) {
      return M((v.array() * (at * h).array().pow(beta - 2)).matrix() * h.transpose());
    };
    const M Ws = W;
    const M Hs = H;
    for (int pass = 0; pass < 2; ++pass)
      for (const Range& B : batches_of_4) {
        const double b = double(B.count);
        const M v = e.V.middleCols(B.first, B.count);
        M h = H.middleCols(B.first, B.count);
        const Eigen::ArrayXXd x = (W * h).array();
        h = floored((h.array() * ((W.transpose() * (v.array() * x.pow(beta - 2)).matrix()).array() /
                                  (W.transpose() * x.pow(beta - 1).matrix()).array())
                                     .pow(term.exponent))
                        .matrix());
        const M hs = Hs.middleCols(B.first, B.count);
        const M Q = (plus(W, h) + minus(Ws, hs, v)) / b + plus(Ws, Hs) / N;
        const M P = (minus(W, h, v) + plus(Ws, hs)) / b + minus(Ws, Hs, e.V) / N;
        W = floored((W.array() * (P.array() / Q.array()).pow(term.exponent)).matrix());
        H.middleCols(B.first, B.count) = h;
      }
    run.expect(W, H);
  }
}

TEST(RSvrmu, CorrectsEachBatchWithOutliersInBothGradients) {
  for (const bool sequential : {false, true}) {
    DataTerm<double> term = term_with_outliers(OutlierModel::multiplicative, 0.5);
    term.sequential = sequential;
    SolverRun run(RSvrmuOptions{.inner_passes = 2, .h_repeats = 2}, term);
    run.epoch();

    const SmallExample e;
    const double N = 6;
    M W = e.W;
    M H = e.H;
    M R = e.R;
    const M Qf = (W * H + R) * H.transpose() / N;
    const M Pf = e.V * H.transpose() / N;
    for (int pass = 0; pass < 2; ++pass)
      for (const Range& B : batches_of_4) {
        const double b = double(B.count);
        const M v = e.V.middleCols(B.first, B.count);
        M h = H.middleCols(B.first, B.count);
        M r = R.middleCols(B.first, B.count);
        for (int l = 0; l < 2; ++l) {
          M X = W * h + r;
          h = floored(scaled_by(h, divided(W.transpose() * v, W.transpose() * X)));
          if (sequential) X = W * h + r;
          r = scaled_by(r, divided(v, (X.array() + 0.5).matrix()));
        }
        const M hs = e.H.middleCols(B.first, B.count);
        const M rs = e.R.middleCols(B.first, B.count);
        const M Q = ((W * h + r) * h.transpose() + v * hs.transpose()) / b + Qf;
        const M P = ((e.W * hs + rs) * hs.transpose() + v * h.transpose()) / b + Pf;
        step_W(W, P, Q);
        H.middleCols(B.first, B.count) = h;
        R.middleCols(B.first, B.count) = r;
      }
    run.expect(W, H);
    EXPECT_LE((run.f.R.dense - R).norm(), 1e-13);
  }
}

// Closed form: V is replaced by Y = min(V, WH + lambda), at the snapshot by that of (Ws, hs).
TEST(RSvrmu, InClosedFormRecomputesTheSnapshotsOutliers) {
  const DataTerm<double> term = term_with_outliers(OutlierModel::closed_form, 0.25);
  SolverRun run(RSvrmuOptions{.inner_passes = 2}, term);
  run.epoch();

  const SmallExample e;
  const double N = 6;
  const auto target = [](const M& v, const M& WH) { return M(v.cwiseMin((WH.array() + 0.25).matrix())); };
  M W = e.W;
  M H = e.H;
  const M Qf = W * H * H.transpose() / N;
  const M Pf = target(e.V, W * H) * H.transpose() / N;
  for (int pass = 0; pass < 2; ++pass)
    for (const Range& B : batches_of_4) {
      const double b = double(B.count);
      const M v = e.V.middleCols(B.first, B.count);
      M h = H.middleCols(B.first, B.count);
      h = floored(scaled_by(h, divided(W.transpose() * target(v, W * h), W.transpose() * W * h)));
      const M hs = e.H.middleCols(B.first, B.count);
      const M Q = (W * h * h.transpose() + target(v, e.W * hs) * hs.transpose()) / b + Qf;
      const M P = (e.W * hs * hs.transpose() + target(v, W * h) * h.transpose()) / b + Pf;
      step_W(W, P, Q);
      H.middleCols(B.first, B.count) = h;
    }
  run.expect(W, H);
}

TEST(Svrmu, AfterARollBackRepeatsTheEpochFromItsSnapshot) {
  SolverRun run(SvrmuOptions{}, DataTerm<double>{});
  const Factors<double> start = run.f;
  run.epoch();
  const Factors<double> once = run.f;
  run.f = start;
  run.solver().roll_back();
  run.epoch();
  EXPECT_EQ(run.f.W, once.W);
  EXPECT_EQ(run.f.H, once.H);
}

}  // namespace
}  // namespace svrmu
