// With the safeguard, which is on by default, nothing ends badly: no run of a mini-batch solver ends above
// its start, whatever the shape, batch size, repeats, seed and noise.
#include <gtest/gtest.h>

#include <algorithm>
#include <tuple>

#include "forms.hpp"
#include "problems.hpp"
#include "verify_result.hpp"

namespace svrmu {
namespace {

struct Shape {
  std::string name;
  Index features;
  Index samples;
  Index rank;
};

const std::vector<Shape> shapes = {{"12x20", 12, 20, 3}, {"30x40", 30, 40, 4}, {"40x120", 40, 120, 5}};

std::vector<std::string> base_names() {
  std::vector<std::string> names = solvers_with("batch_size");
  std::erase_if(names, [](const std::string& name) { return name.ends_with("-acc"); });
  return names;
}

class Safeguard : public testing::TestWithParam<std::tuple<std::string, Shape>> {
 protected:
  const std::string& solver() const { return std::get<0>(GetParam()); }
  const Shape& shape() const { return std::get<1>(GetParam()); }

  // body(settings, V, seed) for every batch size, inner passes, repeats, seed and noise. Combinations of
  // options that the solver does not have are left out.
  template <class Body>
  void for_all_settings(const Settings& always, const Body& body) const {
    const SolverOptions standard = solver_named(solver());
    for (const std::uint64_t seed : {1, 2, 3})
      for (const bool with_noise : {false, true}) {
        const Matrix<double> V = with_noise
                                     ? noisy(shape().features, shape().samples, shape().rank, seed)
                                     : planted(shape().features, shape().samples, shape().rank, seed).V;
        for (const char* batch : {"1", "2", "5", "16", "50"})
          for (const char* passes : {"1", "5"}) {
            if (passes[0] == '5' && !has_option(standard, "inner_passes")) continue;
            for (const char* repeats : {"1", "5"}) {
              if (repeats[0] == '5' && !has_option(standard, "h_repeats")) continue;
              SCOPED_TRACE(testing::Message()
                           << "seed " << seed << (with_noise ? ", noisy" : ", noise-free") << ", batch "
                           << batch << ", inner passes " << passes << ", h repeats " << repeats);
              Settings settings = {{"batch_size", batch}, {"inner_passes", passes}, {"h_repeats", repeats}};
              settings.insert(settings.end(), always.begin(), always.end());
              body(configured(standard, settings), V, seed);
            }
          }
      }
  }
};

template <class Scalar>
void expect_no_bad_end(const FitResult<Scalar>& result) {
  EXPECT_NE(result.reason, StopReason::numerical_failure);
  EXPECT_TRUE(finite_and_nonnegative(result.W)) << "W";
  EXPECT_TRUE(finite_and_nonnegative(result.H)) << "H";
  EXPECT_TRUE(finite_and_nonnegative(result.R)) << "R";
  EXPECT_LE(result.record().objective, result.history.front().objective);
  for (const EpochRecord& entry : result.history) {
    EXPECT_TRUE(std::isfinite(entry.objective)) << "epoch " << entry.epoch;
    EXPECT_LE(result.record().objective, entry.objective + 1e-6 * result.history.front().objective)
        << "epoch " << entry.epoch;
  }
}

TEST_P(Safeguard, TwentyEpochsEndBelowTheStart) {
  for_all_settings({}, [&](const SolverOptions& options, const Matrix<double>& V, std::uint64_t seed) {
    const auto result = fit(*view(V), options, epochs<double>(20, shape().rank, seed));
    expect_no_bad_end(result);
    EXPECT_LT(result.record().objective, result.history.front().objective);
  });
}

TEST_P(Safeguard, OneAndThreeEpochsEndNotAboveTheStart) {
  for_all_settings({}, [&](const SolverOptions& options, const Matrix<double>& V, std::uint64_t seed) {
    for (const Index count : {1, 3}) {
      const auto result = fit(*view(V), options, epochs<double>(count, shape().rank, seed));
      expect_no_bad_end(result);
      if (seed == 1) verify_result(V, result);
    }
  });
}

TEST_P(Safeguard, FloatEndsBelowTheStart) {
  for_all_settings({}, [&](const SolverOptions& options, const Matrix<double>& V, std::uint64_t seed) {
    if (seed != 2) return;
    const Matrix<float> in_float = V.cast<float>();
    const auto result = fit(*view(in_float), options, epochs<float>(20, shape().rank, seed));
    expect_no_bad_end(result);
    EXPECT_LT(result.record().objective, result.history.front().objective);
  });
}

TEST_P(Safeguard, OtherOrdersEndBelowTheStart) {
  for (const std::string order : {"cyclic", "reshuffle", "with_replacement"}) {
    if (solver() == "sag-mu" && order != "cyclic") continue;
    SCOPED_TRACE(order);
    for_all_settings({{"order", order}},
                     [&](const SolverOptions& options, const Matrix<double>& V, std::uint64_t seed) {
                       if (seed != 3 || shape().samples > 20) return;
                       const auto result = fit(*view(V), options, epochs<double>(20, shape().rank, seed));
                       expect_no_bad_end(result);
                       EXPECT_LT(result.record().objective, result.history.front().objective);
                     });
  }
}

TEST_P(Safeguard, KeptOutliersEndBelowTheStart) {
  if (!is_robust_name(solver())) return;
  for_all_settings({{"outlier_update", "multiplicative"}},
                   [&](const SolverOptions& options, const Matrix<double>& V, std::uint64_t seed) {
                     if (seed != 1) return;
                     const auto result = fit(*view(V), options, epochs<double>(20, shape().rank, seed));
                     expect_no_bad_end(result);
                     EXPECT_LT(result.record().objective, result.history.front().objective);
                   });
}

// Nothing can be gained here; nothing may be lost either.
TEST_P(Safeguard, GoodStartIsNotSpoiled) {
  for_all_settings({}, [&](const SolverOptions& options, const Matrix<double>& V, std::uint64_t seed) {
    if (seed != 1) return;
    const auto good = fit(*view(V), HalsAccOptions{}, epochs<double>(30, shape().rank, seed));
    FitOptions<double> from_there = epochs<double>(3, shape().rank, seed);
    from_there.given.W = good.W;
    from_there.given.H = good.H;
    expect_no_bad_end(fit(*view(V), options, from_there));
  });
}

INSTANTIATE_TEST_SUITE_P(EveryMiniBatch, Safeguard,
                         testing::Combine(testing::ValuesIn(base_names()), testing::ValuesIn(shapes)),
                         [](const auto& test) {
                           std::string name = std::get<0>(test.param) + "_" + std::get<1>(test.param).name;
                           for (char& c : name)
                             if (c == '-') c = '_';
                           return name;
                         });

class SafeguardStatistics : public OverSolvers {};

TEST_P(SafeguardStatistics, EndBelowTheStart) {
  for (const Shape& shape : shapes)
    for (const char* batch : {"1", "5", "16"})
      for (const char* repeats : {"1", "5"}) {
        SCOPED_TRACE(shape.name + ", batch " + batch + ", repeats " + repeats);
        const SolverOptions solver = configured("onmf", {{"batch_size", batch},
                                                         {"h_repeats", repeats},
                                                         {"w_repeats", repeats},
                                                         {"statistics", GetParam()}});
        const Matrix<double> V = noisy(shape.features, shape.samples, shape.rank);
        const auto result = fit(*view(V), solver, epochs<double>(20, shape.rank));
        expect_no_bad_end(result);
        EXPECT_LT(result.record().objective, result.history.front().objective);
      }
}

INSTANTIATE_TEST_SUITE_P(OfOnmf, SafeguardStatistics, testing::Values("reset", "accumulate", "replace"),
                         test_name);

class Undone : public OverSolvers {};

SolverOptions with_step(SolverOptions solver, double step) {
  if (double* of_solver = solver.find<double>(Meaning::step)) *of_solver = step;
  return solver;
}

// After epochs that were undone, the next is the first of a run that begins there with the step left over.
TEST_P(Undone, EpochsLeaveNoTrace) {
  Index undone = 0;
  for (const std::uint64_t seed : {1, 2, 3, 4}) {
    SCOPED_TRACE(seed);
    const Matrix<double> V = noisy(12, 20, 3, seed);
    FitOptions<double> options = epochs<double>(40, 3, seed);
    if (GetParam() != "inmf") options.penalties = {0.05, 0.05, 0.05, 0.05};
    const auto good = fit(*view(V), HalsAccOptions{}, options);
    options.stopping.max_epochs = 10;
    options.given.W = good.W;
    options.given.H = good.H;
    const Settings settings = {{"batch_size", "2"}, {"order", "cyclic"}, {"outlier_penalty", "1000"}};
    const auto result = fit(*view(V), configured(GetParam(), settings), options);
    const auto first = std::find_if(result.history.begin() + 1, result.history.end(),
                                    [](const EpochRecord& entry) { return !entry.rolled_back; });
    if (first == result.history.begin() + 1 || first == result.history.end()) continue;
    ++undone;
    options.stopping.max_epochs = 1;
    const auto fresh = fit(*view(V), with_step(configured(GetParam(), settings), first->step), options);
    EXPECT_EQ(first->objective, fresh.history[1].objective) << "after " << first->rollbacks << " undone";
  }
  EXPECT_GT(undone, 0) << "nothing was tested";
}

INSTANTIATE_TEST_SUITE_P(OfSolversWithMemory, Undone, testing::Values("onmf", "r-onmf", "inmf", "asag-mu"),
                         test_name);

// With automatic settings each batch replaces its part of the snapshot's sums.
class AutomaticSnapshots : public OverSolvers {
 protected:
  static constexpr Index epochs_each = 10;
  Index runs = 0;

