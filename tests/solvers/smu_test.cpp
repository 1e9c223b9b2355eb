// Section 1.1.
#include "small_example.hpp"

namespace svrmu {
namespace {

struct Expected {
  M W, H;
};

Expected smu(double a, int repeats, const Penalties& p) {
  const SmallExample e;
  Expected x{e.W, e.H};
  for (const Range& B : batches_of_4) {
    const M v = e.V.middleCols(B.first, B.count);
    const M h = step_h(x.W, v, x.H.middleCols(B.first, B.count), repeats, p.l1_h, p.l2_h);
    x.H.middleCols(B.first, B.count) = h;
    const double share = double(B.count) / 6;
    step_W(x.W, v * h.transpose(), x.W * (h * h.transpose()), a, share * p.l1_w, share * p.l2_w);
  }
  return x;
}

TEST(Smu, StepsHThenWOnEachBatch) {
  SolverRun run(SmuOptions{}, DataTerm<double>{});
  run.epoch();
  const Expected x = smu(1, 1, {});
  run.expect(x.W, x.H);
}

TEST(Smu, RepeatsTheHStep) {
  SolverRun run(SmuOptions{.h_repeats = 5}, DataTerm<double>{});
  run.epoch();
  const Expected x = smu(1, 5, {});
  run.expect(x.W, x.H);
}

TEST(Smu, DampsTheWStep) {
  SolverRun run(SmuOptions{}, DataTerm<double>{}, 0.3);
  run.epoch();
  const Expected x = smu(0.3, 1, {});
  run.expect(x.W, x.H);
}

TEST(Smu, GivesEachBatchItsShareOfThePenalties) {
  SolverRun run(SmuOptions{}, term_with(some_penalties));
  run.epoch();
  const Expected x = smu(1, 1, some_penalties);
  run.expect(x.W, x.H);
}

TEST(Smu, WithSingleColumnsOnlyScalesTheRowsOfW) {
  SolverRun run(SmuOptions{.batch_size = 1}, DataTerm<double>{});
  run.epoch();
  const SmallExample e;
  const M ratio = divided(run.f.W, e.W).bottomRows(2);  // the others meet a zero of V and end at the floor
  EXPECT_LE((ratio.col(0) - ratio.col(1)).norm(), 1e-12 * ratio.norm());
}

TEST(Smu, LearnsNothingAboutWFromABatchOfZeros) {
  SolverRun run(SmuOptions{}, DataTerm<double>{});
  const Matrix<double> zero = Matrix<double>::Zero(4, 6);
  const auto source = view(zero);
  ColumnFeed<double> feed(*source, run.alone, 0, 1.0, {});
  const Factors<double> start = run.f;
  run.solver().epoch(feed, run.f, {1, start});
  EXPECT_EQ(run.f.W, start.W);
  EXPECT_EQ(run.f.H, (Matrix<double>::Constant(2, 6, machine_floor)));
}

TEST(Smu, CountsEveryBatch) {
  SolverRun run(SmuOptions{}, DataTerm<double>{});
  run.epoch();
  run.epoch();
  EXPECT_EQ(run.feed.gradient_count(), 48);
  EXPECT_EQ(run.feed.columns_read(), 12);
}

}  // namespace
}  // namespace svrmu
