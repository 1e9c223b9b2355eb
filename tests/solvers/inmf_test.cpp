// Section 1.3.
#include "small_example.hpp"

namespace svrmu {
namespace {

void expect_inmf(const InmfOptions& options, int epochs) {
  SolverRun run(options, DataTerm<double>{});
  for (int epoch = 0; epoch < epochs; ++epoch) run.epoch();

  const SmallExample e;
  M W = e.W;
  M H = e.H;
  M A = e.V * H.transpose();
  M B = H * H.transpose();
  for (int epoch = 0; epoch < epochs; ++epoch)
    for (const Range& batch : batches_of_4) {
      const M v = e.V.middleCols(batch.first, batch.count);
      M h = H.middleCols(batch.first, batch.count);
      const double alpha = options.new_weight * 4 / double(batch.count);
      M A_c;
      M B_c;
      double last = 0;
      for (int j = 0; j < options.inner_iterations; ++j) {
        h = step_h(W, v, h, 1, 1e-9);
        A_c = options.past_weight * A + alpha * v * h.transpose();
        B_c = options.past_weight * B + alpha * h * h.transpose();
        step_W(W, A_c, W * B_c, 1, 1e-9);
        const double o = (v - W * h).squaredNorm() / 4;
        if (j > 0 && (last - o) / o < options.inner_tolerance) break;
        last = o;
      }
      A = A_c;
      B = B_c;
      H.middleCols(batch.first, batch.count) = h;
    }
  run.expect(W, H);
}

TEST(Inmf, AveragesTheSumsOfBatches) { expect_inmf({}, 3); }

TEST(Inmf, WeighsPastAndPresent) { expect_inmf({.past_weight = 0.9, .new_weight = 0.1}, 3); }

TEST(Inmf, RepeatsBothStepsOnABatch) { expect_inmf({.inner_iterations = 7, .inner_tolerance = 0}, 2); }

TEST(Inmf, EndsTheInnerIterationsWhenTheResidualRests) {
  expect_inmf({.inner_iterations = 50, .inner_tolerance = 0.02}, 2);
}

TEST(Inmf, DoesNotCountItsFirstLookAtV) {
  SolverRun run(InmfOptions{}, DataTerm<double>{});
  EXPECT_EQ(run.feed.gradient_count(), 0);
  EXPECT_EQ(run.feed.columns_read(), 6);
  run.epoch();
  EXPECT_EQ(run.feed.gradient_count(), 24);
}

}  // namespace
}  // namespace svrmu
