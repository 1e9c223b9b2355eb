// Where a run of `fast` stands, before and after it is stored.
#include <gtest/gtest.h>

#include "compare.hpp"
#include "fit/state.hpp"
#include "forms.hpp"
#include "problems.hpp"
#include "solvers/fast/progress.hpp"

namespace svrmu::fast {
namespace {

Phase phase_of(const FitResult<double>& result) {
  return static_cast<Phase>(static_cast<int>(result.checkpoint.numbers.at("mode")));
}

struct Stop {
  Index epoch;
  Phase phase;
};

// Phases at some epochs, and that a run goes on from each with the bits of one that never stopped.
void expect_phases(const MatrixSource<double>& V, const FastOptions& solver, Index rank, Index last,
                   const std::vector<Stop>& stops) {
  const auto whole = fit(V, SolverOptions(solver), epochs<double>(last, rank));
  for (const Stop& stop : stops) {
    SCOPED_TRACE("stopped after epoch " + std::to_string(stop.epoch));
    const auto part = fit(V, SolverOptions(solver), epochs<double>(stop.epoch, rank));
    EXPECT_EQ(phase_of(part), stop.phase);
    const auto resumed = resume(V, part, epochs<double>(last, rank));
    EXPECT_EQ(phase_of(resumed), phase_of(whole));
    expect_same_bits(resumed, whole);
  }
}

TEST(Phase, SurvivesAResumeOnTheDenseRoad) {
  const Matrix<double> V = planted(60, 200, 3).V;  // noise-free: the surrogate is left behind
  expect_phases(*view(V), {.subset_size = 60, .sketch_size = 8}, 3, 60,
                {{0, Phase::first}, {1, Phase::on_surrogate}, {60, Phase::on_V}});
}

TEST(Phase, SurvivesAResumeOnTheSparseRoad) {
  const Matrix<double> W = mostly_zero(80, 3, 3, 0.3);
  const Matrix<double> H = mostly_zero(3, 900, 4, 0.3);
  const SparseMatrix<double> V = plain_product(W, H).sparseView();
  expect_phases(*view(V), {.subset_size = 300}, 3, 25,
                {{0, Phase::first}, {1, Phase::in_single}, {25, Phase::on_V}});
}

TEST(Phase, IsOnVFromTheFirstEpochWhereVIsSmall) {
  const Matrix<double> V = noisy(15, 30, 3);
  expect_phases(*view(V), {}, 3, 4, {{0, Phase::first}, {1, Phase::on_V}});
}

// What the state visitor makes of flags, enumerations and unknown numbers.
TEST(State, KeepsFlagsEnumerationsAndUnknownNumbers) {
  Checkpoint<double> stored;
  CopyOut<double> out(stored);
  bool flag = true;
  Phase phase = Phase::in_single;
  std::optional<double> known = 2.5;
  std::optional<double> unknown;
  visit_as_number(out, "flag", flag);
  visit_as_number(out, "phase", phase);
  visit_optional(out, "known", known);
  visit_optional(out, "unknown", unknown);
  EXPECT_EQ(stored.numbers.at("flag"), 1);
  EXPECT_EQ(stored.numbers.at("phase"), 3);
  EXPECT_TRUE(std::isfinite(stored.numbers.at("unknown")));

  flag = false;
  phase = Phase::first;
  known.reset();
  unknown = 1;
  CopyIn<double> in(stored);
  visit_as_number(in, "flag", flag);
  visit_as_number(in, "phase", phase);
  visit_optional(in, "known", known);
  visit_optional(in, "unknown", unknown);
  EXPECT_TRUE(flag);
  EXPECT_EQ(phase, Phase::in_single);
  EXPECT_EQ(known, 2.5);
  EXPECT_FALSE(unknown);
}

}  // namespace
}  // namespace svrmu::fast
