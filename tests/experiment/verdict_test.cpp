// Sentences must follow from the numbers, whatever these are.
#include <gmock/gmock.h>

#include <cmath>

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

// Two components whose centered cosine with those of angle 0 is cos(angle), in degrees.
RowMatrix<double> turned(double angle) {
  constexpr double degree = 3.14159265358979323846 / 180;
  const double c = std::cos(angle * degree), s = std::sin(angle * degree);
  RowMatrix<double> W(16, 2);
  W.setZero();
  W.col(0).head(4) << c, -c, s, -s;
  W.col(1).segment(4, 4) << c, -c, s, -s;
  return (W.array() + 3).matrix();
}

// What a method of the experiment came to: its error on clean data, the angle of its bases.
struct Outcome {
  double error = 0;
  double angle = 0;
};

// R-NMF, ONMF, R-ONMF, R-SVRMU-ACC, R-ONMF-ACC, R-SVRMU with these outcomes; the bases of clean data
// have the angle 0, and none is like the start.
Recovery recovered(const std::vector<Outcome>& outcomes) {
  Recovery recovery;
  recovery.contestants = faces_contestants(100, 1);
  recovery.spoiled = {0.537};
  recovery.mean_sample = 0.278;
  recovery.clean_bases = {turned(0)};
  recovery.start_bases = {turned(0).colwise().reverse()};
  for (std::size_t c = 0; c < outcomes.size(); ++c) {
    RecoveryRun run;
    run.contestant = c;
    run.likeness.relative_error = outcomes[c].error;
    run.parts = static_cast<Index>(c);
    run.bases = turned(outcomes[c].angle);
    recovery.runs.push_back(run);
  }
  return recovery;
}

const std::vector<Outcome> as_published = {{0.155, 40}, {0.46, 85},  {0.185, 80},
                                           {0.162, 35}, {0.194, 60}, {0.157, 45}};

TEST(FacesVerdict, FollowsBasesAndErrors) {
  const auto sentences = faces_verdict(recovered(as_published));
  ASSERT_EQ(sentences.size(), 5U);
  EXPECT_THAT(sentences[0], AllOf(HasSubstr("R-ONMF\" holds by the bases and by the error"),
                                  HasSubstr("r-svrmu-acc:inner-passes=5 0.819 against r-onmf 0.174"),
                                  HasSubstr("0.162 against r-onmf 0.185")));
  EXPECT_THAT(sentences[1],
              AllOf(HasSubstr("R-NMF\" holds: matched cosine"),
                    HasSubstr("r-svrmu-acc:inner-passes=5 0.996 (similar from 0.8 on), r-onmf 0.766"),
                    HasSubstr("0.162 against r-nmf 0.155")));
  EXPECT_THAT(sentences[2], HasSubstr("R-ONMF is behind"));
  EXPECT_THAT(sentences[3], HasSubstr("R-SVRMU is not below"));
  EXPECT_THAT(sentences[4], AllOf(HasSubstr("onmf 0.460"), HasSubstr("V itself is at 0.537"),
                                  HasSubstr("the mean picture at 0.278")));
}

TEST(FacesVerdict, BetterBasesAndSmallerErrorAreTwoThings) {
  auto outcomes = as_published;
  outcomes[3].error = 0.19;
  EXPECT_THAT(faces_verdict(recovered(outcomes))[0], HasSubstr("holds by the bases, not by the error"));
  outcomes[3].angle = 88;
  EXPECT_THAT(faces_verdict(recovered(outcomes))[0], HasSubstr("R-ONMF\" does not hold"));
  outcomes[3].error = 0.1;
  EXPECT_THAT(faces_verdict(recovered(outcomes))[0], HasSubstr("holds by the error, not by the bases"));
}

TEST(FacesVerdict, SimilarIsClaimedFromTheBasesNotFromTheErrors) {
  auto outcomes = as_published;
  outcomes[3] = {0.155, 80};  // the same error as R-NMF, other bases
  EXPECT_THAT(faces_verdict(recovered(outcomes))[1], HasSubstr("R-NMF\" does not hold"));
  outcomes[3] = {0.25, 42};
  EXPECT_THAT(faces_verdict(recovered(outcomes))[1], HasSubstr("R-NMF\" holds:"));
}

TEST(FacesVerdict, SaysWhenNobodyRecoversThePictures) {
  auto outcomes = as_published;
  for (Outcome& outcome : outcomes) outcome.error += 0.4;
  const auto sentences = faces_verdict(recovered(outcomes));
  EXPECT_THAT(sentences[0], AllOf(HasSubstr("Nobody recovers the pictures"), HasSubstr("r-nmf 0.555"),
                                  HasSubstr("has 0.278")));
  EXPECT_THAT(sentences[2], AllOf(HasSubstr("says nothing where nobody"), Not(HasSubstr("holds"))));
}

TEST(FacesVerdict, BasesThatAreStillTheStartAreNoise) {
  auto outcomes = as_published;
  for (Outcome& outcome : outcomes) outcome.angle = 75;
  outcomes[1].angle = outcomes[2].angle = 20;
  Recovery recovery = recovered(outcomes);
  recovery.start_bases = {turned(90)};
  const auto sentences = faces_verdict(recovery);
  EXPECT_THAT(sentences[0], AllOf(HasSubstr("still their random start"), HasSubstr("r-nmf 0.966"),
                                  Not(HasSubstr("r-onmf 0"))));
  EXPECT_THAT(sentences[2],
              AllOf(HasSubstr("says nothing while the bases of R-NMF are noise"), Not(HasSubstr("holds"))));
}

TEST(FacesVerdict, TellsHowMuchASeedMatters) {
  Recovery recovery = recovered(as_published);
  const std::size_t runs = recovery.runs.size();
  for (std::size_t i = 0; i < runs; ++i) {
    RecoveryRun again = recovery.runs[i];
    again.seed = 1;
    if (again.contestant == 0) again.bases = turned(70);
    recovery.runs.push_back(again);
  }
  recovery.clean_bases.push_back(turned(60));
  recovery.start_bases.push_back(recovery.start_bases[0]);
  EXPECT_THAT(faces_verdict(recovery)[2],
              AllOf(HasSubstr("r-nmf with itself is 0.866"), HasSubstr("on clean data 0.500")));
}

TEST(FacesVerdict, NeedsItsContestants) {
  Recovery recovery = recovered(as_published);
  recovery.contestants.pop_back();
  EXPECT_THROW(faces_verdict(recovery), InvalidInput);
}

TEST(FacesVerdict, TellsThePartsWhereTheyAreKnown) {
  Recovery recovery = recovered(as_published);
  recovery.true_parts = 17;
  EXPECT_THAT(
      faces_verdict(recovery).back(),
      HasSubstr("Of 17 true parts are found: r-nmf 0, onmf 1, r-onmf 2, r-svrmu-acc:inner-passes=5 3"));
}

}  // namespace
}  // namespace svrmu::experiment
