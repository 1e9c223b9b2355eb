// Sentences must follow from the numbers, whatever these are.
#include <gmock/gmock.h>

#include "made_comparisons.hpp"
#include "svrmu/error.hpp"
#include "svrmu/experiment/recovery.hpp"

namespace svrmu::experiment {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

// The paper's seven methods with these objectives at the end of 10 counts, in the order of
// paper_contestants().
Comparison ended_at(const std::vector<double>& ends) {
  Comparison comparison = made_comparison("paper", 2, 0, 10);
  for (std::size_t c = 0; c < ends.size(); ++c)
    for (const std::size_t trial : {0U, 1U})
      comparison.runs.push_back({c, trial, StopReason::gradient_budget,
                                 made_history({{0, 1000}, {5, ends[c] + 10}, {10, ends[c]}})});
  return comparison;
}

TEST(SyntheticVerdict, OrdersTheMethods) {
  const auto sentences = synthetic_verdict(ended_at({52, 132, 108, 169, 29, 157, 13}));
  EXPECT_THAT(
      sentences[0],
      HasSubstr("svrmu-acc:inner-passes=5 13 < svrmu:inner-passes=5 29 < inmf 52 < asag-mu 108 < onmf 132 < "
                "smu-acc 157 < smu 169."));
}

TEST(SyntheticVerdict, HoldsWhereTheProposedMethodIsLowest) {
  const auto sentences = synthetic_verdict(ended_at({52, 132, 108, 169, 29, 157, 13}));
  EXPECT_THAT(sentences[1],
              AllOf(HasSubstr("gradient counts: holds for svrmu-acc"), HasSubstr("in 2 of 2 runs"),
                    HasSubstr("13 against 52 of inmf"), HasSubstr("from count 5 on")));
  EXPECT_THAT(sentences[2], HasSubstr("holds for svrmu:inner-passes=5"));
}

TEST(SyntheticVerdict, DoesNotHoldWhereItIsNot) {
  const auto sentences = synthetic_verdict(ended_at({2.3, 1.2, 2, 1.4, 4.1, 0.34, 1.18}));
  EXPECT_THAT(sentences[1], AllOf(HasSubstr("does not hold for svrmu-acc"), HasSubstr("in 0 of 2 runs"),
                                  HasSubstr("1.18 against 0.34 of smu-acc")));
  EXPECT_THAT(sentences[5], AllOf(HasSubstr("others alone"), HasSubstr(": holds for svrmu-acc"),
                                  HasSubstr("1.18 against 1.2 of onmf")));
  EXPECT_THAT(sentences.back(), HasSubstr("smu-acc with 0.34"));
}

TEST(SyntheticVerdict, NeedsThePapersMethods) {
  Comparison comparison = made_comparison("mu,hals", 1, 0, 10);
  EXPECT_THROW(synthetic_verdict(comparison), InvalidInput);
}

// R-NMF, ONMF, R-ONMF, R-SVRMU-ACC, R-ONMF-ACC, R-SVRMU with these errors.
Recovery recovered(const std::vector<double>& errors) {
  Recovery recovery;
  recovery.contestants = faces_contestants(100, 1);
  recovery.spoiled = {0.537};
  for (std::size_t c = 0; c < errors.size(); ++c) {
    RecoveryRun run;
    run.contestant = c;
    run.likeness.relative_error = errors[c];
    run.parts = static_cast<Index>(c);
    recovery.runs.push_back(run);
  }
  return recovery;
}

TEST(FacesVerdict, FollowsTheErrors) {
  auto sentences = faces_verdict(recovered({0.188, 0.458, 0.185, 0.161, 0.175, 0.188}));
  EXPECT_THAT(sentences[0], AllOf(HasSubstr("R-ONMF\" holds"), HasSubstr("0.161 against r-onmf 0.185")));
  EXPECT_THAT(sentences[1], HasSubstr("R-NMF\" holds"));
  EXPECT_THAT(sentences[2], HasSubstr("R-ONMF is behind"));
  EXPECT_THAT(sentences[3], HasSubstr("R-SVRMU is not below"));
  EXPECT_THAT(sentences[4], AllOf(HasSubstr("onmf 0.458"), HasSubstr("V itself is at 0.537")));
  EXPECT_EQ(sentences.size(), 5U);

  sentences = faces_verdict(recovered({0.2, 0.15, 0.139, 0.15, 0.109, 0.196}));
  EXPECT_THAT(sentences[0], HasSubstr("R-ONMF\" does not hold"));
  EXPECT_THAT(sentences[1], HasSubstr("R-NMF\" is surpassed by more than 0.03"));
  EXPECT_THAT(sentences[2], HasSubstr("R-ONMF is ahead"));
  EXPECT_THAT(sentences[3], AllOf(HasSubstr("is below"), Not(HasSubstr("not below"))));
}

TEST(FacesVerdict, SimilarIsNotWorse) {
  EXPECT_THAT(faces_verdict(recovered({0.1, 0.4, 0.2, 0.14, 0.2, 0.2}))[1],
              HasSubstr("R-NMF\" does not hold within 0.03"));
}

TEST(FacesVerdict, TellsThePartsWhereTheyAreKnown) {
  Recovery recovery = recovered({0.1, 0.2, 0.3, 0.1, 0.1, 0.1});
  recovery.true_parts = 17;
  EXPECT_THAT(
      faces_verdict(recovery).back(),
      HasSubstr("Of 17 true parts are found: r-nmf 0, onmf 1, r-onmf 2, r-svrmu-acc:inner-passes=5 3"));
}

}  // namespace
}  // namespace svrmu::experiment
