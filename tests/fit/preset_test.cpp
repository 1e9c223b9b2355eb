// Algorithms 1 and 2 of Kasai (2018) and the robust rules, written out with plain Eigen for the columns that
// the library draws.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "small_fits.hpp"

namespace svrmu {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::ThrowsMessage;
using M = Eigen::MatrixXd;

constexpr Index F = 6;
constexpr Index N = 9;
constexpr Index K = 2;
constexpr int all_epochs = 3;

// Notes the columns of the passes that draw them.
class DrawnColumns final : public MatrixSource<double> {
 public:
  explicit DrawnColumns(const MatrixSource<double>& of) : of_(of) {}
  Index features() const override { return of_.features(); }
  Index samples() const override { return of_.samples(); }
  bool is_sparse() const override { return of_.is_sparse(); }
  Index stored() const override { return of_.stored(); }
  std::unique_ptr<BatchStream<double>> open(PassOrder order) const override {
    drawn.insert(drawn.end(), order.columns.begin(), order.columns.end());
    return of_.open(std::move(order));
  }
  mutable std::vector<Index> drawn;

 private:
  const MatrixSource<double>& of_;
};

M ratio(const M& up, const M& down) { return (up.array() / down.array()).matrix(); }

struct Printed {
  M W, H, R;
  // L = 1 is Algorithm 1 alone; without lambda there are no outliers.
  void run(const M& V, const std::vector<Index>& drawn, int L, double lambda) {
    const bool robust = lambda > 0;
    std::size_t next = 0;
    for (int s = 0; s < all_epochs; ++s) {
      const M Ws = W, Hs = H, Rs = R;
      const M Qf = (Ws * Hs + Rs) * Hs.transpose() / double(N);
      const M Pf = V * Hs.transpose() / double(N);
      for (Index t = 0; t < N; ++t) {
        const Index k = drawn[next++];
        const M v = V.col(k), hs = Hs.col(k), rs = Rs.col(k);
        const M h0 = H.col(k);
        M h = h0, r = R.col(k);
        for (int l = 1; l <= L; ++l) {
          const M before = h;
          h = h.cwiseProduct(ratio(W.transpose() * v, W.transpose() * W * h + W.transpose() * r));
          if (robust) r = r.cwiseProduct(ratio(v, (W * before + r).array() + lambda));
          if (L > 1 && (h - before).norm() < 0.1 * (h - h0).norm()) break;
        }
        const M Q = (W * h + r) * h.transpose() + v * hs.transpose() + Qf;
        const M P = v * h.transpose() + (Ws * hs + rs) * hs.transpose() + Pf;
        W = W - W.cwiseProduct(ratio(Q - P, Q));
        H.col(k) = h;
        R.col(k) = r;
      }
    }
  }
};

class Preset : public testing::Test {
 protected:
  Preset() {
    options = rank<double>(K);
    options.given.W = random_matrix<Matrix<double>>(F, K, 7).array() + 0.3;
    options.given.H = random_matrix<Matrix<double>>(K, N, 8).array() + 0.3;
    options.stopping = {.max_epochs = all_epochs, .relative_change = 0};
  }

  void expect_as_printed(const std::string& name, int L) {
    SCOPED_TRACE(name);
    const bool robust = name.starts_with("r-");
    OptionValues settings;
    Printed printed{*options.given.W, *options.given.H, M::Zero(F, N)};
    if (robust) {
      options.given.R = 0.1 * V.array() + 0.01;
      printed.R = *options.given.R;
      settings = {{"outlier_penalty", "0.5"}};
    }
    const auto source = view(V);
    const DrawnColumns noted(*source);
    const auto r = fit(noted, solver_by_preset(name, "paper", settings), options);
    ASSERT_EQ(noted.drawn.size(), static_cast<std::size_t>(all_epochs * N));
    printed.run(V, noted.drawn, L, robust ? 0.5 : 0);
    EXPECT_LE((r.W - printed.W).norm(), 1e-10 * printed.W.norm());
    EXPECT_LE((r.H - printed.H).norm(), 1e-10 * printed.H.norm());
    EXPECT_THAT(r.warnings, ElementsAre(HasSubstr("may diverge without the safeguard")));
  }

