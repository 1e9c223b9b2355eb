#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <cstdlib>
#include <cstring>
#include <stop_token>

#include "compare.hpp"
#include "failing_file_system.hpp"
#include "files.hpp"
#include "io/model_file.hpp"
#include "models.hpp"

namespace svrmu::io {
namespace {

using testing::HasSubstr;
using testing::ThrowsMessage;

bool same_number(double a, double b) { return std::memcmp(&a, &b, sizeof a) == 0; }

template <class Scalar>
void expect_same_iterate(const typename Checkpoint<Scalar>::Iterate& a,
                         const typename Checkpoint<Scalar>::Iterate& b) {
  EXPECT_TRUE(same_bits(a.W, b.W));
  EXPECT_TRUE(same_bits(a.H, b.H));
  EXPECT_TRUE(same_bits(a.R, b.R));
  EXPECT_EQ(a.R_values, b.R_values);
}

template <class Scalar>
void expect_same_checkpoint(const Checkpoint<Scalar>& a, const Checkpoint<Scalar>& b) {
  expect_same_iterate<Scalar>(a.current, b.current);
  ASSERT_EQ(a.best.has_value(), b.best.has_value());
  if (a.best) expect_same_iterate<Scalar>(*a.best, *b.best);
  EXPECT_EQ(a.best_objective, b.best_objective);
  EXPECT_EQ(a.best_entry, b.best_entry);
  EXPECT_EQ(a.best_epoch, b.best_epoch);
  EXPECT_EQ(a.epoch, b.epoch);
  EXPECT_EQ(a.step_factor, b.step_factor);
  EXPECT_EQ(a.rollbacks, b.rollbacks);
  EXPECT_EQ(a.gradient_count, b.gradient_count);
  EXPECT_EQ(a.columns_read, b.columns_read);
  EXPECT_EQ(a.columns_evaluated, b.columns_evaluated);
  EXPECT_EQ(a.solver_seconds, b.solver_seconds);
  EXPECT_EQ(a.evaluate_seconds, b.evaluate_seconds);
  EXPECT_EQ(a.w_scale, b.w_scale);
  EXPECT_EQ(a.h_scale, b.h_scale);
  EXPECT_EQ(a.kkt_start, b.kkt_start);
  EXPECT_EQ(a.violation_start, b.violation_start);
  EXPECT_EQ(a.runs.restarts, b.runs.restarts);
  EXPECT_EQ(a.runs.first_seed, b.runs.first_seed);
  EXPECT_EQ(a.runs.ended, b.runs.ended);
  EXPECT_EQ(a.runs.start, b.runs.start);
  EXPECT_EQ(a.runs.given, b.runs.given);
  EXPECT_EQ(a.runs.reason, b.runs.reason);
  EXPECT_EQ(a.runs.other_objective, b.runs.other_objective);
  EXPECT_EQ(a.runs.other_seed, b.runs.other_seed);
  EXPECT_EQ(a.runs.other_seconds, b.runs.other_seconds);
  EXPECT_EQ(a.numbers, b.numbers);
  ASSERT_EQ(a.matrices.size(), b.matrices.size());
  for (const auto& [name, M] : a.matrices) EXPECT_TRUE(same_bits(M, b.matrices.at(name))) << name;
}

template <class Scalar>
void expect_same_fit(const FitResult<Scalar>& a, const FitResult<Scalar>& b) {
  expect_same_bits(a, b);
  EXPECT_EQ(a.R.size(), b.R.size());
  EXPECT_EQ(a.R_sparse.nonZeros(), b.R_sparse.nonZeros());
  EXPECT_EQ(a.reason, b.reason);
  EXPECT_EQ(a.returned, b.returned);
  EXPECT_EQ(a.seed, b.seed);
  EXPECT_EQ(a.rank, b.rank);
  EXPECT_EQ(a.null_cost, b.null_cost);
  EXPECT_EQ(a.loss, b.loss);
  EXPECT_EQ(a.penalties.l1_w, b.penalties.l1_w);
  EXPECT_EQ(a.penalties.l2_w, b.penalties.l2_w);
  EXPECT_EQ(a.penalties.l1_h, b.penalties.l1_h);
  EXPECT_EQ(a.penalties.l2_h, b.penalties.l2_h);
  EXPECT_EQ(a.warnings, b.warnings);
  EXPECT_EQ(a.column_norms, b.column_norms);
  EXPECT_EQ(name_of(a.solver), name_of(b.solver));
  const auto options = options_of(a.solver);
  for (std::size_t i = 0; i < options.size(); ++i)
    EXPECT_EQ(options[i].value, options_of(b.solver)[i].value) << options[i].name;
  expect_same_history(a, b);
  for (std::size_t i = 0; i < a.history.size(); ++i) {
    EXPECT_TRUE(same_number(a.history[i].relative_change, b.history[i].relative_change));
    EXPECT_TRUE(same_number(a.history[i].kkt, b.history[i].kkt));
    EXPECT_TRUE(same_number(a.history[i].violation, b.history[i].violation));
    EXPECT_EQ(a.history[i].solver_seconds, b.history[i].solver_seconds);
    EXPECT_EQ(a.history[i].evaluate_seconds, b.history[i].evaluate_seconds);
  }
  expect_same_checkpoint(a.checkpoint, b.checkpoint);
}

template <class Scalar>
void expect_same_model(const Model<Scalar>& a, const Model<Scalar>& b) {
  expect_same_fit(a.fit, b.fit);
  EXPECT_EQ(a.algorithm, b.algorithm);
  EXPECT_EQ(a.stopping.max_epochs, b.stopping.max_epochs);
  EXPECT_EQ(a.normalize, b.normalize);
  EXPECT_EQ(a.evaluate_every, b.evaluate_every);
  EXPECT_EQ(a.stopping.relative_change, b.stopping.relative_change);
  EXPECT_EQ(a.stopping.kkt, b.stopping.kkt);
  EXPECT_EQ(a.stopping.violation, b.stopping.violation);
  EXPECT_EQ(a.stopping.error_fall, b.stopping.error_fall);
  EXPECT_EQ(a.stopping.time_limit_seconds, b.stopping.time_limit_seconds);
  EXPECT_EQ(a.stopping.gradient_budget, b.stopping.gradient_budget);
  EXPECT_EQ(a.data.path, b.data.path);
  EXPECT_EQ(a.data.features, b.data.features);
  EXPECT_EQ(a.data.samples, b.data.samples);
  EXPECT_EQ(a.data.stored, b.data.stored);
  EXPECT_EQ(a.data.sparse, b.data.sparse);
  EXPECT_EQ(a.data.samples_in, b.data.samples_in);
  EXPECT_EQ(a.data.fingerprint, b.data.fingerprint);
  EXPECT_EQ(a.data.checksum, b.data.checksum);
  EXPECT_EQ(to_string(a.preprocessing), to_string(b.preprocessing));
  for (std::size_t i = 0; i < a.preprocessing.steps.size(); ++i)
    EXPECT_EQ(a.preprocessing.steps[i].numbers, b.preprocessing.steps[i].numbers);
  EXPECT_EQ(a.feature_names, b.feature_names);
  EXPECT_EQ(a.sample_names, b.sample_names);
  EXPECT_EQ(a.command, b.command);
  EXPECT_EQ(a.created, b.created);
  EXPECT_EQ(a.version, b.version);
}

template <class Scalar>
Model<Scalar> written_and_read(const Model<Scalar>& model) {
  const ScratchFolder folder;
  write_model(folder.file("model.h5"), model);
  return std::get<Model<Scalar>>(read_model(folder.file("model.h5")));
}

class ModelOf : public OverSolvers {};

template <class Scalar>
void expect_round_trip_and_resume(const MatrixSource<Scalar>& source, const SolverOptions& solver,
                                  const std::string& name,
                                  FitOptions<Scalar> options = epochs<Scalar>(4, 3)) {
  const auto model = model_of(fit(source, solver, options), name);
  const auto read = written_and_read(model);
  expect_same_model(read, model);
  options.stopping.max_epochs = 8;
  const auto whole = fit(source, solver, options);
  const auto resumed = resume(source, read.fit, options);
  expect_same_bits(resumed, whole);
  expect_same_history(resumed, whole);
  const auto transformed = transform(source, model.fit);
  EXPECT_TRUE(same_bits(transform(source, read.fit).H, transformed.H));
}

TEST_P(ModelOf, ReadsBackWholeAndGoesOnWithTheSameBits) {
  const SolverOptions solver = configured(GetParam(), {{"batch_size", "5"}});
  in_every_form(mostly_zero(9, 23),
                [&]<class Scalar>(const MatrixSource<Scalar>& source, const Matrix<Scalar>&) {
                  expect_round_trip_and_resume(source, solver, GetParam());
                });
}

TEST_P(ModelOf, KeepsTheUnitsOfVerySmallData) {
  const SolverOptions solver = configured(GetParam(), {{"batch_size", "5"}});
  in_both_storages<float>(1e-20 * mostly_zero(9, 23),
                          [&]<class Scalar>(const MatrixSource<Scalar>& source, const Matrix<Scalar>&) {
                            expect_round_trip_and_resume(source, solver, GetParam());
                          });
}

TEST_P(ModelOf, KeepsMultiplicativeOutliers) {
  if (!is_robust_name(GetParam())) return;
  const SolverOptions solver =
      configured(GetParam(), {{"batch_size", "5"}, {"outlier_update", "multiplicative"}});
  in_every_form(mostly_zero(9, 23),
                [&]<class Scalar>(const MatrixSource<Scalar>& source, const Matrix<Scalar>&) {
                  expect_round_trip_and_resume(source, solver, GetParam());
                });
}

TEST_P(ModelOf, KeepsEveryLoss) {
  if (!has_option(solver_named(GetParam()), "exponent")) return;
  for (const Loss loss : {Loss::kullback_leibler(), Loss::itakura_saito(), Loss::beta_divergence(0.1)}) {
    SCOPED_TRACE(to_string(loss));
    FitOptions<double> options = epochs<double>(4, 3);
    options.loss = loss;
    const Matrix<double> V = svrmu::positive(9, 23, 3);
    expect_round_trip_and_resume(*svrmu::view(V), configured(GetParam(), {{"batch_size", "5"}}), GetParam(),
                                 options);
  }
}

TEST(Model, IsTheSameAsBytesAndAsAFile) {
  const ScratchFolder folder;
  const std::string path = folder.file("model.h5");
  const Model<double> model = rich_model();
  write_model(path, model);
  std::string bytes;
  write_model([&](std::string_view image) { bytes = image; }, model);
  EXPECT_EQ(bytes, read_text(path));
  const AnyModel read = read_model(std::as_bytes(std::span(bytes)));
  EXPECT_EQ(std::get<Model<double>>(read).fit.W, model.fit.W);
  EXPECT_THROW(read_model(std::as_bytes(std::span(bytes).first(bytes.size() / 2))), InvalidData);
}

TEST(Model, KeepsARunThatWasInterruptedInItsStart) {
  const Matrix<double> V = svrmu::positive(9, 23, 3);
  FitOptions<double> options = epochs<double>(4, 3);
  options.loss = Loss::kullback_leibler();
  const auto whole = fit(*svrmu::view(V), options);
  options.stopping.time_limit_seconds = 1e-9;
  const auto read = written_and_read(model_of(fit(*svrmu::view(V), options), "mu-ext"));
  ASSERT_TRUE(read.fit.checkpoint.in_start);
  options.stopping.time_limit_seconds = std::numeric_limits<double>::infinity();
  expect_same_bits(resume(*svrmu::view(V), read.fit, options), whole);
}

TEST(Model, KeepsWhatItStoppedBy) {
  const Matrix<double> V = mostly_zero(14, 33);
  FitOptions<double> options = epochs<double>(200, 3);
  options.stopping.violation = 1e-2;
  const auto model = model_of(fit(*view(V), HalsOptions{}, options), "hals");
  ASSERT_EQ(model.fit.reason, StopReason::violation);
  expect_same_model(written_and_read(model), model);
  options.stopping = {.max_epochs = 200, .relative_change = 0, .error_fall = 1e-2};
  const auto other = model_of(fit(*view(V), MuOptions{}, options), "mu");
  ASSERT_EQ(other.fit.reason, StopReason::error_fall);
  expect_same_model(written_and_read(other), other);
}

TEST(Model, KeepsRestartsAndGoesOnWithAllOfThem) {
  const Matrix<double> V = mostly_zero(14, 33);
  FitOptions<double> options = epochs<double>(4, 3);
  options.restarts = 4;
  options.normalize = true;
  const auto whole = fit(*view(V), MuOptions{}, options);
  FitOptions<double> stopped = options;
  int calls = 0;
  stopped.observer = [&](const EpochRecord&) { return ++calls < 13 ? Flow::keep_going : Flow::stop; };
  Model<double> model = model_of(fit(*view(V), MuOptions{}, stopped), "mu");
  model.stopping = options.stopping;
  const ScratchFolder folder;
  write_model(folder.file("m.h5"), model);
  const auto read = std::get<Model<double>>(read_model(folder.file("m.h5")));
  expect_same_model(model, read);
  const auto resumed = resume(*view(V), read.fit, options);
  EXPECT_EQ(resumed.seed, whole.seed);
  EXPECT_EQ(resumed.column_norms, whole.column_norms);
  expect_same_bits(resumed, whole);
  expect_same_history(resumed, whole);
}

TEST_P(ModelOf, KeepsARunThatWasInterruptedInAnEpoch) {
  const Matrix<double> V = mostly_zero(9, 23);
  const SolverOptions solver = configured(GetParam(), {{"batch_size", "5"}});
  std::stop_source stop;
  FitOptions<double> options = epochs<double>(8, 3);
  const auto whole = fit(*view(V), solver, options);
  options.stop = stop.get_token();
  options.observer = [&](const EpochRecord& record) {
    if (record.epoch == 3) stop.request_stop();
    return Flow::keep_going;
  };
  const auto model = model_of(fit(*view(V), solver, options), GetParam());
  ASSERT_EQ(model.fit.reason, StopReason::cancelled);
  const auto read = written_and_read(model);
  expect_same_model(read, model);
  const auto resumed = resume(*view(V), read.fit, epochs<double>(8, 3));
  expect_same_bits(resumed, whole);
}

INSTANTIATE_TEST_SUITE_P(, ModelOf, testing::ValuesIn(all_solvers()), test_name);

TEST(Model, EveryKindOfStatisticsGoesOn) {
  const Matrix<double> V = mostly_zero(9, 23);
  for (const std::string statistics : {"accumulate", "replace"}) {
    SCOPED_TRACE(statistics);
    expect_round_trip_and_resume(
        *svrmu::view(V), configured("onmf", {{"batch_size", "5"}, {"statistics", statistics}}), "onmf");
  }
}

TEST(Model, OfFastGoesOnAfterWWasLearnedOnASparseSubset) {
  const SparseMatrix<double> V = mostly_zero(9, 23).sparseView();
  for (const int done : {0, 1, 2})
    expect_round_trip_and_resume(*view(V), FastOptions{.subset_size = 8}, "fast", epochs<double>(done, 3));
}

TEST(Model, KeepsAllThatItCanHave) {
  const Model<double> model = rich_model();
  expect_same_model(written_and_read(model), model);
}

TEST(Model, KeepsNamesOfAnyBytes) {
  Model<double> model = rich_model();
  using namespace std::string_literals;
  model.feature_names = {"",
                         " two spaces  ",
                         "käse 乳酪",
                         "a\0b"s,
                         "\0"s,
                         "back\\slash \\0",
                         "\xff\xfe not UTF-8",
                         "new\nline",
                         std::string(100000, 'x')};
  expect_same_model(written_and_read(model), model);
  model.feature_names[3] = model.feature_names[4] = "no zero bytes";
  expect_same_model(written_and_read(model), model);
}

TEST(Model, KeepsALongCommand) {
  Model<double> model = rich_model();
  model.command = std::string(200000, 'c');
  EXPECT_EQ(written_and_read(model).command, model.command);
}

TEST(Model, KeepsMatricesLargerThanATile) {
  const Index features = 1500;
  const Index samples = 3000;
  Model<double> model = rich_model();
  model.fit.checkpoint = {};
  model.fit.R_sparse = {};
  model.fit.W = random_matrix(features, 3, 1);
  model.fit.H = random_matrix(3, samples, 2);
  model.fit.R = random_matrix(features, samples, 3);
  model.feature_names.clear();
  model.sample_names.clear();
  model.preprocessing = {};
  model.data = {};
  const Model<double> read = written_and_read(model);
  expect_same_model(read, model);
}

TEST(Model, TheSameModelGivesTheSameBytes) {
  const ScratchFolder folder;
  write_model(folder.file("a"), rich_model());
  Model<double> again = std::get<Model<double>>(read_model(folder.file("a")));
  write_model(folder.file("b"), again);
  EXPECT_EQ(read_text(folder.file("a")), read_text(folder.file("b")));
}

TEST(Model, IsUsableWithoutItsCheckpoint) {
  const Matrix<double> V = 1e-20 * mostly_zero(9, 23);
  Model<double> model = model_of(fit(*view(V), solver_named("mu"), epochs<double>(4, 3)), "mu");
  const auto whole = transform(*view(V), model.fit);
  const double w_scale = model.fit.checkpoint.w_scale;
  const double h_scale = model.fit.checkpoint.h_scale;
  model.fit.checkpoint = {};
  model.fit.checkpoint.w_scale = w_scale;
  model.fit.checkpoint.h_scale = h_scale;
  const auto read = written_and_read(model);
  EXPECT_TRUE(same_bits(transform(*view(V), read.fit).H, whole.H));
  EXPECT_THROW(resume(*view(V), read.fit, epochs<double>(8, 3)), InvalidInput);
}

TEST(Model, IsNotOverwrittenUnlessTold) {
  const ScratchFolder folder;
  write_text(folder.file("m.h5"), "old");
  EXPECT_THAT([&] { write_model(folder.file("m.h5"), rich_model()); },
              ThrowsMessage<IoError>(HasSubstr("already")));
  EXPECT_EQ(read_text(folder.file("m.h5")), "old");
  write_model(folder.file("m.h5"), rich_model(), {.overwrite = true});
  EXPECT_NO_THROW(read_model(folder.file("m.h5")));
  EXPECT_EQ(folder.count(), 1u);
}

TEST(Model, ThatMakesNoSenseIsNotWritten) {
  const ScratchFolder folder;
  Model<double> model = rich_model();
  model.sample_names.pop_back();
  EXPECT_THAT([&] { write_model(folder.file("m.h5"), model); },
              ThrowsMessage<InvalidInput>(HasSubstr("dataset /sample_names: there are 19 names for 20")));
  EXPECT_EQ(folder.count(), 0u);
}

TEST(Model, AfterAnyFailureTheOldFileIsThereAndNoTemporaryOne) {
  const Model<double> model = rich_model();
  const ScratchFolder whole;
  write_model(whole.file("m.h5"), model);
  const std::string wanted = read_text(whole.file("m.h5"));
  for (const bool had_file : {true, false})
    for (int call = 0;; ++call) {
      const ScratchFolder folder;
      const std::string path = folder.file("m.h5");
      if (had_file) write_text(path, "old");
      FailingFileSystem files(call);
      bool threw = false;
      try {
        io::write_model(path, model, {.overwrite = had_file}, files);
      } catch (const IoError&) {
        threw = true;
      }
      EXPECT_EQ(threw, files.failed()) << "call " << call;
      const bool there = !files.failed() || files.last() == "sync_folder";
      if (there || had_file) {
        EXPECT_EQ(read_text(path), there ? wanted : "old") << files.last();
      }
      EXPECT_EQ(folder.count(), there || had_file ? 1u : 0u) << files.last();
      if (!files.failed()) {
        EXPECT_GE(call, 6);
        break;
      }
    }
}

TEST(Model, IsReadByH5py) {
  const ScratchFolder folder;
  const Matrix<double> V = with_outliers(9, 20, 3);
  write_npy(folder.file("V.npy"), dense_view(V));
  for (const std::string name : {"mu", "r-svrmu", "r-nmf"}) {
    const SolverOptions solver = configured(
        name, {{"batch_size", "5"}, {"outlier_update", name == "r-nmf" ? "multiplicative" : "closed_form"}});
    Model<double> model = model_of(fit(*view(V), solver, epochs<double>(4, 3)), name);
    for (Index f = 0; f < 9; ++f) model.feature_names.push_back("käse " + std::to_string(f));
    write_model(folder.file("m.h5"), model, {.overwrite = true});
    const std::string command = std::string(SVRMU_PYTHON " " SVRMU_CHECK_MODEL " ") + folder.file("m.h5") +
                                " " + folder.file("V.npy");
    const int status = std::system(command.c_str());
    if (WIFEXITED(status) && WEXITSTATUS(status) == 77) GTEST_SKIP() << "needs python3-h5py";
    EXPECT_EQ(status, 0) << name;
  }
}

MatrixFile csv_of(const ScratchFolder& folder, const std::string& text,
                  SamplesIn samples = SamplesIn::columns) {
  write_text(folder.file("V.csv"), text);
  return read_matrix(folder.file("V.csv"), {.samples = samples});
}

TEST(ModelChecksum, ChangesWithEveryValueAndPlace) {
  const ScratchFolder folder;
  const std::uint64_t first = checksum(csv_of(folder, "1,2,3\n4,5,6\n"));
  EXPECT_EQ(checksum(csv_of(folder, "1,2,3\n4,5,6\n")), first);
  EXPECT_NE(checksum(csv_of(folder, "1,2,3\n4,5,7\n")), first);
  EXPECT_NE(checksum(csv_of(folder, "2,1,3\n4,5,6\n")), first);
  EXPECT_NE(checksum(csv_of(folder, "1,2\n3,4\n5,6\n")), first);
  EXPECT_NE(checksum(csv_of(folder, "1,2,3\n4,5,6\n", SamplesIn::rows)), first);

  SparseMatrix<double> S(5, 6);
  S.insert(1, 2) = 3;
  S.insert(2, 2) = 4;
  const auto sparse_sum = [&] {
    write_mtx(folder.file("S.mtx"), S, {.overwrite = true});
    return checksum(read_matrix(folder.file("S.mtx")));
  };
  const std::uint64_t sparse = sparse_sum();
  EXPECT_EQ(sparse_sum(), sparse);
  S.coeffRef(2, 2) = 5;
  EXPECT_NE(sparse_sum(), sparse);
  S.coeffRef(2, 2) = 4;
  S.insert(4, 4) = 0;
  EXPECT_NE(sparse_sum(), sparse) << "a stored zero is another pattern";
}

TEST(ModelChecksum, SpreadsOverAllBits) {
  const ScratchFolder folder;
  const std::uint64_t first = checksum(csv_of(folder, "1,2\n3,4\n"));
  int least = 64;
  for (const std::string text : {"1,2\n3,5\n", "2,2\n3,4\n", "1,2\n3,4.000001\n", "1,3\n3,4\n"})
    least = std::min(least, std::popcount(first ^ checksum(csv_of(folder, text))));
  EXPECT_GE(least, 12);
}

TEST(ModelChecksum, OfFloatsCountsTheLastOnes) {
  const ScratchFolder folder;
  for (Index size = 1; size < 20; ++size) {
    Matrix<float> M = Matrix<float>::Ones(size, 1);
    write_npy(folder.file("a.npy"), dense_view(M), {.overwrite = true});
    const std::uint64_t before = checksum(read_matrix(folder.file("a.npy")));
    M(size - 1, 0) = 2;
    write_npy(folder.file("b.npy"), dense_view(M), {.overwrite = true});
    EXPECT_NE(checksum(read_matrix(folder.file("b.npy"))), before);
  }
}

}  // namespace
}  // namespace svrmu::io
