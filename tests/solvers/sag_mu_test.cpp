// Section 1.5, "fast" (SAGA) form.
#include "small_example.hpp"

namespace svrmu {
namespace {

void expect_sag(int repeats, double a, const Penalties& p, int epochs) {
  SolverRun run(SagMuOptions{.h_repeats = repeats}, term_with(p), a);
  for (int epoch = 0; epoch < epochs; ++epoch) run.epoch();

  const SmallExample e;
  const double N = 6;
  M W = e.W;
  M H = e.H;
  M old_minus[2];
  M old_plus[2];
  M S_minus = M::Zero(4, 2);
  M S_plus = M::Zero(4, 2);
  for (int epoch = 0; epoch < epochs; ++epoch)
    for (int i = 0; i < 2; ++i) {
      const Range B = batches_of_4[i];
      const double b = double(B.count);
      const M v = e.V.middleCols(B.first, B.count);
      const M h = step_h(W, v, H.middleCols(B.first, B.count), repeats, p.l1_h, p.l2_h);
      H.middleCols(B.first, B.count) = h;
      const M minus = v * h.transpose();
      const M plus = W * (h * h.transpose());
      M P = minus / b;
      M Q = plus / b;
      if (epoch > 0) {
        P += S_minus / N + old_plus[i] / b;
        Q += S_plus / N + old_minus[i] / b;
        S_minus -= old_minus[i];
        S_plus -= old_plus[i];
      }
      step_W(W, P, Q, a, p.l1_w / N, p.l2_w / N);
      S_minus += minus;
      S_plus += plus;
      old_minus[i] = minus;
      old_plus[i] = plus;
    }
  run.expect(W, H);
}

TEST(SagMu, FirstFillsItsTableWithPlainSteps) { expect_sag(1, 1, {}, 1); }
TEST(SagMu, ThenCorrectsEachBatchByItsStoredGradient) { expect_sag(1, 1, {}, 4); }
TEST(SagMu, RepeatsTheHStep) { expect_sag(5, 1, {}, 2); }
TEST(SagMu, DampsTheWStep) { expect_sag(1, 0.3, {}, 3); }
TEST(SagMu, SpreadsThePenaltiesOverTheSamples) { expect_sag(1, 1, some_penalties, 3); }

TEST(SagMu, PreparingAgainForgetsItsTable) {
  SolverRun run(SagMuOptions{}, DataTerm<double>{});
  expect_prepare_forgets(run, 2);
}

}  // namespace
}  // namespace svrmu
