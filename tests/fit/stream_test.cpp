// Learning from columns that are seen once.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "forms.hpp"
#include "problems.hpp"
#include "sources.hpp"
#include "streams.hpp"

namespace svrmu {
namespace {

class Streams : public testing::TestWithParam<std::string> {};

TEST_P(Streams, EveryColumnIsServedOnceAndCounted) {
  const Matrix<double> V = noisy(12, 103, 3);
  CountingStream<double> stream(V);
  const auto model = fit_stream(stream, configured(GetParam(), {{"batch_size", "20"}}), rank_of<double>(3),
                                one_thread<double>());
  EXPECT_EQ(stream.served(), 103);
  EXPECT_EQ(model.record().columns_read, 103);
  EXPECT_EQ(model.record().columns_evaluated, 0);
  EXPECT_EQ(model.checkpoint.stream.columns, 103);
  EXPECT_EQ(model.reason, StopReason::end_of_stream);
  EXPECT_EQ(model.H.rows(), 3);
  EXPECT_EQ(model.H.cols(), 0);
  for (const EpochRecord& record : model.history) EXPECT_TRUE(record.estimated);
}

TEST_P(Streams, LearnsWhatIsPlanted) {
  const Matrix<double> V = planted(20, 4000, 4).V;
  CountingStream<double> stream(V);
  const auto model = fit_stream(stream, configured(GetParam(), {{"batch_size", "40"}}), rank_of<double>(4),
                                one_thread<double>());
  const auto start = fit(*view(V), solver_named("mu"), epochs<double>(0, 4));
  EXPECT_LT(error_of(V, model), 0.5 * error_of(V, start)) << error_of(V, model);
}

TEST_P(Streams, PiecesGiveTheBitsOfTheWhole) {
  const SolverOptions solver = configured(GetParam(), {{"batch_size", "10"}});
  const Index window = GetParam().starts_with("svrmu") ? 160 : 10;
  const Matrix<double> values = noisy(12, 5 * window + 7, 3);
  in_every_form(values, [&]<class Scalar>(const MatrixSource<Scalar>& whole, const Matrix<Scalar>& V) {
    const auto at_once = fit_stream(whole, solver, rank_of<Scalar>(3), one_thread<Scalar>());
    const auto part = [&](Index begin, Index end, const auto& use) {
      const Matrix<Scalar> columns = V.middleCols(begin, end - begin);
      const SparseMatrix<Scalar> sparse = columns.sparseView();
      return whole.is_sparse() ? use(*view(sparse)) : use(*view(columns));
    };
    auto model = part(0, window, [&](const auto& V1) {
      return fit_stream(V1, solver, rank_of<Scalar>(3), one_thread<Scalar>());
    });
    model = part(window, 4 * window, [&](const auto& V2) { return update(model, V2, one_thread<Scalar>()); });
    model =
        part(4 * window, V.cols(), [&](const auto& V3) { return update(model, V3, one_thread<Scalar>()); });
    EXPECT_EQ(model.W, at_once.W);
    EXPECT_EQ(model.checkpoint.current.W, at_once.checkpoint.current.W);
    EXPECT_EQ(model.checkpoint.matrices.size(), at_once.checkpoint.matrices.size());
    for (const auto& [name, matrix] : at_once.checkpoint.matrices)
      EXPECT_EQ(model.checkpoint.matrices.at(name), matrix) << name;
    EXPECT_EQ(model.checkpoint.numbers, at_once.checkpoint.numbers);
    ASSERT_EQ(model.history.size(), at_once.history.size());
    for (std::size_t i = 0; i < model.history.size(); ++i) {
      EXPECT_EQ(model.history[i].objective, at_once.history[i].objective) << "entry " << i;
      EXPECT_EQ(model.history[i].columns_read, at_once.history[i].columns_read) << "entry " << i;
    }
  });
}

TEST_P(Streams, SameBitsForAnyNumberOfThreads) {
  const Matrix<double> V = noisy(30, 700, 3);
  const SolverOptions solver = configured(GetParam(), {{"batch_size", "100"}});
  StreamOptions<double> two;
  two.threads = 2;
  EXPECT_EQ(fit_stream(*view(V), solver, rank_of<double>(3), one_thread<double>()).W,
            fit_stream(*view(V), solver, rank_of<double>(3), two).W);
}

TEST_P(Streams, InvalidColumnsAreNamed) {
  for (const double bad : {std::numeric_limits<double>::quiet_NaN(), -1.0}) {
    Matrix<double> V = noisy(12, 103, 3);
    V(4, 70) = bad;
    CountingStream<double> stream(V);
    const SolverOptions solver = configured(GetParam(), {{"batch_size", "20"}});
    try {
      fit_stream(stream, solver, rank_of<double>(3), one_thread<double>());
      FAIL() << "it must throw";
    } catch (const InvalidData& error) {
      EXPECT_THAT(error.what(), testing::HasSubstr("row 5, column 71"));
    }
  }
}

TEST_P(Streams, HandsOutHOfEveryColumnInTheUnitsOfV) {
  const Matrix<double> V = 1e-9 * planted(12, 2000, 3).V;
  StreamOptions<double> options = one_thread<double>();
  Matrix<double> H(3, V.cols());
  Index next = 0;
  options.keep_h = [&](Index first, const Matrix<double>& h) {
    EXPECT_EQ(first, next);
    H.middleCols(first, h.cols()) = h;
    next += h.cols();
  };
  const auto model =
      fit_stream(*view(V), configured(GetParam(), {{"batch_size", "50"}}), rank_of<double>(3), options);
  EXPECT_EQ(next, V.cols());
  const Index last = 200;
  const Matrix<double> end = V.rightCols(last);
  EXPECT_LT((end - plain_product(model.W, H.rightCols(last))).norm(), 0.6 * end.norm());
}

TEST_P(Streams, RunningResidualsAreThoseOfTheWindows) {
  const Matrix<double> V = noisy(12, 600, 3);
  StreamOptions<double> options = one_thread<double>();
  double residual = 0;
  Index at = 0;
  options.progress = [&](const StreamProgress& now) {
    const Matrix<double> window = V.middleCols(at, now.columns - at);
    residual += now.relative_error * now.relative_error * window.squaredNorm();
    at = now.columns;
  };
  const auto model =
      fit_stream(*view(V), configured(GetParam(), {{"batch_size", "30"}}), rank_of<double>(3), options);
  EXPECT_NEAR(model.record().cost, residual / 2, 1e-9 * residual);
  EXPECT_NEAR(model.record().relative_error, std::sqrt(residual) / V.norm(), 1e-9);
  EXPECT_NEAR(model.null_cost, V.squaredNorm() / 2, 1e-9 * V.squaredNorm());
}

INSTANTIATE_TEST_SUITE_P(Every, Streams, testing::ValuesIn(streaming_solvers()), test_name);

TEST(Stream, TheStatisticsOfInMemoryOnmfFollowFromTheSameSteps) {
  // One cyclic epoch with accumulated sums, from the start that a stream has.
  const Matrix<double> V = noisy(12, 60, 3);
  const RowMatrix<double> W0 = random_matrix(12, 3, 7);
  const Matrix<double> first = V.leftCols(20);
  const Matrix<double> H0 = Matrix<double>::Constant(3, 20, first.sum() / 20 / W0.sum());
  FitOptions<double> options = epochs<double>(1, 3);
  options.given.W = W0;
  options.given.H = H0;
  const Settings settings = {
      {"batch_size", "20"}, {"order", "cyclic"}, {"statistics", "accumulate"}, {"safeguard", "false"}};
  const auto in_memory = fit(*view(first), configured("onmf-acc", settings), options);
  StreamStart<double> start = rank_of<double>(3);
  start.W = W0;
  const auto streamed =
      fit_stream(*view(first), configured("onmf-acc", {{"batch_size", "20"}}), start, one_thread<double>());
  // Not bit for bit: the sums in H0 are added in another order here.
  EXPECT_TRUE(streamed.checkpoint.current.W.isApprox(in_memory.checkpoint.current.W, 1e-13));
  EXPECT_TRUE(streamed.checkpoint.matrices.at("A").isApprox(in_memory.checkpoint.matrices.at("A"), 1e-13));
  EXPECT_NEAR(streamed.record().objective, in_memory.history.back().objective, 1e-9);
}

TEST(Stream, OtherAlgorithmsAreRefusedByName) {
  const Matrix<double> V = noisy(12, 60, 3);
  const std::vector<std::string> streaming = streaming_solvers();
  EXPECT_THAT(streaming, testing::UnorderedElementsAre("onmf", "onmf-acc", "inc-mu", "inc-mu-acc", "inc-hals",
                                                       "smu", "smu-acc", "svrmu", "svrmu-acc"));
  for (const SolverInfo& info : catalog()) {
    if (std::find(streaming.begin(), streaming.end(), info.name) != streaming.end()) continue;
    try {
      fit_stream(*view(V), info.options, rank_of<double>(3), one_thread<double>());
      ADD_FAILURE() << info.name;
    } catch (const InvalidInput& error) {
      EXPECT_THAT(error.what(), testing::HasSubstr(std::string(info.options.name()) + " has to see columns"));
      EXPECT_THAT(error.what(), testing::HasSubstr("inc-hals"));
    }
  }
}

TEST(Stream, OptionsThatDoNotApplyAreRefused) {
  const Matrix<double> V = noisy(12, 60, 3);
  const auto refused = [&](const SolverOptions& solver, StreamStart<double> start,
                           StreamOptions<double> options, const std::string& by) {
    try {
      fit_stream(*view(V), solver, start, options);
      ADD_FAILURE() << by;
    } catch (const InvalidInput& error) {
      EXPECT_THAT(error.what(), testing::HasSubstr(by));
    }
  };
  const StreamStart<double> start = rank_of<double>(3);
  refused(configured("smu", {{"order", "reshuffle"}}), start, {}, "order");
  refused(solver_by_preset("svrmu", "paper", {}), start, {}, "preset");
  refused(solver_by_preset("svrmu-acc", "paper", {{"order", "cyclic"}}), start, {}, "h_rule_limit_rule");
  refused(configured("onmf", {{"statistics", "replace"}}), start, {}, "statistics");
  refused(solver_named("smu"), start, {.forget_factor = 0.5}, "forget_factor");
  refused(solver_named("inc-mu"), start, {.window = 100}, "window");
  refused(solver_named("svrmu"), start, {.window = 10}, "window");
  refused(solver_named("inc-mu"), start, {.solver = solver_named("onmf")}, "solver");
  StreamStart<double> other = start;
  other.start = Start::frobenius;
  refused(solver_named("smu"), other, {}, "frobenius");
  other = start;
  other.loss = Loss::kullback_leibler();
  refused(solver_named("inc-hals"), other, {}, "frobenius loss");
  refused(solver_named("smu"), rank_of<double>(13), {}, "rank");
}

TEST(Stream, AnEmptyStreamIsRefusedAndAnEmptyUpdateChangesNothing) {
  const Matrix<double> V = noisy(12, 60, 3);
  CountingStream<double> empty(V, 0, 0);
  EXPECT_THROW(fit_stream(empty, solver_named("smu"), rank_of<double>(3)), InvalidData);
  const auto model = fit_stream(*view(V), solver_named("inc-mu"), rank_of<double>(3));
  const auto same = update(model, empty);
  EXPECT_EQ(same.W, model.W);
  EXPECT_EQ(same.history.size(), model.history.size());
}

TEST(Stream, IsEndedByItsTokenAndItsClock) {
  const Matrix<double> V = noisy(12, 600, 3);
  std::stop_source stop;
  StreamOptions<double> options = one_thread<double>();
  options.stop = stop.get_token();
  options.progress = [&](const StreamProgress& now) {
    if (now.columns >= 100) stop.request_stop();
  };
  const auto model =
      fit_stream(*view(V), configured("smu", {{"batch_size", "50"}}), rank_of<double>(3), options);
  EXPECT_EQ(model.reason, StopReason::cancelled);
  EXPECT_EQ(model.checkpoint.stream.columns, 100);
  StreamOptions<double> no_time = one_thread<double>();
  no_time.time_limit_seconds = 0;
  EXPECT_EQ(fit_stream(*view(V), solver_named("smu"), rank_of<double>(3), no_time).reason,
            StopReason::time_limit);
}

TEST(Stream, IsEndedByItsObserver) {
  const Matrix<double> V = noisy(12, 600, 3);
  StreamOptions<double> options = one_thread<double>();
  options.observer = [&](const EpochRecord& record) {
    return record.columns_read >= 200 ? Flow::stop : Flow::keep_going;
  };
  const auto model =
      fit_stream(*view(V), configured("smu", {{"batch_size", "50"}}), rank_of<double>(3), options);
  EXPECT_EQ(model.reason, StopReason::cancelled);
  EXPECT_EQ(model.checkpoint.stream.columns, 200);
}

TEST(Stream, ASourceIsOpenedOnceAndServesEachColumnOnce) {
  const Matrix<double> V = noisy(12, 103, 3);
  const auto memory = view(V);
  for (const std::string& name : streaming_solvers()) {
    const CountingSource<double> counting(*memory);
    const auto model = fit_stream(counting, configured(name, {{"batch_size", "20"}}), rank_of<double>(3),
                                  one_thread<double>());
    EXPECT_EQ(counting.opened(), 1) << name;
    EXPECT_EQ(counting.served(), 103) << name;
    update(model, counting, one_thread<double>());
    EXPECT_EQ(counting.opened(), 2) << name;
    EXPECT_EQ(counting.served(), 206) << name;
  }
}

TEST(Stream, WhatAutoChoosesIsNamedWithItsReason) {
  const Matrix<double> V = noisy(12, 103, 3);
  StreamStart<double> start = rank_of<double>(3);
  const auto frobenius = fit_stream(*view(V), SolverOptions(), start, one_thread<double>());
  EXPECT_EQ(frobenius.algorithm, "inc-hals");
  EXPECT_THAT(frobenius.choice, testing::HasSubstr("frobenius"));
  start.loss = Loss::kullback_leibler();
  EXPECT_EQ(fit_stream(*view(V), SolverOptions(), start, one_thread<double>()).algorithm, "smu-acc");
}

TEST(Stream, SaysThatItsNumbersAreEstimates) {
  const Matrix<double> V = noisy(12, 103, 3);
  StreamStart<double> start = rank_of<double>(3);
  const auto model = fit_stream(*view(V), solver_named("smu"), start, one_thread<double>());
  EXPECT_THAT(summary(model),
              testing::AllOf(testing::HasSubstr("objective about"), testing::HasSubstr("103 columns"),
                             testing::HasSubstr("end_of_stream"), testing::HasSubstr("when it was seen")));
  start.loss = Loss::kullback_leibler();
  EXPECT_THAT(quality(fit_stream(*view(V), solver_named("smu"), start, one_thread<double>())).meaning,
              testing::HasSubstr("another pass over the stream"));
}

TEST(Stream, OtherLossesFallForSmuAndSvrmu) {
  const Matrix<double> V = positive(15, 4000, 3);
  for (const char* name : {"smu-acc", "svrmu-acc"})
    for (const double beta : {0.0, 0.5, 1.0}) {
      StreamStart<double> start = rank_of<double>(3);
      start.loss = Loss::beta_divergence(beta);
      double first = 0;
      double last = 0;
      StreamOptions<double> options = one_thread<double>();
      options.progress = [&](const StreamProgress& now) {
        if (first == 0) first = now.relative_error;
        last = now.relative_error;
      };
      const auto model = fit_stream(*view(V), configured(name, {{"batch_size", "50"}}), start, options);
      EXPECT_LT(last, 0.7 * first) << name << " beta " << beta;
      EXPECT_TRUE(std::isnan(model.null_cost));
    }
}

}  // namespace
}  // namespace svrmu
