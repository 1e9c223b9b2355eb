// Section 1.6.
#include "small_example.hpp"

namespace svrmu {
namespace {

double objective(const SmallExample& e, const M& W, const M& H, const Penalties& p) {
  return (e.V - W * H).squaredNorm() / 2 + p.l1_w * W.sum() + p.l2_w / 2 * W.squaredNorm() +
         p.l1_h * H.sum() + p.l2_h / 2 * H.squaredNorm();
}

void expect_inc(int repeats, const Penalties& p, int epochs) {
  SolverRun run(IncMuOptions{.h_repeats = repeats}, term_with(p));
  const SmallExample e;
  M W = e.W;
  M H = e.H;
  double last = objective(e, W, H, p);
  for (int epoch = 0; epoch < epochs; ++epoch) {
    run.epoch();
    for (const Range& B : batches_of_4) {
      const M v = e.V.middleCols(B.first, B.count);
      H.middleCols(B.first, B.count) = step_h(W, v, H.middleCols(B.first, B.count), repeats, p.l1_h, p.l2_h);
      step_W(W, e.V * H.transpose(), W * (H * H.transpose()), 1, p.l1_w, p.l2_w);
      const double now = objective(e, W, H, p);
      EXPECT_LE(now, last * (1 + 1e-14)) << "the reference itself must descend";
      last = now;
    }
  }
  run.expect(W, H);
}

TEST(IncMu, StepsWFromTheExactSumsOfAllColumns) { expect_inc(1, {}, 1); }
TEST(IncMu, StaysExactOverManyEpochs) { expect_inc(1, {}, 30); }
TEST(IncMu, RepeatsTheHStep) { expect_inc(3, {}, 5); }
TEST(IncMu, TakesPenaltiesInFull) { expect_inc(1, some_penalties, 5); }

TEST(IncMu, LeavesTheSumsOfItsEndForTheObjective) {
  SolverRun run(IncMuOptions{}, DataTerm<double>{});
  run.epoch();
  ASSERT_NE(run.solver().sums(), nullptr);
  EXPECT_LE((run.solver().sums()->up - run.V * run.f.H.transpose()).norm(), 1e-13);
  EXPECT_LE((run.solver().sums()->HHt - run.f.H * run.f.H.transpose()).norm(), 1e-13);
}

TEST(IncMu, DoesNotCountItsFirstLookAtV) {
  SolverRun run(IncMuOptions{}, DataTerm<double>{});
  EXPECT_EQ(run.feed.columns_read(), 6);
  run.epoch();
  EXPECT_EQ(run.feed.gradient_count(), 24);
}

}  // namespace
}  // namespace svrmu
