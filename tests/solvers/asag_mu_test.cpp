// Section 1.4.
#include "small_example.hpp"

namespace svrmu {
namespace {

void expect_asag(double lambda, double a, const Penalties& p, int epochs) {
  SolverRun run(AsagMuOptions{.memory_weight = lambda}, term_with(p), a);
  for (int epoch = 0; epoch < epochs; ++epoch) run.epoch();

  const SmallExample e;
  M W = e.W;
  M H = e.H;
  M minus = M::Zero(4, 2);
  M plus = M::Zero(4, 2);
  double filled = 0;
  for (int epoch = 0; epoch < epochs; ++epoch)
    for (const Range& B : batches_of_4) {
      const M v = e.V.middleCols(B.first, B.count);
      const M h = step_h(W, v, H.middleCols(B.first, B.count), 1, p.l1_h, p.l2_h);
      H.middleCols(B.first, B.count) = h;
      const double weight = lambda * 4 / double(B.count);  // a short batch does not count less
      minus = (1 - lambda) * minus + weight * v * h.transpose();
      plus = (1 - lambda) * plus + weight * W * (h * h.transpose());
      filled = (1 - lambda) * filled + lambda;
      const double share = filled * 4 / 6;
      step_W(W, minus, plus, a, share * p.l1_w, share * p.l2_w);
    }
  run.expect(W, H);
}

TEST(AsagMu, AveragesBothPartsOfTheGradient) { expect_asag(0.5, 1, {}, 3); }

TEST(AsagMu, DampsTheWStep) { expect_asag(0.3, 0.4, {}, 2); }

TEST(AsagMu, WeighsPenaltiesLikeTheData) { expect_asag(0.5, 1, some_penalties, 2); }

TEST(AsagMu, WithoutMemoryIsSmu) {
  SolverRun asag(AsagMuOptions{.memory_weight = 1}, DataTerm<double>{});
  SolverRun smu(SmuOptions{}, DataTerm<double>{});
  for (int epoch = 0; epoch < 3; ++epoch) {
    asag.epoch();
    smu.epoch();
  }
  asag.expect(smu.f.W, smu.f.H);
}

TEST(AsagMu, PreparingAgainForgetsEverything) {
  SolverRun run(AsagMuOptions{}, term_with(some_penalties));
  expect_prepare_forgets(run, 1);
}

}  // namespace
}  // namespace svrmu
