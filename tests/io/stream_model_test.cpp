// Models that learned from a stream: they have no H, and update() goes on with them.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "compare.hpp"
#include "files.hpp"
#include "io/hdf5.hpp"
#include "io/model_texts.hpp"
#include "models.hpp"
#include "streams.hpp"

namespace svrmu::io {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::ThrowsMessage;

template <class Scalar>
Model<Scalar> read_back(const Model<Scalar>& model) {
  const ScratchFolder folder;
  write_model(folder.file("model.h5"), model);
  return std::get<Model<Scalar>>(read_model(folder.file("model.h5")));
}

SolverOptions falling_step(const std::string& name) {
  return configured(name, {{"batch_size", "5"}, {"step_decay", "0.1"}, {"step_decay_clock", "step"}});
}

class StreamModel : public testing::TestWithParam<std::string> {};

TEST_P(StreamModel, GoesOnWithTheSameBitsAfterItWasWrittenAndRead) {
  in_every_form(
      mostly_zero(9, 200), [&]<class Scalar>(const MatrixSource<Scalar>& source, const Matrix<Scalar>&) {
        StreamStart<Scalar> start = rank_of<Scalar>(3);
        start.penalties = {0.1, 0.2, 0.3, 0.4};
        const auto model = make_stream_model(
            fit_stream(source, falling_step(GetParam()), start, one_thread<Scalar>()), {}, {}, {GetParam()});
        const auto read = read_back(model);
        EXPECT_EQ(read.algorithm, GetParam());
        EXPECT_EQ(read.data.samples, 200);
        EXPECT_EQ(read.fit.reason, StopReason::end_of_stream);
        EXPECT_EQ(read.fit.H.rows(), 3);
        EXPECT_EQ(read.fit.H.cols(), 0);
        EXPECT_TRUE(read.fit.record().estimated);
        EXPECT_TRUE(same_bits(read.fit.W, model.fit.W));
        expect_same_history(read.fit, model.fit);
        const auto whole = update(model.fit, source, one_thread<Scalar>());
        const auto again = update(read.fit, source, one_thread<Scalar>());
        EXPECT_TRUE(same_bits(again.W, whole.W));
        EXPECT_EQ(again.checkpoint.numbers, whole.checkpoint.numbers);
        EXPECT_EQ(again.checkpoint.w_steps, whole.checkpoint.w_steps);
        EXPECT_EQ(again.checkpoint.stream.cost, whole.checkpoint.stream.cost);
        EXPECT_EQ(again.checkpoint.stream.weight, whole.checkpoint.stream.weight);
        for (const auto& [name, matrix] : whole.checkpoint.matrices)
          EXPECT_TRUE(same_bits(again.checkpoint.matrices.at(name), matrix)) << name;
        expect_same_history(again, whole);
        EXPECT_TRUE(same_bits(transform(source, read.fit).H, transform(source, model.fit).H));
      });
}

INSTANTIATE_TEST_SUITE_P(, StreamModel, testing::ValuesIn(streaming_solvers()), test_name);

Model<double> small_stream_model(const std::string& name = "inc-mu") {
  const Matrix<double> V = mostly_zero(9, 200);
  return make_stream_model(
      fit_stream(*view(V), falling_step(name), rank_of<double>(3), one_thread<double>()));
}

TEST(StreamModelFile, KeepsAFitThatAnUpdateWentOnWith) {
  const Matrix<double> V = mostly_zero(9, 40);
  for (const char* name : {"fast", "onmf", "smu"}) {
    const auto fitted = fit(*view(V), solver_named(name), epochs<double>(4, 3));
    const auto model = make_stream_model(update(fitted, *view(V), one_thread<double>()));
    const auto read = read_back(model);
    EXPECT_FALSE(read.fit.history.front().estimated) << name;
    EXPECT_TRUE(read.fit.history.back().estimated) << name;
    EXPECT_TRUE(same_bits(update(read.fit, *view(V), one_thread<double>()).W,
                          update(model.fit, *view(V), one_thread<double>()).W))
        << name;
  }
}

TEST(StreamModelFile, IsUsableWithoutItsCheckpointButCannotGoOn) {
  Model<double> model = small_stream_model();
  model.fit.checkpoint = {};
  const auto read = read_back(model);
  const Matrix<double> V = mostly_zero(9, 20);
  EXPECT_EQ(transform(*view(V), read.fit).H.cols(), 20);
  EXPECT_THAT([&] { update(read.fit, *view(V)); }, ThrowsMessage<InvalidInput>(HasSubstr("no state")));
}

TEST(StreamModelFile, GoesOnWithTheColumnsOfAFile) {
  const ScratchFolder folder;
  const Matrix<double> V = mostly_zero(9, 40, 7);
  write_csv(folder.file("V.csv"), dense_view(V), {});
  const MatrixFile file = read_matrix(folder.file("V.csv"), {SamplesIn::columns, Precision::automatic, 1});
  const auto read = read_back(small_stream_model());
  const auto updated = update(read.fit, *open_source<double>(file), one_thread<double>());
  EXPECT_EQ(updated.checkpoint.stream.columns, 240);
  EXPECT_TRUE(same_bits(updated.W, update(read.fit, *view(V), one_thread<double>()).W));
}

TEST(StreamModelFile, IsNotResumed) {
  const auto read = read_back(small_stream_model());
  const Matrix<double> V = mostly_zero(9, 200);
  EXPECT_THAT([&] { resume(*view(V), read.fit, epochs<double>(8, 3)); },
              ThrowsMessage<InvalidInput>(HasSubstr("learned from a stream")));
}

TEST(StreamModelFile, HasVersion3AndOthersHaveVersion2AsBefore) {
  EXPECT_EQ(to_texts(small_stream_model()).root.at("format_version"), "3");
  const ModelTexts others = to_texts(rich_model());
  EXPECT_EQ(others.root.at("format_version"), "2");
  EXPECT_FALSE(others.resume.contains("stream_columns"));
}

TEST(StreamModelFile, EachKindOfModelHasItsMaker) {
  const Matrix<double> V = mostly_zero(9, 40);
  EXPECT_THROW(make_stream_model(fit(*view(V), solver_named("mu"), epochs<double>(2, 3))), InvalidInput);
  EXPECT_THROW(make_model(small_stream_model().fit, FitOptions<double>{}, MatrixFile{}), InvalidInput);
}

TEST(StreamModelFile, PartsThatContradictEachOtherAreNotWritten) {
  const auto refused = [](const auto& change, const std::string& by) {
    Model<double> model = small_stream_model();
    change(model.fit);
    const ScratchFolder folder;
    EXPECT_THAT([&] { write_model(folder.file("m.h5"), model); }, ThrowsMessage<InvalidInput>(HasSubstr(by)));
  };
  const auto state = [&](auto member, double value, const std::string& by) {
    refused(
        [&](FitResult<double>& fit) {
          auto& number = fit.checkpoint.stream.*member;
          number = static_cast<std::remove_reference_t<decltype(number)>>(value);
        },
        by);
  };
  state(&StreamState::columns, 0, "stream_columns");
  state(&StreamState::windows, 0, "stream_windows");
  state(&StreamState::windows, 201, "stream_windows");
  state(&StreamState::weight, 0.5, "stream_weight");
  state(&StreamState::cost, std::numeric_limits<double>::infinity(), "stream_cost");
  state(&StreamState::on_h, -1, "stream_on_h");
  state(&StreamState::residual, -1, "stream_residual");
  state(&StreamState::squared, std::nan(""), "stream_squared");
  state(&StreamState::last_record, 201, "stream_last_record");
  refused([](FitResult<double>& fit) { fit.checkpoint.matrices.at("A").resize(9, 2); }, "/resume/matrices/A");
  refused([](FitResult<double>& fit) { fit.checkpoint.numbers.clear(); }, "numbers/columns: it is missing");
  refused([](FitResult<double>& fit) { fit.solver = solver_named("mu"); }, "takes no stream");
  refused([](FitResult<double>& fit) { fit.history.back().estimated = false; }, "did not learn");
  refused([](FitResult<double>& fit) { fit.H.setOnes(3, 4); }, "learned from a stream");
}

}  // namespace
}  // namespace svrmu::io
