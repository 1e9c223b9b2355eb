// mu-ext: epochs against the rule written out, and what its guard does.
#include "svrmu/svrmu.hpp"

#include "small_example.hpp"

namespace svrmu {
namespace {

// x (1 + a (x/b - 1)) where x has grown, x / (1 + a (b/x - 1)) where it has shrunk.
M further(const M& x, const M& before, double a) {
  M y = x;
  for (Index i = 0; i < x.size(); ++i) {
    const double now = x.data()[i];
    const double last = before.data()[i];
    y.data()[i] = now >= last ? now * (1 + a * (now / last - 1)) : now / (1 + a * (last / now - 1));
  }
  return floored(y);
}

DataTerm<double> kl_term() {
  DataTerm<double> term;
  term.beta = 1;
  return term;
}

M kl_step_h(const M& W, const M& V, const M& H) {
  const M up = W.transpose() * divided(V, W * H);
  return floored(scaled_by(H, divided(up, W.colwise().sum().transpose().replicate(1, H.cols()))));
}
M kl_step_W(const M& W, const M& V, const M& H) {
  const M up = divided(V, W * H) * H.transpose();
  return floored(scaled_by(W, divided(up, H.rowwise().sum().transpose().replicate(W.rows(), 1))));
}

TEST(MuExt, BeginsWithAPlainEpoch) {
  SolverRun run(MuExtOptions{}, kl_term());
  run.epoch();
  const SmallExample e;
  const M H = kl_step_h(e.W, e.V, e.H);
  run.expect(kl_step_W(e.W, e.V, H), H);
}

TEST(MuExt, ThenStepsFromExtrapolatedFactors) {
  for (const double step : {1.0, 0.25}) {
    SolverRun run(MuExtOptions{}, kl_term(), step);
    run.epoch();
    run.epoch();
    const SmallExample e;
    const M H1 = kl_step_h(e.W, e.V, e.H);
    const M W1 = kl_step_W(e.W, e.V, H1);
    const M H2 = kl_step_h(W1, e.V, further(H1, e.H, step));
    run.expect(kl_step_W(further(W1, e.W, step), e.V, H2), H2);
  }
}

TEST(MuExt, IsPlainAfterARollBack) {
  SolverRun run(MuExtOptions{}, kl_term());
  run.epoch();
  run.solver().roll_back();
  run.epoch();
  const SmallExample e;
  const M H1 = kl_step_h(e.W, e.V, e.H);
  const M W1 = kl_step_W(e.W, e.V, H1);
  const M H2 = kl_step_h(W1, e.V, H1);
  run.expect(kl_step_W(W1, e.V, H2), H2);
}

TEST(MuExt, CountsEachEntryOfVOnce) {
  SolverRun run(MuExtOptions{}, kl_term());
  run.epoch();
  EXPECT_EQ(run.feed.gradient_count(), 24);
}

// Long enough for extrapolation to go too far now and then.
TEST(MuExt, IsAheadOfMuAndNeverRises) {
  const SmallExample e;
  const Matrix<double> V = e.V.array() + 0.05;
  for (const Loss loss : {Loss::kullback_leibler(), Loss::itakura_saito(), Loss::beta_divergence(1.5)}) {
    FitOptions<double> options{.rank = 3, .loss = loss, .seed = 4};
    options.stopping = {.max_epochs = 200, .relative_change = 0};
    const auto plain = fit(*view(V), MuOptions{}, options);
    const auto extrapolated = fit(*view(V), MuExtOptions{}, options);
    EXPECT_LT(extrapolated.record().objective, plain.record().objective) << to_string(loss);
    for (std::size_t i = 1; i < extrapolated.history.size(); ++i)
      EXPECT_LE(extrapolated.history[i].objective,
                extrapolated.history[i - 1].objective + 1e-13 * extrapolated.history.front().objective);
  }
}

TEST(MuExt, RefusesToLookAwayBetweenEpochs) {
  const SmallExample e;
  const Matrix<double> V = e.V;
  FitOptions<double> options{.rank = 2};
  options.evaluate_every = 5;
  EXPECT_THROW(fit(*view(V), MuExtOptions{}, options), InvalidInput);
}

}  // namespace
}  // namespace svrmu
