// mu, mu-acc, r-nmf, hals, hals-acc: one epoch against section 4.
#include "small_example.hpp"

namespace svrmu {
namespace {

TEST(Mu, MovesHThenWWithTheNewH) {
  for (const Penalties& p : {no_penalties, some_penalties}) {
    SolverRun run(MuOptions{}, term_with(p));
    run.epoch();
    const SmallExample e;
    const M H = step_h(e.W, e.V, e.H, 1, p.l1_h, p.l2_h);
    M W = e.W;
    step_W(W, e.V * H.transpose(), e.W * (H * H.transpose()), 1, p.l1_w, p.l2_w);
    run.expect(W, H);
  }
}

TEST(Mu, CanMoveWFirst) {
  SolverRun run(MuOptions{.update_first = UpdateFirst::w}, DataTerm<double>{});
  run.epoch();
  const SmallExample e;
  M W = e.W;
  step_W(W, e.V * e.H.transpose(), e.W * (e.H * e.H.transpose()));
  run.expect(W, step_h(W, e.V, e.H));
}

TEST(Mu, CountsEachEntryOfVOnce) {
  for (const UpdateFirst first : {UpdateFirst::h, UpdateFirst::w}) {
    SolverRun run(MuOptions{.update_first = first}, DataTerm<double>{});
    run.epoch();
    EXPECT_EQ(run.feed.gradient_count(), 24);
  }
}

TEST(Mu, PutsPenaltiesInsideTheRatioBeforeTheExponent) {
  DataTerm<double> term = term_with(some_penalties);
  term.beta = 3;
  term.exponent = 0.5;
  SolverRun run(MuOptions{}, term);
  run.epoch();
  const SmallExample e;
  const auto ratio = [](const M& up, const M& plus, const M& x, double l1, double l2) {
    return M((up.array() / (plus.array() + l1 + l2 * x.array())).sqrt().matrix());
  };
  M x = e.W * e.H;
  const M H = e.H.cwiseProduct(
      ratio(e.W.transpose() * e.V.cwiseProduct(x), e.W.transpose() * x.cwiseProduct(x), e.H, 0.2, 0.1));
  x = e.W * H;
  const M W = e.W.cwiseProduct(
      ratio(e.V.cwiseProduct(x) * H.transpose(), x.cwiseProduct(x) * H.transpose(), e.W, 0.4, 0.3));
  run.expect(W, H);
}

TEST(RNmf, MovesHThenRThenW) {
  const DataTerm<double> term = term_with_outliers(OutlierModel::multiplicative, 0.5);
  SolverRun run(RNmfOptions{}, term);
  run.epoch();
  const SmallExample e;
  const M H = floored(scaled_by(e.H, divided(e.W.transpose() * e.V, e.W.transpose() * (e.W * e.H + e.R))));
  const M R = scaled_by(e.R, divided(e.V, ((e.W * H + e.R).array() + 0.5).matrix()));
  M W = e.W;
  step_W(W, e.V * H.transpose(), (e.W * H + R) * H.transpose());
  run.expect(W, H);
  EXPECT_LE((run.f.R.dense - R).norm(), 1e-13);
}

TEST(RNmf, InClosedFormFitsWhatOutliersLeave) {
  const DataTerm<double> term = term_with_outliers(OutlierModel::closed_form, 0.25);
  SolverRun run(RNmfOptions{}, term);
  run.epoch();
  const SmallExample e;
  const auto target = [&](const M& WH) { return M(e.V.cwiseMin((WH.array() + 0.25).matrix())); };
  const M H =
      floored(scaled_by(e.H, divided(e.W.transpose() * target(e.W * e.H), e.W.transpose() * e.W * e.H)));
  M W = e.W;
  step_W(W, target(e.W * H) * H.transpose(), e.W * H * H.transpose());
  run.expect(W, H);
}

// H_k <- max(((W'V)_k - sum_{j != k} (W'W)_kj H_j) / (W'W)_kk, e), rows in order.
void hals_rows(const M& G, const M& A, M& H, double l1 = 0, double l2 = 0) {
  for (Index k = 0; k < H.rows(); ++k) {
    M rest = A.row(k).array() - l1;
    for (Index j = 0; j < H.rows(); ++j)
      if (j != k) rest -= G(k, j) * H.row(j);
    H.row(k) = floored(rest / (G(k, k) + l2));
  }
}

TEST(Hals, SweepsRowsOfHThenColumnsOfW) {
  for (const Penalties& p : {no_penalties, some_penalties}) {
    SolverRun run(HalsOptions{.initial_scaling = false}, term_with(p));
    run.epoch();
    const SmallExample e;
    M H = e.H;
    hals_rows(e.W.transpose() * e.W, e.W.transpose() * e.V, H, p.l1_h, p.l2_h);
    M Wt = e.W.transpose();
    hals_rows(H * H.transpose(), H * e.V.transpose(), Wt, p.l1_w, p.l2_w);
    run.expect(Wt.transpose(), H);
  }
}

TEST(Hals, ScalesTheStartToFitVAndBalancesComponents) {
  SolverRun run(HalsOptions{}, DataTerm<double>{});
  const SmallExample e;
  const M WH = e.W * e.H;
  const double scale = e.V.cwiseProduct(WH).sum() / WH.squaredNorm();
  EXPECT_LE((run.f.W * run.f.H - scale * WH).norm(), 1e-13);
  for (Index k = 0; k < 2; ++k) EXPECT_NEAR(run.f.W.col(k).norm(), run.f.H.row(k).norm(), 1e-13);
}

TEST(HalsAcc, WithOneSweepIsHals) {
  SolverRun one(HalsAccOptions{.initial_scaling = false, .h_rule_limit = 1}, DataTerm<double>{});
  SolverRun hals(HalsOptions{.initial_scaling = false}, DataTerm<double>{});
  one.epoch();
  hals.epoch();
  one.expect(hals.f.W, hals.f.H);
}

TEST(HalsAcc, RepeatsSweepsUntilTheyBecomeSmall) {
  SolverRun run(HalsAccOptions{.initial_scaling = false, .h_rule_limit = 1000}, DataTerm<double>{});
  run.epoch();
  const SmallExample e;
  const auto repeat = [](const M& G, const M& A, M X) {
    double first = -1;
    for (;;) {
      const M before = X;
      hals_rows(G, A, X);
      const double change = (X - before).norm();
      if (first < 0) first = change;
      if (change < 0.1 * first) return X;
    }
  };
  const M H = repeat(e.W.transpose() * e.W, e.W.transpose() * e.V, e.H);
  const M Wt = repeat(H * H.transpose(), H * e.V.transpose(), e.W.transpose());
  run.expect(Wt.transpose(), H);
}

TEST(MuAcc, RepeatsStepsAsOftenAsTheWorkRatioAllows) {
  // rho_H = 1 + (FN + FK)/(N (K + 1)) = 1 + 32/18, rho_W = 1 + (FN + NK)/(F (K + 1)) = 1 + 36/12.
  SolverRun run(MuAccOptions{.work_ratio = 2, .h_rule_tolerance = 0}, DataTerm<double>{});
  run.epoch();
  const SmallExample e;
  const M H = step_h(e.W, e.V, e.H, 6);
  M W = e.W;
  for (int j = 0; j < 9; ++j) step_W(W, e.V * H.transpose(), W * (H * H.transpose()));
  run.expect(W, H);
}

TEST(MuAcc, CountsEachEntryOfVOnce) {
  SolverRun run(MuAccOptions{}, DataTerm<double>{});
  run.epoch();
  EXPECT_EQ(run.feed.gradient_count(), 24);
}

}  // namespace
}  // namespace svrmu
