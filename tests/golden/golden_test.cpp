// Trajectories of the author's own code (data/open) and of numpy references (data/derived), through the
// public interface. data/ORIGIN.md says how they were made and which are left out.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "objective/data_term.hpp"
#include "objective/h_step.hpp"
#include "svrmu/svrmu.hpp"

namespace svrmu {
namespace {

using nlohmann::json;
using Dense = Matrix<double>;

constexpr double tolerance = 1e-10;

json load(const std::string& name) {
  std::ifstream file(std::filesystem::path(SVRMU_GOLDEN_DATA) / (name + ".json"));
  return json::parse(file);
}

Dense matrix(const json& rows) {
  Dense M(static_cast<Index>(rows.size()), static_cast<Index>(rows.at(0).size()));
  for (Index i = 0; i < M.rows(); ++i)
    for (Index j = 0; j < M.cols(); ++j)
      M(i, j) = rows.at(static_cast<std::size_t>(i)).at(static_cast<std::size_t>(j)).get<double>();
  return M;
}

double distance(const Dense& a, const Dense& b) { return (a - b).norm() / std::max(b.norm(), 1e-300); }

using Settings = std::vector<std::pair<std::string, std::string>>;

struct Case {
  std::string file;
  std::string solver;
  Settings settings;
  std::string loss = "frobenius";
  Penalties penalties = {};
  bool against_objective = false;
  bool unit_columns = false;  // W0's columns are divided by their sums first
};

void PrintTo(const Case& c, std::ostream* out) { *out << c.file; }

const Settings published = {{"order", "cyclic"}, {"safeguard", "off"}, {"batch_size", "5"}};

Settings with(const Settings& base, const Settings& more) {
  Settings all = base;
  all.insert(all.end(), more.begin(), more.end());
  return all;
}

const Settings six = {{"order", "cyclic"}, {"safeguard", "off"}, {"batch_size", "6"}};
const Settings author_div = {{"update_first", "w"}, {"exponent", "heuristic"}};
const Settings robust = {{"outlier_penalty", "0.5"}};

std::vector<Case> cases() {
  return {
      {"open/fro_mu", "mu", {}},
      {"open/fro_mu_zeros", "mu", {}},
      {.file = "open/fro_mu_normw1", .solver = "mu", .settings = {}, .unit_columns = true},
      {"open/fro_mu_acc", "mu-acc", {{"update_first", "w"}}},
      {"open/hals", "hals", {}},
      {"open/hals_noscale", "hals", {{"initial_scaling", "off"}}},
      {"open/acc_hals_onesweep", "hals-acc", {{"h_rule_limit", "1"}}},
      {"open/acc_hals_delta", "hals-acc", {{"h_rule_limit", "100000"}}},
      {"open/div_kl", "mu", author_div, "kl"},
      {"open/div_beta0", "mu", author_div, "is"},
      {"open/div_beta0p5", "mu", author_div, "beta:0.5"},
      {"open/div_beta1p5", "mu", author_div, "beta:1.5"},
      {"open/div_beta2", "mu", author_div, "beta:2"},
      {"open/smu", "smu", published},
      {"open/smu_zeros", "smu", published},
      {"open/smu_acc_fix5", "smu-acc", published},
      {"open/onmf", "onmf", published},
      {"open/acc_online_fix", "onmf-acc", with(published, {{"w_repeats", "2"}})},
      {"open/inmf", "inmf", published},
      {"open/asag_mu_l05", "asag-mu", published},
      {"open/asag_mu_l1", "asag-mu", with(published, {{"memory_weight", "1"}})},
      {"open/sagmu_fast", "sag-mu", published},
      {"open/sagmu_acc_fix5", "sag-mu-acc", published},
      {"open/svrmu", "svrmu", published},
      {"open/svrmu_zeros", "svrmu", published},
      {"open/svrmu_inner5", "svrmu", with(published, {{"inner_passes", "5"}})},
      {"open/svrmu_alpha0p3", "svrmu", with(published, {{"step", "0.3"}})},
      {"open/svrmu_acc_fix5", "svrmu-acc", published},
      {"open/svrmu_acc_fix5_inner5", "svrmu-acc", with(published, {{"inner_passes", "5"}})},
      // The author's adaptive rule compares with h on entry and so always makes its 2(1 + F) steps.
      {"open/svrmu_acc_adaptive", "svrmu", with(published, {{"h_repeats", "26"}})},
      {"open/svrmu_robust", "r-svrmu", with(published, robust)},
      {"open/svrmu_robust_acc_fix5", "r-svrmu-acc", with(published, with(robust, {{"inner_passes", "2"}}))},
      {"open/svrmu_robust_acc_adaptive", "r-svrmu", with(published, with(robust, {{"h_repeats", "26"}}))},
      // R = 0 can never be left: the author's robust run without R0 is plain svrmu.
      {"open/svrmu_robust_noR0", "svrmu", published},
      {"open/robust_mu", "r-nmf", robust},
      {"open/robust_online", "r-onmf", with(published, robust)},
      {"derived/inc_exact", "inc-mu", published},
      {"derived/inc_exact_partial_rep3", "inc-mu", with(six, {{"h_repeats", "3"}})},
      {"derived/reg_mu", "mu", {}, "frobenius", {0.1, 0.2, 0.3, 0.1}, true},
      {"derived/rsvrmu_partial_sim",
       "r-svrmu",
       with(six, with(robust, {{"inner_passes", "2"}, {"h_repeats", "2"}})),
       "frobenius",
       {},
       true},
      {"derived/rsvrmu_partial_seq",
       "r-svrmu",
       with(six, with(robust, {{"inner_passes", "2"}, {"h_repeats", "2"}, {"outlier_step", "sequential"}})),
       "frobenius",
       {},
       true},
      {"derived/smu_beta0", "smu", published, "is"},
      {"derived/smu_beta0.5", "smu", published, "beta:0.5"},
      {"derived/smu_beta1", "smu", published, "kl"},
      {"derived/smu_beta1.5", "smu", published, "beta:1.5"},
      {"derived/smu_beta3", "smu", published, "beta:3"},
      {"derived/svrmu_beta0", "svrmu", published, "is"},
      {"derived/svrmu_beta0.5", "svrmu", published, "beta:0.5"},
      {"derived/svrmu_beta1", "svrmu", published, "kl"},
      {"derived/svrmu_beta1.5", "svrmu", published, "beta:1.5"},
      {"derived/svrmu_beta3", "svrmu", published, "beta:3"},
      {"derived/svrmu_is_heuristic", "svrmu", with(published, {{"exponent", "heuristic"}}), "is"},
      {"derived/svrmu_kl_inner2_rep3", "svrmu", with(published, {{"inner_passes", "2"}, {"h_repeats", "3"}}),
       "kl"},
      {"derived/svrmu_partial_batch", "svrmu", with(six, {{"inner_passes", "2"}, {"h_repeats", "2"}})},
      // Made with penalties on the mean: those on W are N = 20 times as large in our sum.
      {"derived/svrmu_reg", "svrmu", published, "frobenius", {0.2, 0.4, 0.1, 0.05}},
  };
}

SolverOptions solver_for(const Case& c) {
  SolverOptions solver = solver_named(c.solver);
  for (const auto& [name, value] : c.settings) set_option(solver, name, value);
  return solver;
}

FitOptions<double> options_for(const Case& c, const json& golden) {
  const json& input = golden.at("input");
  FitOptions<double> options;
  Dense W0 = matrix(input.at("W0"));
  if (c.unit_columns)
    for (Index k = 0; k < W0.cols(); ++k) W0.col(k) /= W0.col(k).sum();
  options.rank = W0.cols();
  options.given.W = W0;
  options.given.H = matrix(input.at("H0"));
  if (c.solver.starts_with("r-")) options.given.R = matrix(input.at("R0"));
  options.loss = parse_loss(c.loss);
  options.penalties = c.penalties;
  options.stopping.relative_change = 0;
  options.stopping.max_epochs = static_cast<Index>(golden.at("output").at("cost_per_epoch").size()) - 1;
  return options;
}

void expect_reproduced(const Case& c, const json& golden, const FitResult<double>& result) {
  const json& output = golden.at("output");
  EXPECT_LT(distance(result.W, matrix(output.at("W"))), tolerance);
  EXPECT_LT(distance(result.H, matrix(output.at("H"))), tolerance);
  if (c.solver.starts_with("r-")) {
    EXPECT_LT(distance(result.R, matrix(output.at("R"))), tolerance);
  }
  const auto costs = output.at("cost_per_epoch").get<std::vector<double>>();
  ASSERT_EQ(result.history.size(), costs.size());
  for (std::size_t i = 0; i < costs.size(); ++i) {
    const double found = c.against_objective ? result.history[i].objective : result.history[i].cost;
    EXPECT_NEAR(found, costs[i], tolerance * costs[i]) << "epoch " << i;
  }
  if (!output.contains("grad_calc_count")) return;
  const auto counts = output.at("grad_calc_count").get<std::vector<double>>();
  for (std::size_t i = 0; i < counts.size(); ++i) EXPECT_EQ(result.history[i].gradient_count, counts[i]);
}

class Golden : public testing::TestWithParam<Case> {};

TEST_P(Golden, DenseIsReproduced) {
  const Case& c = GetParam();
  const json golden = load(c.file);
  const Dense V = matrix(golden.at("input").at("V"));
  expect_reproduced(c, golden, fit(*view(V), solver_for(c), options_for(c, golden)));
}

TEST_P(Golden, RowMajorIsReproduced) {
  const Case& c = GetParam();
  const json golden = load(c.file);
  const RowMatrix<double> V = matrix(golden.at("input").at("V"));
  expect_reproduced(c, golden, fit(*view(V), solver_for(c), options_for(c, golden)));
}

TEST_P(Golden, SparseIsReproduced) {
  const Case& c = GetParam();
  const json golden = load(c.file);
  const SparseMatrix<double> V = matrix(golden.at("input").at("V")).sparseView();
  FitResult<double> result = fit(*view(V), solver_for(c), options_for(c, golden));
  if (c.solver.starts_with("r-")) result.R = result.R_sparse.toDense();
  expect_reproduced(c, golden, result);
}

INSTANTIATE_TEST_SUITE_P(AuthorsRuns, Golden, testing::ValuesIn(cases()), [](const auto& test) {
  std::string name = std::filesystem::path(test.param.file).filename().string();
  for (char& c : name)
    if (c == '.') c = 'p';
  return name;
});

TEST(GoldenInmf, WeightsAndInnerIterationsAreReproduced) {
  const json golden = load("open/inmf_ab_inner5");
  const json& o = golden.at("options");
  const Case c{"open/inmf_ab_inner5", "inmf",
               with(published, {{"new_weight", o.at("alpha").dump()},
                                {"past_weight", o.at("beta").dump()},
                                {"inner_iterations", "5"}})};
  const Dense V = matrix(golden.at("input").at("V"));
  expect_reproduced(c, golden, fit(*view(V), solver_for(c), options_for(c, golden)));
}

// With one column per batch the author's loop never reaches the last column.
TEST(GoldenSmu, SingleColumnBatchesAreReproducedWithoutTheLastColumn) {
  const json golden = load("open/smu_b1_dropscolumn");
  const Case c{"", "smu", {{"order", "cyclic"}, {"safeguard", "off"}, {"batch_size", "1"}}};
  const Dense V = matrix(golden.at("input").at("V")).leftCols(19);
  FitOptions<double> options = options_for(c, golden);
  options.given.H = Dense(options.given.H->leftCols(19));
  const auto result = fit(*view(V), solver_for(c), options);
  EXPECT_LT(distance(result.W, matrix(golden.at("output").at("W"))), tolerance);
  EXPECT_LT(distance(result.H, matrix(golden.at("output").at("H")).leftCols(19)), tolerance);
}

TEST(GoldenStart, AbsoluteSvdIsReproduced) {
  const json golden = load("open/init_qiao");
  const Dense V = matrix(golden.at("input").at("V"));
  FitOptions<double> options{.rank = golden.at("K").get<Index>(), .start = Start::svd_abs};
  options.stopping.max_epochs = 0;
  const auto result = fit(*view(V), MuOptions{}, options);
  EXPECT_LT(distance(result.W, matrix(golden.at("output").at("W"))), tolerance);
  EXPECT_LT(distance(result.H, matrix(golden.at("output").at("H"))), tolerance);
}

// The author's copy fills every zero with 0.1.
TEST(GoldenStart, NndsvdIsReproducedWhereItIsNotFilled) {
  const json golden = load("open/init_nndsvd0");
  const Dense V = matrix(golden.at("input").at("V"));
  FitOptions<double> options{.rank = golden.at("K").get<Index>(), .start = Start::nndsvd};
  options.stopping.max_epochs = 0;
  const auto result = fit(*view(V), HalsOptions{.initial_scaling = false}, options);
  const auto filled = [](const Dense& M) { return Dense((M.array() == 0).select(0.1, M)); };
  EXPECT_LT(distance(filled(result.W), matrix(golden.at("output").at("W"))), tolerance);
  EXPECT_LT(distance(filled(result.H), matrix(golden.at("output").at("H"))), tolerance);
}

TEST(GoldenHStep, PaperRuleMakesTheSameRepeats) {
  const json golden = load("derived/alg2_paper_rule");
  const Dense V = matrix(golden.at("input").at("V"));
  const RowMatrix<double> W = matrix(golden.at("input").at("W0"));
  Dense h = matrix(golden.at("input").at("H0"));
  const auto source = view(V);
  const Team alone{};
  ColumnFeed<double> feed(*source, alone, 0, 1.0, {});
  const DataTerm<double> term;
  Outliers<double> none;
  const Repeats repeats{HRule::paper, golden.at("options").at("L").get<int>(),
                        golden.at("options").at("epsilon").get<double>()};
  int made = 0;
  for (const Batch<double>& v : feed.batches(V.cols(), Order::cyclic))
    made = update_h(term, Basis<double>(term, W), v, h, none, repeats, feed);
  EXPECT_EQ(made, golden.at("options").at("repeats_done").get<int>());
  EXPECT_LT(distance(h, matrix(golden.at("output").at("H"))), tolerance);
}

}  // namespace
}  // namespace svrmu
