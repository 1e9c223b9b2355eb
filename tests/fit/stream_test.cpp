// Learning from columns that are seen once.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "forms.hpp"
#include "problems.hpp"
#include "sources.hpp"

namespace svrmu {
namespace {

// Serves copies of columns once, so many at a time as it is told, and counts them.
template <class Scalar>
class CountingStream final : public ColumnStream<Scalar> {
 public:
  explicit CountingStream(const Matrix<Scalar>& V, Index begin = 0, Index end = -1)
      : V_(V), at_(begin), end_(end < 0 ? V.cols() : end) {}

  Index features() const override { return V_.rows(); }
  bool is_sparse() const override { return false; }
  bool next(Index most_columns, Batch<Scalar>& batch) override {
    if (at_ == end_) return false;
    const Index count = std::min(most_columns, end_ - at_);
    copy_ = V_.middleCols(at_, count);
    at_ += count;
    served_ += count;
    batch.data = DenseColumns<Scalar>{copy_.data(), 1, V_.rows()};
    batch.count = count;
    return true;
  }
  Index served() const { return served_; }

 private:
  const Matrix<Scalar>& V_;
  Index at_;
  Index end_;
  Index served_ = 0;
  Matrix<Scalar> copy_;
};

template <class Scalar>
StreamStart<Scalar> rank_of(Index rank) {
  StreamStart<Scalar> start;
  start.rank = rank;
  start.seed = 1;
  return start;
}

template <class Scalar>
StreamOptions<Scalar> one_thread() {
  StreamOptions<Scalar> options;
  options.threads = 1;
  return options;
}

// ||V - WH|| / ||V|| with the best H for this W.
double error_of(const Matrix<double>& V, const FitResult<double>& model) {
  const Matrix<double> H = transform(*view(V), model).H;
  return (V - plain_product(model.W, H)).norm() / V.norm();
}

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

TEST(Stream, ForgettingFollowsDataThatChange) {
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

TEST(Stream, GoesOnFromAFitInMemory) {
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

TEST(Stream, HistoriesOfManyCallsStayShort) {
  const Matrix<double> V = noisy(12, 20, 3);
  auto model = fit_stream(*view(V), configured("inc-mu", {{"batch_size", "20"}}), rank_of<double>(3),
                          one_thread<double>());
  for (int i = 0; i < 200; ++i) model = update(model, *view(V), one_thread<double>());
  EXPECT_EQ(model.record().columns_read, 201 * 20);
  EXPECT_LT(model.history.size(), 12u);
}

}  // namespace
}  // namespace svrmu