  const Matrix<double> V = low_rank(F, N, K, 0.3);
  FitOptions<double> options;
};

TEST_F(Preset, PaperIsAlgorithmOneAsPrinted) { expect_as_printed("svrmu", 1); }

// L = floor((3 F K + 2 F N)/(3 F K + 2 K)) = floor((36 + 108)/40) = 3.
TEST_F(Preset, PaperAddsAlgorithmTwoToTheAcceleratedForm) { expect_as_printed("svrmu-acc", 3); }

TEST_F(Preset, PaperIsTheRobustRuleAsPrinted) { expect_as_printed("r-svrmu", 1); }

TEST_F(Preset, TheResultKeepsTheOptionsOfThePreset) {
  const auto solver = fit(*view(V), solver_by_preset("svrmu-acc", "paper"), options).solver;
  const auto& o = solver.get<SvrmuOptions>();
  EXPECT_EQ(o.batch_size, 1);
  EXPECT_EQ(o.order, Order::with_replacement);
  EXPECT_FALSE(o.safeguard);
  EXPECT_EQ(o.inner_passes, 1);
  EXPECT_EQ(o.h_rule, HRule::paper);
  EXPECT_EQ(o.h_rule_limit_rule, HRuleLimit::paper);
  EXPECT_EQ(o.h_rule_limit, 3);
}

TEST_F(Preset, WhatIsSaidByNameWins) {
  const auto options_by = [](const OptionValues& settings) {
    return solver_by_preset("svrmu-acc", "paper", settings).get<SvrmuOptions>();
  };
  const SvrmuOptions steps = options_by({{"inner-steps", "4"}, {"batch_size", "3"}, {"safeguard", "on"}});
  EXPECT_EQ(steps.inner_steps, 4);
  EXPECT_EQ(steps.inner_passes, 0);
  EXPECT_EQ(steps.batch_size, 3);
  EXPECT_TRUE(steps.safeguard);
  EXPECT_EQ(steps.order, Order::with_replacement);
  const SvrmuOptions repeats = options_by({{"h_repeats", "3"}});
  EXPECT_EQ(repeats.h_rule, HRule::fixed);
  EXPECT_EQ(repeats.h_rule_limit_rule, HRuleLimit::balanced);
  EXPECT_EQ(options_by({{"h_rule", "gillis"}}).h_rule_limit_rule, HRuleLimit::paper);
  for (const OptionValues& settings : {OptionValues{{"inner_steps", "4"}},
                                       {{"h_repeats", "3"}},
                                       {{"h_rule", "fixed"}},
                                       {{"h_rule_limit", "2"}}})
    EXPECT_NO_THROW(fit(*view(V), solver_by_preset("svrmu-acc", "paper", settings), options));
}

TEST_F(Preset, OtherAlgorithmsRefuseIt) {
  for (const SolverInfo& info : catalog()) {
    if (info.name.starts_with("svrmu") || info.name.starts_with("r-svrmu"))
      EXPECT_THAT(info.presets, ElementsAre("paper"));
    else
      EXPECT_THAT([&] { solver_by_preset(info.name, "paper"); },
                  ThrowsMessage<InvalidInput>(HasSubstr(info.name + " has no preset paper; svrmu, ")));
  }
  EXPECT_THAT([] { solver_by_preset("auto", "paper"); },
              ThrowsMessage<InvalidInput>(HasSubstr("auto has no preset paper")));
  EXPECT_THAT([] { solver_by_preset("svrmu", "papre"); },
              ThrowsMessage<InvalidInput>(HasSubstr("there is no preset 'papre'")));
}

}  // namespace
}  // namespace svrmu