  // Epochs undone over all losses, batch sizes, precisions and storages.
  Index undone(const Settings& settings) {
    std::vector<std::string> losses = {"frobenius"};
    if (!is_robust_name(GetParam())) losses = {"frobenius", "kl", "is", "beta:0.5", "beta:1.5", "beta:3"};
    Index rollbacks = 0;
    for (const std::string& loss : losses)
      for (const char* batch : {"2", "7", "40"}) {
        SCOPED_TRACE(loss + ", batches of " + batch);
        const SolverOptions solver = configured(configured(GetParam(), {{"batch_size", batch}}), settings);
        rollbacks += undone(loss == "is" ? positive(40, 80, 4) : mostly_zero(40, 80, 3, 0.1), solver, loss);
        rollbacks += undone(positive(30, 60, 4), solver, loss);
      }
    return rollbacks;
  }

 private:
  Index undone(const Matrix<double>& values, const SolverOptions& solver, const std::string& loss) {
    Index rollbacks = 0;
    in_every_form(values, [&]<class Scalar>(const MatrixSource<Scalar>& source, const Matrix<Scalar>&) {
      FitOptions<Scalar> options = epochs<Scalar>(epochs_each, 4);
      options.loss = parse_loss(loss);
      options.start = Start::random;
      const auto result = fit(source, solver, options);
      EXPECT_LT(result.record().objective, result.history.front().objective);
      rollbacks += result.history.back().rollbacks;
      ++runs;
    });
    return rollbacks;
  }
};

// Batches that change from pass to pass: parts are made at the snapshot, nothing is extrapolated, and no step
// goes up.
TEST_P(AutomaticSnapshots, AreNotUndone) {
  EXPECT_EQ(undone({{"order", "reshuffle"}}), 0);
  EXPECT_GT(undone({{"order", "reshuffle"}, {"correction", "unbiased"}}), 0) << "nothing was tested";
}

TEST_P(AutomaticSnapshots, WithExtrapolationAreRarelyUndone) {
  const Index rollbacks = undone({});
  EXPECT_LE(rollbacks, runs * epochs_each / 20);
}

INSTANTIATE_TEST_SUITE_P(OfSvrmu, AutomaticSnapshots,
                         testing::Values("svrmu", "svrmu-acc", "r-svrmu", "r-svrmu-acc"), test_name);

}  // namespace
}  // namespace svrmu
