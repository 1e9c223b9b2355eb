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

constexpr SvrmuOptions replacing{.correction = Correction::replace, .h_repeats = 2};

TEST(Svrmu, ReplacesEachBatchsPartOfTheSums) {
  const double a = 0.8;
  SolverRun run(replacing, term_with(some_penalties), a);
  const SmallExample e;
  const Penalties& p = some_penalties;
  M W = e.W;
  M H = e.H;
  for (int epoch = 0; epoch < 3; ++epoch) {
    run.epoch();
    for (const Range& B : batches_of_4) {
      H.middleCols(B.first, B.count) =
          step_h(W, e.V.middleCols(B.first, B.count), H.middleCols(B.first, B.count), 2, p.l1_h, p.l2_h);
      step_W(W, e.V * H.transpose(), W * H * H.transpose(), a, p.l1_w, p.l2_w);
    }
  }
  run.expect(W, H);
}

// The sums V H' and H H' do not depend on W: those of the batches are the next snapshot's.
TEST(Svrmu, WithReplacedPartsReadsVOncePerEpoch) {
  SolverRun run(replacing, DataTerm<double>{});
  run.epoch();
  EXPECT_EQ(run.feed.columns_read(), 6 + 6);
  EXPECT_EQ(run.feed.gradient_count(), 4 * 6);
  run.epoch();
  EXPECT_EQ(run.feed.columns_read(), 6 + 6 + 6);
  EXPECT_EQ(run.feed.gradient_count(), 4 * 12);
}

// Each part bounds the loss of its batch from above, as a function of W, and touches it at the W of its time.
// W is where the sum of all parts is least. Where batches stay the same their parts are kept, and epochs
// begin further along the last move; else parts are made anew at the snapshot.
class ReplacedParts {
 public:
  ReplacedParts(double of_beta, bool are_kept) : beta(of_beta), kept(are_kept) {}

  double exponent() const { return beta < 1 ? 1 / (2 - beta) : beta > 2 ? 1 / (beta - 1) : 1; }

  void epoch(const std::vector<std::vector<Index>>& batches) {
    if (!kept || parts.empty()) {
      parts.clear();
      for (const std::vector<Index>& B : batches) parts.push_back(part(B));
    }
    const M W_start = W;
    const M H_start = H;
    if (kept && W_before.size() > 0) {
      W = extrapolated(W, W_before);
      H = extrapolated(H, H_before);
      for (Part& p : parts)
        p.up = (p.up.array() * (W.array() / W_start.array()).pow(1 / exponent())).matrix();
    }
    for (std::size_t i = 0; i < batches.size(); ++i) {
      move_h(batches[i]);
      parts[i] = part(batches[i]);
      M up = M::Zero(4, 2);
      M down = M::Zero(4, 2);
      for (const Part& p : parts) {
        up += p.up;
        down += p.down;
      }
      W = floored((up.array() / down.array()).pow(exponent()).matrix());
    }
    W_before = W_start;
    H_before = H_start;
  }

  const SmallExample e;
  M W = e.W;
  M H = e.H;

 private:
  struct Part {
    M up, down;
  };
  Part part(const std::vector<Index>& B) const {
    const M h = H(Eigen::all, B);
    const Eigen::ArrayXXd v = e.V(Eigen::all, B).array();
    const Eigen::ArrayXXd x = (W * h).array();
    const Eigen::ArrayXXd up = ((v * x.pow(beta - 2)).matrix() * h.transpose()).array();
    const Eigen::ArrayXXd down = (x.pow(beta - 1).matrix() * h.transpose()).array();
    return {(up * W.array().pow(beta > 2 ? 0 : 2 - beta)).matrix(),
            (down * W.array().pow(beta < 1 ? 0 : 1 - beta)).matrix()};
  }
  void move_h(const std::vector<Index>& B) {
    const M h = H(Eigen::all, B);
    const Eigen::ArrayXXd v = e.V(Eigen::all, B).array();
    const Eigen::ArrayXXd x = (W * h).array();
    const Eigen::ArrayXXd up = (W.transpose() * (v * x.pow(beta - 2)).matrix()).array();
    const Eigen::ArrayXXd down = (W.transpose() * x.pow(beta - 1).matrix()).array();
    H(Eigen::all, B) = floored((h.array() * (up / down).pow(exponent())).matrix());
  }
  static M extrapolated(const M& now, const M& last) {
    const Eigen::ArrayXXd x = now.array();
    const Eigen::ArrayXXd y = last.array();
    return (x >= y).select(x * (1 + 0.8 * (x / y - 1)), x / (1 + 0.8 * (y / x - 1))).matrix();
  }

  double beta;
  bool kept;
  std::vector<Part> parts;
  M W_before, H_before;
};

TEST(Svrmu, ReplacesPartsThatWereMadeAtTheWOfTheirTime) {
  for (const Order order : {Order::cyclic, Order::reshuffle})
    for (const double beta : {0.0, 0.5, 1.0, 1.5, 3.0}) {
      SCOPED_TRACE(testing::Message() << beta << (order == Order::cyclic ? ", kept" : ", made anew"));
      ReplacedParts expected(beta, order == Order::cyclic);
      DataTerm<double> term;
      term.beta = beta;
      term.exponent = expected.exponent();
      SolverRun run(SvrmuOptions{.correction = Correction::replace, .order = order}, term);
      ColumnFeed<double> same{*run.source, run.alone, 0, 1.0, {}};
      for (int epoch = 1; epoch <= 3; ++epoch) {
        std::vector<std::vector<Index>> batches;
        same.begin_epoch(epoch);
        for (const Batch<double>& v : same.batches(4, order)) {
          batches.emplace_back();
          for (Index j = 0; j < v.count; ++j) batches.back().push_back(v.sample(j));
        }
        expected.epoch(batches);
        run.epoch();
      }
      run.expect(expected.W, expected.H);
    }
}

TEST(Svrmu, WithKeptPartsReadsVOncePerEpoch) {
  DataTerm<double> term;
  term.beta = 1;
  SolverRun run(replacing, term);
  run.epoch();
  EXPECT_EQ(run.feed.columns_read(), 6 + 6);
  run.epoch();
  EXPECT_EQ(run.feed.columns_read(), 6 + 6 + 6);
  EXPECT_EQ(run.feed.gradient_count(), 4 * 12);
}

// Kept parts are those of the epoch that was undone: the next one begins as a first one does.
TEST(Svrmu, WithReplacedPartsTheEpochAfterAnUndoneOneIsPlain) {
  for (const double beta : {2.0, 1.0}) {
    DataTerm<double> term;
    term.beta = beta;
    SolverRun run(replacing, term);
    run.epoch();
    run.epoch();
    const Factors<double> start = run.f;
    run.epoch();
    run.f = start;
    run.solver().roll_back();
    run.epoch();
    SolverRun fresh(replacing, term);
    fresh.f = start;
    fresh.epoch();
    run.expect(fresh.f.W, fresh.f.H);
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
