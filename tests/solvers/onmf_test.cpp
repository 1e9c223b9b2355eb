// Sections 1.2 and 3.
#include "small_example.hpp"

namespace svrmu {
namespace {

struct Settings {
  int epochs = 1;
  int repeats = 1;
  int w_repeats = 1;
  bool reset = true;
  Penalties p{};
};

void expect_onmf(const Settings& s) {
  SolverRun run(OnmfOptions{.h_repeats = s.repeats,
                            .w_repeats = s.w_repeats,
                            .statistics = s.reset ? Statistics::reset : Statistics::accumulate},
                term_with(s.p));
  for (int epoch = 0; epoch < s.epochs; ++epoch) run.epoch();

  const SmallExample e;
  M W = e.W;
  M H = e.H;
  M A = M::Zero(4, 2);
  M B = M::Zero(2, 2);
  double columns = 0;
  for (int epoch = 0; epoch < s.epochs; ++epoch) {
    if (s.reset) {
      A.setZero();
      B.setZero();
      columns = 0;
    }
    for (const Range& batch : batches_of_4) {
      const M v = e.V.middleCols(batch.first, batch.count);
      const M h = step_h(W, v, H.middleCols(batch.first, batch.count), s.repeats, s.p.l1_h, s.p.l2_h);
      H.middleCols(batch.first, batch.count) = h;
      A += v * h.transpose();
      B += h * h.transpose();
      columns += double(batch.count);
      for (int i = 0; i < s.w_repeats; ++i)
        step_W(W, A, W * B, 1, columns / 6 * s.p.l1_w, columns / 6 * s.p.l2_w);
    }
  }
  run.expect(W, H);
}

TEST(Onmf, StepsWFromTheSumsOfTheEpoch) { expect_onmf({}); }
TEST(Onmf, ForgetsTheSumsWithEachEpoch) { expect_onmf({.epochs = 3}); }
TEST(Onmf, CanAccumulateForEver) { expect_onmf({.epochs = 3, .reset = false}); }
TEST(Onmf, RepeatsTheHStep) { expect_onmf({.repeats = 5}); }
TEST(Onmf, RepeatsTheWStep) { expect_onmf({.w_repeats = 3}); }
TEST(Onmf, PenalisesByTheColumnsSeen) { expect_onmf({.epochs = 2, .p = some_penalties}); }
TEST(Onmf, PenalisesByAllColumnsEverSeenWhenAccumulating) {
  expect_onmf({.epochs = 2, .reset = false, .p = some_penalties});
}

TEST(Onmf, ReplacingKeepsOneContributionPerColumn) {
  SolverRun run(OnmfOptions{.statistics = Statistics::replace}, DataTerm<double>{});
  run.epoch();
  run.epoch();
  const SmallExample e;
  M W = e.W;
  M H = e.H;
  M counted = M::Zero(2, 6);  // the h that is in the statistics
  for (int epoch = 0; epoch < 2; ++epoch)
    for (const Range& batch : batches_of_4) {
      const M v = e.V.middleCols(batch.first, batch.count);
      H.middleCols(batch.first, batch.count) = step_h(W, v, H.middleCols(batch.first, batch.count));
      counted.middleCols(batch.first, batch.count) = H.middleCols(batch.first, batch.count);
      step_W(W, e.V * counted.transpose(), W * (counted * counted.transpose()));
    }
  run.expect(W, H);
}

TEST(ROnmf, AddsOutliersToTheDenominator) {
  const DataTerm<double> term = term_with_outliers(OutlierModel::multiplicative, 0.5);
  SolverRun run(ROnmfOptions{}, term);
  run.epoch();
  run.epoch();

  const SmallExample e;
  M W = e.W;
  M H = e.H;
  M R = e.R;
  for (int epoch = 0; epoch < 2; ++epoch) {
    M A = M::Zero(4, 2);
    M B = M::Zero(2, 2);
    M C = M::Zero(4, 2);
    for (const Range& batch : batches_of_4) {
      const M v = e.V.middleCols(batch.first, batch.count);
      M h = H.middleCols(batch.first, batch.count);
      M r = R.middleCols(batch.first, batch.count);
      h = floored(scaled_by(h, divided(W.transpose() * v, W.transpose() * (W * h + r))));
      r = scaled_by(r, divided(v, ((W * h + r).array() + 0.5).matrix()));
      A += v * h.transpose();
      B += h * h.transpose();
      C += r * h.transpose();
      step_W(W, A, W * B + C);
      H.middleCols(batch.first, batch.count) = h;
      R.middleCols(batch.first, batch.count) = r;
    }
  }
  run.expect(W, H);
  EXPECT_LE((run.f.R.dense - R).norm(), 1e-13);
}

}  // namespace
}  // namespace svrmu
