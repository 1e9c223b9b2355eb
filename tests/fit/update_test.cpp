// Going on with a model from new samples.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "forms.hpp"
#include "sources.hpp"
#include "streams.hpp"

namespace svrmu {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::ThrowsMessage;

TEST(Update, ForgettingFollowsDataThatChange) {
  const Matrix<double> before = planted(20, 3000, 3, 1).V;
  const Matrix<double> after = planted(20, 3000, 3, 50).V;
  for (const char* name : {"onmf-acc", "inc-mu-acc", "inc-hals"}) {
    const SolverOptions solver = configured(name, {{"batch_size", "50"}});
    const auto model = fit_stream(*view(before), solver, rank_of<double>(3), one_thread<double>());
    StreamOptions<double> forgetting = one_thread<double>();
    forgetting.forget_factor = 0.8;
    const double remembers = error_of(after, update(model, *view(after), one_thread<double>()));
    const double forgets = error_of(after, update(model, *view(after), forgetting));
    EXPECT_LT(forgets, 0.7 * remembers) << name;
  }
}

TEST(Update, GoesOnFromAFitInMemory) {
  const Matrix<double> V = noisy(20, 300, 4);
  const Matrix<double> more = noisy(20, 900, 4).rightCols(600);
  for (const char* name : {"fast", "inc-mu", "inc-hals", "onmf", "mu", "svrmu-acc", "smu"}) {
    const auto fitted = fit(*view(V), solver_named(name), epochs<double>(30, 4));
    const auto updated = update(fitted, *view(more), one_thread<double>());
    EXPECT_EQ(updated.checkpoint.stream.columns, 600) << name;
    EXPECT_EQ(updated.H.cols(), 0);
    EXPECT_GT(updated.history.size(), fitted.history.size());
    EXPECT_LT(error_of(more, updated), 1.2 * error_of(more, fitted)) << name;
    EXPECT_THROW(resume(*view(V), updated, epochs<double>(60, 4)), InvalidInput);
  }
  const auto robust = fit(*view(V), solver_named("r-nmf"), epochs<double>(3, 4));
  EXPECT_THROW(update(robust, *view(more)), InvalidInput);
}

TEST(Update, HistoriesOfManyCallsStayShort) {
  const Matrix<double> V = noisy(12, 20, 3);
  auto model = fit_stream(*view(V), configured("inc-mu", {{"batch_size", "20"}}), rank_of<double>(3),
                          one_thread<double>());
  for (int i = 0; i < 200; ++i) model = update(model, *view(V), one_thread<double>());
  EXPECT_EQ(model.record().columns_read, 201 * 20);
  EXPECT_LT(model.history.size(), 12u);
}

TEST(Update, TakesSamplesFromMemoryAFileAndAStream) {
  const Matrix<double> V = noisy(12, 90, 3);
  const Matrix<double> more = noisy(12, 300, 3, 5);
  const auto model = fit_stream(*view(V), configured("inc-hals", {{"batch_size", "30"}}), rank_of<double>(3),
                                one_thread<double>());
  const auto from_memory = update(model, *view(more), one_thread<double>());
  const CopyingSource<double> as_of_a_file(more);
  CountingStream<double> stream(more);
  EXPECT_EQ(update(model, as_of_a_file, one_thread<double>()).W, from_memory.W);
  EXPECT_EQ(update(model, stream, one_thread<double>()).W, from_memory.W);
  EXPECT_NE(from_memory.W, model.W);
}

TEST(Update, RefusesAnotherNumberOfFeaturesWithBothNumbers) {
  const Matrix<double> V = noisy(12, 90, 3);
  const Matrix<double> other = noisy(13, 90, 3);
  const auto model = fit_stream(*view(V), solver_named("smu"), rank_of<double>(3), one_thread<double>());
  EXPECT_THAT([&] { update(model, *view(other)); },
              ThrowsMessage<InvalidInput>(AllOf(HasSubstr("13 features"), HasSubstr("12"))));
}

TEST(Update, TheClockOfTheStepGoesOn) {
  const Matrix<double> V = noisy(12, 480, 3);
  const Matrix<double> first = V.leftCols(160);
  const Matrix<double> rest = V.rightCols(320);
  for (const char* name : {"svrmu", "smu", "onmf"})
    for (const char* clock : {"epoch", "step"}) {
      SCOPED_TRACE(std::string(name) + ", clock " + clock);
      const SolverOptions solver = configured(name, {{"batch_size", "10"},
                                                     {"step_decay", "0.5"},
                                                     {"step_decay_power", "0.6"},
                                                     {"step_decay_clock", clock}});
      const auto whole = fit_stream(*view(V), solver, rank_of<double>(3), one_thread<double>());
      auto model = fit_stream(*view(first), solver, rank_of<double>(3), one_thread<double>());
      model = update(model, *view(rest), one_thread<double>());
      EXPECT_EQ(model.W, whole.W);
      EXPECT_EQ(model.record().step, whole.record().step);
      EXPECT_EQ(model.checkpoint.w_steps, whole.checkpoint.w_steps);
      EXPECT_LT(whole.record().step, 0.7);
    }
}

TEST(Update, InnerStepsAreMadeInEachWindow) {
  const Matrix<double> V = noisy(12, 480, 3);
  for (const Index steps : {5, 16, 40}) {
    const SolverOptions solver = configured("svrmu", {{"batch_size", "10"},
                                                      {"inner_steps", std::to_string(steps)},
                                                      {"step_decay", "0.01"},
                                                      {"step_decay_clock", "step"}});
    const auto model = fit_stream(*view(V), solver, rank_of<double>(3), one_thread<double>());
    EXPECT_EQ(model.checkpoint.w_steps, 3 * steps);
    EXPECT_EQ(model.checkpoint.gradient_count, 12 * (480 + 3 * 10.0 * static_cast<double>(steps)));
    EXPECT_EQ(model.checkpoint.columns_read, 480);
  }
  // As many steps as a pass has batches are that pass.
  const Settings settings = {{"batch_size", "10"}};
  const auto passes =
      fit_stream(*view(V), configured("svrmu", settings), rank_of<double>(3), one_thread<double>());
  const auto steps = fit_stream(*view(V), configured(configured("svrmu", settings), {{"inner_steps", "16"}}),
                                rank_of<double>(3), one_thread<double>());
  EXPECT_EQ(passes.W, steps.W);
}

TEST(Update, OptionsOfAFitThatAStreamCannotHaveAreReplaced) {
  const Matrix<double> V = noisy(12, 90, 3);
  for (const auto& [name, option, value] :
       {std::tuple{"smu", "order", "reshuffle"}, std::tuple{"onmf", "statistics", "replace"},
        std::tuple{"svrmu", "order", "with_replacement"}}) {
    const auto fitted = fit(*view(V), configured(name, {{option, value}}), epochs<double>(5, 3));
    const auto updated = update(fitted, *view(V), one_thread<double>());
    EXPECT_EQ(updated.checkpoint.stream.columns, 90) << name;
    for (const OptionInfo& info : options_of(updated.solver)) {
      EXPECT_FALSE(info.name == option && info.value == value) << name;
    }
  }
}

TEST(Update, StatisticsGoToAnotherAlgorithm) {
  const Matrix<double> V = noisy(12, 600, 3);
  const Matrix<double> more = noisy(12, 20, 3, 9);
  StreamOptions<double> options = one_thread<double>();
  options.solver = configured("inc-mu", {{"batch_size", "20"}});
  const auto hals = fit_stream(*view(V), configured("inc-hals", {{"batch_size", "20"}}), rank_of<double>(3),
                               one_thread<double>());
  const auto updated = update(hals, *view(more), options);
  EXPECT_EQ(updated.solver.name(), "inc-mu");
  EXPECT_EQ(updated.checkpoint.numbers.at("columns"), 620);
  // A is that of all columns: what 20 columns add to it is little.
  EXPECT_LT((updated.checkpoint.matrices.at("A") - hals.checkpoint.matrices.at("A")).norm(),
            0.2 * hals.checkpoint.matrices.at("A").norm());

  const auto smu = fit_stream(*view(V), solver_named("smu"), rank_of<double>(3), one_thread<double>());
  EXPECT_THAT([&] { update(smu, *view(more), options); },
              ThrowsMessage<InvalidInput>(AllOf(HasSubstr("inc-mu"), HasSubstr("kept no statistics"))));
}

TEST(Update, OfAFitWithNothingNewIsThatFit) {
  const Matrix<double> V = noisy(12, 90, 3);
  const auto fitted = fit(*view(V), solver_named("inc-mu"), epochs<double>(5, 3));
  CountingStream<double> empty(V, 0, 0);
  const auto same = update(fitted, empty);
  EXPECT_EQ(same.H, fitted.H);
  EXPECT_EQ(same.reason, fitted.reason);
  EXPECT_EQ(same.checkpoint.stream.columns, 0);
}

TEST(Update, SaysWhatGoesOnWhereTheAlgorithmCannot) {
  const Matrix<double> V = noisy(12, 90, 3);
  const auto kl = [&] {
    FitOptions<double> options = epochs<double>(5, 3);
    options.loss = Loss::kullback_leibler();
    return fit(*view(V), solver_named("mu"), options);
  }();
  const auto updated = update(kl, *view(V), one_thread<double>());
  EXPECT_EQ(updated.algorithm, "smu-acc");
  EXPECT_THAT(updated.choice, AllOf(HasSubstr("mu has to see columns again"), HasSubstr("smu-acc goes on")));
}

TEST(Update, AWindowThatLeadsToNumbersThatAreNotFiniteIsUndone) {
  const Matrix<double> V = noisy(12, 90, 3);
  const Matrix<double> far_too_large = Matrix<double>::Constant(12, 30, 1e300);
  Matrix<double> both(12, 120);
  both << V, far_too_large;
  for (const char* name : {"inc-hals", "inc-mu", "smu"}) {
    const SolverOptions solver = configured(name, {{"batch_size", "30"}});
    const auto model = fit_stream(*view(V), solver, rank_of<double>(3), one_thread<double>());
    const auto updated = update(model, *view(far_too_large), one_thread<double>());
    EXPECT_EQ(updated.reason, StopReason::numerical_failure) << name;
    EXPECT_EQ(updated.W, model.W) << name;
    const auto at_once = fit_stream(*view(both), solver, rank_of<double>(3), one_thread<double>());
    EXPECT_EQ(at_once.reason, StopReason::numerical_failure) << name;
    EXPECT_EQ(at_once.W, model.W) << name;
    EXPECT_EQ(at_once.checkpoint.stream.columns, 90) << name;
    for (const auto& [part, matrix] : model.checkpoint.matrices)
      EXPECT_EQ(at_once.checkpoint.matrices.at(part), matrix) << name << " " << part;
  }
  StreamStart<double> start = rank_of<double>(3);
  start.W = RowMatrix<double>::Constant(12, 3, 1e300);
  EXPECT_THAT([&] { fit_stream(*view(V), solver_named("inc-hals"), start, one_thread<double>()); },
              ThrowsMessage<InvalidInput>(HasSubstr("not finite")));
}

TEST(Update, ModelsOfStreamsAreNotResumed) {
  const Matrix<double> V = noisy(12, 90, 3);
  const auto model = fit_stream(*view(V), solver_named("inc-mu"), rank_of<double>(3), one_thread<double>());
  EXPECT_THAT([&] { resume(*view(V), model, epochs<double>(60, 3)); },
              ThrowsMessage<InvalidInput>(AllOf(HasSubstr("stream"), HasSubstr("update()"))));
}

}  // namespace
}  // namespace svrmu
