// What fit() refuses before any work: by name, with value and remedy.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "fit/check.hpp"
#include "fit/resolve.hpp"
#include "small_fits.hpp"

namespace svrmu {
namespace {

using testing::AllOf;
using testing::Contains;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::ThrowsMessage;

class Checks : public testing::Test {
 protected:
  Checks() { options.stopping.max_epochs = 1; }

  template <class... Texts>
  void expect_refused(const SolverOptions& solver, Texts... texts) {
    EXPECT_THAT([&] { fit(*view(V), solver, options); },
                ThrowsMessage<InvalidInput>(AllOf(HasSubstr(std::string(texts))...)));
  }
  void expect_accepted(const SolverOptions& solver) { EXPECT_NO_THROW(fit(*view(V), solver, options)); }

  Matrix<double> V = low_rank(8, 12, 2, 0.1);
  FitOptions<double> options = rank<double>(2);
};

TEST_F(Checks, NanIsRefusedWithItsPlace) {
  V(5, 3) = std::numeric_limits<double>::quiet_NaN();
  expect_refused(MuOptions{}, "1 NaN value", "row 6, column 4", "fill them in");
}

TEST_F(Checks, InfinityIsRefusedWithItsPlace) {
  V(0, 11) = std::numeric_limits<double>::infinity();
  expect_refused(MuOptions{}, "1 infinite value", "row 1, column 12");
}

TEST_F(Checks, NegativeValuesAreRefusedWithTheirPlace) {
  V(2, 2) = V(2, 4) = -1;
  expect_refused(MuOptions{}, "2 negative values", "row 3, column 3", "nonnegative");
}

TEST_F(Checks, BadValuesOfSparseVAreRefusedWithTheirPlace) {
  V(6, 9) = -1;
  const SparseMatrix<double> sparse = V.sparseView();
  EXPECT_THAT([&] { fit(*view(sparse), MuOptions{}, options); },
              ThrowsMessage<InvalidInput>(HasSubstr("row 7, column 10")));
}

TEST_F(Checks, BadValuesOfRowMajorVAreRefusedWithTheirPlace) {
  V(6, 9) = -1;
  const RowMatrix<double> rows = V;
  EXPECT_THAT([&] { fit(*view(rows), MuOptions{}, options); },
              ThrowsMessage<InvalidInput>(HasSubstr("row 7, column 10")));
}

TEST_F(Checks, ItakuraSaitoRefusesZeros) {
  V(3, 1) = V(4, 1) = 0;
  options.loss = Loss::itakura_saito();
  expect_refused(MuOptions{}, "2 zeros", "row 4, column 2", "loss is", "kl");
}

TEST_F(Checks, ItakuraSaitoRefusesZerosThatSparseVDoesNotStore) {
  V(3, 1) = 0;
  const SparseMatrix<double> sparse = V.sparseView();
  options.loss = Loss::itakura_saito();
  EXPECT_THAT([&] { fit(*view(sparse), MuOptions{}, options); },
              ThrowsMessage<InvalidInput>(AllOf(HasSubstr("zero"), HasSubstr("row 4, column 2"))));
}

TEST_F(Checks, KlTakesZeros) {
  V(3, 1) = 0;
  options.loss = Loss::kullback_leibler();
  expect_accepted(MuOptions{});
}

TEST_F(Checks, AnEmptyMatrixIsRefused) {
  V.resize(8, 0);
  expect_refused(MuOptions{}, "8 x 0", "nothing to factorize");
  V.resize(0, 8);
  expect_refused(MuOptions{}, "0 x 8", "nothing to factorize");
}

TEST_F(Checks, AMatrixOfZerosIsRefused) {
  V.setZero();
  expect_refused(SvrmuOptions{}, "zero everywhere");
}

TEST_F(Checks, ARankBelowOneIsRefused) {
  options.rank = 0;
  expect_refused(MuOptions{}, "rank is 0", "between 1 and 46340");
  options.rank = -3;
  expect_refused(MuOptions{}, "rank is -3");
}

TEST_F(Checks, ARankThatOverflowsItsGramMatrixIsRefused) {
  options.rank = 100000;
  expect_refused(MuOptions{}, "rank is 100000", "46340");
}

TEST_F(Checks, GivenFactorsMustHaveTheSizesOfV) {
  options.given.W = RowMatrix<double>::Ones(7, 2);
  expect_refused(MuOptions{}, "start W is 7 x 2", "must be 8 x 2", "features x rank");
  options.given.W.reset();
  options.given.H = Matrix<double>::Ones(3, 12);
  expect_refused(MuOptions{}, "start H is 3 x 12", "must be 2 x 12");
}

TEST_F(Checks, GivenFactorsMustBeNonnegativeAndFinite) {
  options.given.W = RowMatrix<double>::Ones(8, 2);
  (*options.given.W)(3, 1) = -0.5;
  expect_refused(MuOptions{}, "start W holds -0.5", "row 4, column 2");
  options.given.W.reset();
  options.given.H = Matrix<double>::Ones(2, 12);
  (*options.given.H)(1, 9) = std::numeric_limits<double>::infinity();
  expect_refused(MuOptions{}, "start H holds inf", "row 2, column 10");
}

TEST_F(Checks, AGivenHOfZerosIsRefused) {
  options.given.H = Matrix<double>::Zero(2, 12);
  expect_refused(MuOptions{}, "start H is zero everywhere");
}

TEST_F(Checks, AGivenSparseRMustBeNonnegativeAndFinite) {
  Matrix<double> R = Matrix<double>::Ones(8, 12);
  R(2, 5) = -1;
  options.given.R_sparse = SparseMatrix<double>(R.sparseView());
  expect_refused(RNmfOptions{.outlier_update = OutlierUpdate::multiplicative}, "start R holds -1",
                 "row 3, column 6");
}

TEST_F(Checks, AnHRuleThatEndsByItselfRefusesANumberOfRepeats) {
  expect_refused(SvrmuOptions{.h_repeats = 3, .h_rule = HRule::paper}, "h_repeats is set", "h_rule_limit");
  expect_accepted(SvrmuOptions{.h_repeats = 5, .h_rule = HRule::paper});
}

TEST_F(Checks, MoreFeaturesThanAnIntCountsAreRefused) {
  const auto check = [&](Index features) {
    check_options<double>(MuOptions{}, options,
                          {.features = features, .samples = 3, .local_samples = 3, .rank = 2});
  };
  constexpr Index most = std::numeric_limits<int>::max();
  EXPECT_NO_THROW(check(most));
  EXPECT_THAT([&] { check(most + 1); },
              ThrowsMessage<InvalidInput>(HasSubstr("V has 2147483648 features; at most")));
}

TEST_F(Checks, OutliersOfAnotherVAreNoStateToGoOnFrom) {
  const Shape dense{.features = 8, .samples = 12, .local_samples = 12, .rank = 2};
  Shape sparse = dense;
  sparse.sparse = true;
  Outliers<double> R;
  R.dense = Matrix<double>::Ones(8, 12);
  EXPECT_NO_THROW(check_outliers(R, true, dense));
  const auto refused = ThrowsMessage<InvalidInput>(HasSubstr("it must be the V of that run"));
  EXPECT_THAT([&] { check_outliers(R, false, dense); }, refused);
  EXPECT_THAT([&] { check_outliers(R, true, sparse); }, refused);
  R.dense.resize(0, 0);
  EXPECT_THAT([&] { check_outliers(R, true, dense); }, refused);
  R.values = {1, 2, 3};
  R.offsets = {0, 1, 3};
  EXPECT_NO_THROW(check_outliers(R, true, sparse));
  R.values.pop_back();
  EXPECT_THAT([&] { check_outliers(R, true, sparse); }, refused);
}

TEST_F(Checks, AStartBesidesGivenFactorsIsRefused) {
  options.given.W = RowMatrix<double>::Ones(8, 2);
  options.given.H = Matrix<double>::Ones(2, 12);
  options.start = Start::random;
  expect_refused(MuOptions{}, "both W and H are given");
}

TEST_F(Checks, RestartsFromGivenFactorsAreRefused) {
  options.given.W = RowMatrix<double>::Ones(8, 2);
  options.given.H = Matrix<double>::Ones(2, 12);
  options.restarts = 3;
  expect_refused(MuOptions{}, "restarts is 3");
}

TEST_F(Checks, GivenFactorsTooLargeForAnObjectiveAreRefused) {
  options.given.W = RowMatrix<double>::Constant(8, 2, 1e200);
  options.given.H = Matrix<double>::Constant(2, 12, 1e200);
  expect_refused(MuOptions{}, "not finite");
}

TEST_F(Checks, OnlySomeSolversTakeOtherLosses) {
  for (const SolverInfo& info : catalog()) {
    SCOPED_TRACE(info.name);
    options.loss = Loss::kullback_leibler();
    const std::string name(name_of(info.options));
    if (name == "mu" || name == "mu-ext" || name == "smu" || name == "svrmu" || name == "asag-mu")
      expect_accepted(info.options);
    else
      expect_refused(info.options, name, "frobenius", "kl");
  }
}

TEST_F(Checks, HalsRefusesABetaByName) {
  options.loss = Loss::beta_divergence(0.5);
  expect_refused(HalsOptions{}, "hals", "beta:0.5");
}

TEST_F(Checks, ABetaThatIsNotFiniteIsRefused) {
  options.loss.beta = std::numeric_limits<double>::quiet_NaN();
  expect_refused(MuOptions{}, "beta");
}

TEST_F(Checks, OnlyInmfRefusesPenalties) {
  options.penalties.l2_w = 0.1;
  for (const SolverInfo& info : catalog()) {
    SCOPED_TRACE(info.name);
    if (info.name == "inmf")
      expect_refused(info.options, "inmf takes no penalties");
    else
      expect_accepted(info.options);
  }
}

TEST_F(Checks, PenaltiesMustNotBeNegative) {
  options.penalties.l1_h = -1;
  expect_refused(MuOptions{}, "l1_h is -1");
}

TEST_F(Checks, SagMuRefusesBatchesThatChange) {
  expect_refused(SagMuOptions{.order = Order::reshuffle}, "sag-mu", "order", "permute_once");
  expect_refused(SagMuOptions{.order = Order::with_replacement}, "sag-mu", "order");
  expect_accepted(SagMuOptions{.order = Order::cyclic});
}

TEST_F(Checks, SettingsOfARuleThatIsNotChosenAreRefused) {
  expect_refused(SvrmuOptions{.h_rule_limit = 3}, "h_rule_limit", "h_rule fixed");
  expect_refused(SvrmuOptions{.h_rule_tolerance = 0.01}, "h_rule_tolerance", "h_rule fixed");
  expect_accepted(SvrmuOptions{.h_rule = HRule::paper, .h_rule_limit = 3});
}

TEST_F(Checks, SettingsOfALimitThatIsNotChosenByTheFormulaAreRefused) {
  expect_refused(SvrmuOptions{.h_rule_limit_rule = HRuleLimit::paper}, "h_rule_limit_rule", "h_rule fixed");
  expect_refused(SvrmuOptions{.h_rule = HRule::paper, .h_rule_share = 0.5}, "h_rule_share", "balanced");
  expect_refused(SmuOptions{.h_rule_share = 0.5}, "h_rule_share");
  expect_accepted(IncMuOptions{
      .h_rule = HRule::gillis, .h_rule_limit_rule = HRuleLimit::paper_batch, .h_rule_share = 0.5});
}

TEST_F(Checks, SettingsOfAStepThatDoesNotFallAreRefused) {
  expect_refused(SmuOptions{.step_decay_power = 0.6}, "step_decay_power", "step_decay 0");
  expect_refused(RSvrmuOptions{.step_decay_clock = StepClock::step}, "step_decay_clock", "step_decay 0");
  expect_accepted(
      SvrmuOptions{.step_decay = 0.1, .step_decay_power = 0.6, .step_decay_clock = StepClock::step});
}

TEST_F(Checks, APowerOfTheStepIsAboveAHalf) {
  expect_refused(SvrmuOptions{.step_decay = 1, .step_decay_power = 0.5}, "step_decay_power of svrmu is 0.5",
                 "lie above 0.5 and at most 1");
  expect_refused(SvrmuOptions{.step_decay = 1, .step_decay_power = 1.1}, "step_decay_power");
}

TEST_F(Checks, ASnapshotLastsForPassesOrForSteps) {
  expect_refused(SvrmuOptions{.inner_passes = 1, .inner_steps = 7}, "inner_passes 1", "inner_steps 7");
  expect_refused(RSvrmuOptions{.inner_passes = 2, .inner_steps = 7}, "inner_passes 2", "inner_steps 7");
  expect_accepted(SvrmuOptions{.inner_steps = 7});
}

TEST_F(Checks, PartsAreReplacedOncePerSnapshot) {
  expect_refused(SvrmuOptions{.inner_passes = 2, .correction = Correction::replace}, "correction replace");
  expect_refused(SvrmuOptions{.inner_steps = 7, .correction = Correction::replace}, "correction replace");
  expect_refused(RSvrmuOptions{.correction = Correction::replace, .order = Order::with_replacement},
                 "correction replace", "with_replacement");
  expect_accepted(SvrmuOptions{.inner_passes = 1, .correction = Correction::replace, .safeguard = false});
}

TEST_F(Checks, AnExponentThatFrobeniusIgnoresIsHarmless) {
  expect_accepted(MuOptions{.exponent = Exponent::heuristic});
}

TEST_F(Checks, OptionsOutOfRangeAreRefused) {
  expect_refused(SvrmuOptions{.step = 2}, "step of svrmu is 2");
  expect_refused(SmuOptions{.batch_size = -1}, "batch_size of smu is -1");
}

TEST_F(Checks, AStartForROfASolverWithoutOutliersIsRefused) {
  options.given.R = Matrix<double>::Ones(8, 12);
  expect_refused(SvrmuOptions{}, "R is given", "svrmu has no outliers", "r-svrmu");
}

TEST_F(Checks, AnRThatIsZeroEverywhereIsRefused) {
  options.given.R = Matrix<double>::Zero(8, 12);
  expect_refused(RSvrmuOptions{}, "R is zero everywhere");
}

TEST_F(Checks, ASparseRThatIsZeroEverywhereIsRefused) {
  const SparseMatrix<double> sparse = V.sparseView();
  options.given.R_sparse = SparseMatrix<double>(8, 12);
  EXPECT_THAT([&] { fit(*view(sparse), RSvrmuOptions{}, options); },
              ThrowsMessage<InvalidInput>(HasSubstr("zero everywhere")));
}

TEST_F(Checks, AnRGivenTwiceIsRefused) {
  options.given.R = Matrix<double>::Ones(8, 12);
  options.given.R_sparse = SparseMatrix<double>(Matrix<double>::Ones(8, 12).sparseView());
  expect_refused(RSvrmuOptions{}, "twice");
}

TEST_F(Checks, AnROutsideThePatternOfASparseVIsRefusedWithItsPlaces) {
  V(2, 3) = V(5, 3) = V(1, 7) = 0;
  const SparseMatrix<double> sparse = V.sparseView();
  Matrix<double> R = Matrix<double>::Zero(8, 12);
  R(0, 0) = R(5, 3) = R(1, 7) = 1;
  const auto expect_told = [&](const auto& run) {
    EXPECT_THAT(run, ThrowsMessage<InvalidInput>(
                         HasSubstr("start R holds 2 positive values, the first at row 6, column 4")));
  };
  options.given.R = R;
  expect_told([&] { fit(*view(sparse), RSvrmuOptions{}, options); });
  expect_told([&] { plan_fit(*view(sparse), RSvrmuOptions{}, options); });
  EXPECT_NO_THROW(fit(*view(V), RSvrmuOptions{}, options)) << "a dense R has room for them";
  options.given.R.reset();
  options.given.R_sparse = SparseMatrix<double>(R.sparseView());
  expect_told([&] { fit(*view(sparse), RSvrmuOptions{}, options); });
  R(5, 3) = R(1, 7) = 0;  // stored, but nothing
  options.given.R_sparse = SparseMatrix<double>(R.sparseView(1, -1));
  EXPECT_NO_THROW(fit(*view(sparse), RSvrmuOptions{}, options));
}

TEST_F(Checks, AnRThatClosedFormWouldNotKeepIsRefused) {
  options.given.R = Matrix<double>::Ones(8, 12);
  expect_refused(RNmfOptions{.outlier_update = OutlierUpdate::closed_form}, "R is given", "closed_form");
}

TEST_F(Checks, SettingsOfRThatClosedFormDoesNotUseAreRefused) {
  expect_refused(
      RSvrmuOptions{.outlier_start = OutlierStart::uniform, .outlier_update = OutlierUpdate::closed_form},
      "outlier_start", "closed_form");
  expect_refused(
      RSvrmuOptions{.outlier_step = OutlierStep::sequential, .outlier_update = OutlierUpdate::closed_form},
      "outlier_step", "closed_form");
}

TEST_F(Checks, AnOutlierStartBesidesAGivenRIsRefused) {
  options.given.R = Matrix<double>::Ones(8, 12);
  expect_refused(RSvrmuOptions{.outlier_start = OutlierStart::uniform}, "outlier_start");
}

TEST_F(Checks, NndsvdIsRefusedForMultiplicativeSolversOnly) {
  options.start = Start::nndsvd;
  for (const SolverInfo& info : catalog()) {
    SCOPED_TRACE(info.name);
    if (info.name.starts_with("hals") || info.name == "fast" || info.name == "inc-hals")
      expect_accepted(info.options);
    else
      expect_refused(info.options, "nndsvd", std::string(name_of(info.options)), "nndsvda");
  }
}

TEST_F(Checks, SvdStartsRefuseARankAboveTheSmallerSideAlsoWhereItIsForced) {
  options.rank = 9;
  options.force_rank = true;
  for (const Start start : {Start::svd_abs, Start::nndsvda, Start::nndsvdar}) {
    options.start = start;
    expect_refused(MuOptions{}, "rank is 9", "8 x 12", "use start random");
  }
}

TEST_F(Checks, ASafeguardThatLooksAtEveryEpochRefusesRareEvaluations) {
  options.evaluate_every = 2;
  expect_refused(SvrmuOptions{}, "evaluate_every is 2", "safeguard of svrmu");
  expect_refused(RSvrmuOptions{}, "safeguard of r-svrmu");
  expect_refused(SagMuOptions{}, "safeguard of sag-mu");
  expect_accepted(SvrmuOptions{.safeguard = false});
  expect_accepted(SmuOptions{});
}

TEST_F(Checks, OnlyAlgorithmsThatMeasureTheirViolationStopByIt) {
  options.stopping.violation = 0.25;
  for (const SolverInfo& info : catalog())
    if (info.name != "hals") expect_refused(info.options, "violation is 0.25, but");
  expect_refused(MuOptions{}, "mu does not measure it; hals can stop by it");
  expect_accepted(HalsOptions{});
}

TEST_F(Checks, LimitsMustNotBeNegative) {
  options.stopping.max_epochs = -1;
  expect_refused(MuOptions{}, "max_epochs is -1");
  options.stopping = {.relative_change = -1};
  expect_refused(MuOptions{}, "relative_change is -1");
  options.stopping = {.kkt = -1};
  expect_refused(MuOptions{}, "kkt is -1");
  options.stopping = {.violation = -1};
  expect_refused(HalsOptions{}, "violation is -1");
  options.stopping = {.error_fall = -1};
  expect_refused(MuOptions{}, "error_fall is -1");
  options.stopping = {.time_limit_seconds = -1};
  expect_refused(MuOptions{}, "time_limit_seconds is -1");
  options.stopping = {.gradient_budget = -1};
  expect_refused(MuOptions{}, "gradient_budget is -1");
}

TEST_F(Checks, CountsMustBePositive) {
  options.restarts = 0;
  expect_refused(MuOptions{}, "restarts is 0");
  options.restarts = 1;
  options.evaluate_every = 0;
  expect_refused(MuOptions{}, "evaluate_every is 0");
  options.evaluate_every = 1;
  options.threads = -1;
  expect_refused(MuOptions{}, "threads is -1");
}

TEST_F(Checks, FactorsThatDoNotFitIntoMemoryAreRefused) {
  V = Matrix<double>::Ones(1, 1000000);
  options.rank = 46000;
  options.force_rank = true;
  EXPECT_THAT([&] { fit(*view(V), MuOptions{}, options); },
              ThrowsMessage<ResourceLimit>(AllOf(HasSubstr("GiB"), HasSubstr("smaller rank"))));
}

TEST_F(Checks, MemoryOfTheGramMatricesIsCounted) {
  const Shape shape{
      .features = 10, .samples = 10, .local_samples = 10, .rank = 46000, .stored = 100, .sparse = false};
  EXPECT_GE(memory_needed(MuOptions{}, Start::random, shape, sizeof(double)), 46000.0 * 46000.0 * 8);
}

TEST_F(Checks, MemoryOfTheGradientTableIsCounted) {
  const Shape shape{
      .features = 1000, .samples = 10000, .local_samples = 10000, .rank = 10, .stored = 1e7, .sparse = false};
  EXPECT_GE(memory_needed(SagMuOptions{.batch_size = 10}, Start::random, shape, 8),
            2.0 * 1000 * 1000 * 10 * 8);
}

TEST_F(Checks, MemoryOfKeptOutliersIsCounted) {
  const Shape shape{
      .features = 1000, .samples = 10000, .local_samples = 10000, .rank = 1, .stored = 1e7, .sparse = false};
  EXPECT_GE(
      memory_needed(RNmfOptions{.outlier_update = OutlierUpdate::multiplicative}, Start::random, shape, 8),
      2 * 1e7 * 8);
  EXPECT_LT(memory_needed(RNmfOptions{.outlier_update = OutlierUpdate::closed_form}, Start::random, shape, 8),
            1e7 * 8);
}

class Resolved : public Checks {};

TEST_F(Resolved, TheBatchSizeFollowsTheRank) {
  V = Matrix<double>::Ones(3, 2000);
  EXPECT_EQ(fit(*view(V), SmuOptions{}, options).solver.get<SmuOptions>().batch_size, 256);
  options.rank = 100;
  options.force_rank = true;
  options.stopping.max_epochs = 0;
  EXPECT_EQ(fit(*view(V), SmuOptions{}, options).solver.get<SmuOptions>().batch_size, 500);
}

TEST_F(Resolved, TheBatchSizeIsAtMostTheSamples) {
  EXPECT_EQ(fit(*view(V), SmuOptions{}, options).solver.get<SmuOptions>().batch_size, 12);
  EXPECT_EQ(fit(*view(V), SmuOptions{.batch_size = 99}, options).solver.get<SmuOptions>().batch_size, 12);
}

TEST_F(Resolved, TheOutlierPenaltyIsAShareOfTheMaximum) {
  const auto solver = fit(*view(V), RNmfOptions{}, options).solver.get<RNmfOptions>();
  EXPECT_NEAR(*solver.outlier_penalty, 0.02 * V.maxCoeff(), 1e-15);
}

TEST_F(Resolved, OutliersAreInClosedFormUnlessTheirStartIsGiven) {
  EXPECT_EQ(fit(*view(V), RNmfOptions{}, options).solver.get<RNmfOptions>().outlier_update,
            OutlierUpdate::closed_form);
  options.given.R = Matrix<double>::Ones(8, 12);
  EXPECT_EQ(fit(*view(V), RNmfOptions{}, options).solver.get<RNmfOptions>().outlier_update,
            OutlierUpdate::multiplicative);
}

TEST_F(Resolved, TheLimitOfARuleBalancesItsCost) {
  // rho = 1 + (F b + F K)/(b (K + 1)) = 1 + (96 + 16)/36, L = floor(1 + rho/4) = 2.
  const auto solver = fit(*view(V), SmuOptions{.h_rule = HRule::paper}, options).solver.get<SmuOptions>();
  EXPECT_EQ(solver.h_rule_limit, 2);
}

// F = 8, N = 12, K = 2: (3FK + 2FN)/(3FK + 2K) = (48 + 192)/52 = 4.6.
TEST_F(Resolved, TheLimitOfARuleCanBeThePapersFormula) {
  const auto limit = [&](SvrmuOptions solver) {
    solver.h_rule = HRule::paper;
    return fit(*view(V), solver, options).solver.get<SvrmuOptions>().h_rule_limit;
  };
  EXPECT_EQ(limit({.h_rule_limit_rule = HRuleLimit::paper}), 4);
  EXPECT_EQ(limit({.h_rule_limit_rule = HRuleLimit::paper, .h_rule_share = 0.5}), 2);
  EXPECT_EQ(limit({.h_rule_limit_rule = HRuleLimit::paper, .h_rule_share = 0}), 1);
  // b = 10 in the place of N: (48 + 160)/52 = 4.
  EXPECT_EQ(limit({.batch_size = 10, .h_rule_limit_rule = HRuleLimit::paper_batch}), 4);
  EXPECT_EQ(limit({.batch_size = 6, .h_rule_limit_rule = HRuleLimit::paper_batch}), 2);
  EXPECT_EQ(limit({.h_rule_limit = 9, .h_rule_limit_rule = HRuleLimit::paper, .h_rule_share = 0.5}), 9);
}

TEST_F(Resolved, ASnapshotLastsForOnePassUnlessToldOtherwise) {
  const auto resolved = [&](const SolverOptions& solver) { return fit(*view(V), solver, options).solver; };
  EXPECT_EQ(resolved(SvrmuOptions{}).get<SvrmuOptions>().inner_passes, 1);
  EXPECT_EQ(resolved(RSvrmuOptions{}).get<RSvrmuOptions>().inner_passes, 1);
  const SolverOptions steps = resolved(SvrmuOptions{.inner_steps = 5});
  EXPECT_EQ(steps.get<SvrmuOptions>().inner_steps, 5);
  EXPECT_EQ(steps.get<SvrmuOptions>().inner_passes, 0);
}

TEST_F(Resolved, PartsAreReplacedWhereASafeguardedSnapshotLastsForOnePass) {
  const auto correction = [&](const SvrmuOptions& solver) {
    return fit(*view(V), solver, options).solver.get<SvrmuOptions>().correction;
  };
  EXPECT_EQ(correction({}), Correction::replace);
  EXPECT_EQ(correction({.step = 0.5}), Correction::replace);
  EXPECT_EQ(correction({.safeguard = false}), Correction::unbiased);
  EXPECT_EQ(correction({.inner_passes = 5}), Correction::unbiased);
  EXPECT_EQ(correction({.inner_steps = 5}), Correction::unbiased);
  EXPECT_EQ(correction({.order = Order::with_replacement}), Correction::unbiased);
  EXPECT_EQ(correction({.correction = Correction::unbiased}), Correction::unbiased);
  EXPECT_EQ(fit(*view(V), RSvrmuOptions{}, options).solver.get<RSvrmuOptions>().correction,
            Correction::replace);
}

// 8 F N / stored columns hold 8 F entries.
TEST_F(Resolved, BatchesOfSparseVHoldMoreEntriesThanWHasRows) {
  const auto batch_size = [&](Index F, const SvrmuOptions& solver) {
    SparseMatrix<double> one_per_column(F, 4000);
    for (Index j = 0; j < 4000; ++j) one_per_column.insert(j % F, j) = 1;
    one_per_column.makeCompressed();
    return *fit(*view(one_per_column), solver, options).solver.find<Index>(Meaning::batch_size);
  };
  EXPECT_EQ(batch_size(20, {}), 256);
  EXPECT_EQ(batch_size(200, {}), 1600);
  EXPECT_EQ(batch_size(2000, {}), 4000);
  EXPECT_EQ(batch_size(200, {.batch_size = 100}), 100);
  EXPECT_EQ(batch_size(200, {.safeguard = false}), 256);
}

TEST_F(Resolved, ASmallBatchIsWarnedAbout) {
  EXPECT_THAT(fit(*view(V), SmuOptions{.batch_size = 4}, options).warnings,
              Contains(AllOf(HasSubstr("batch_size 4"), HasSubstr("5 K = 10"))));
  EXPECT_THAT(fit(*view(V), SmuOptions{.batch_size = 10}, options).warnings, IsEmpty());
  EXPECT_THAT(fit(*view(V), IncMuOptions{.batch_size = 4}, options).warnings, IsEmpty());
}

TEST_F(Resolved, ARankAboveTheSmallerSideIsWarnedAboutWhereItIsForced) {
  options.rank = 9;
  options.force_rank = true;
  EXPECT_THAT(fit(*view(V), MuOptions{}, options).warnings,
              Contains(AllOf(HasSubstr("rank 9"), HasSubstr("8 x 12"))));
}

}  // namespace
}  // namespace svrmu
