// Model files that are not what they say: each is a good one with one thing changed.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <limits>

#include "../../fuzz/model_changes.hpp"
#include "data/random.hpp"
#include "files.hpp"
#include "models.hpp"

namespace svrmu::io {
namespace {

using io::H5Handle;
using testing::AllOf;
using testing::HasSubstr;
using testing::StartsWith;
using testing::ThrowsMessage;

H5Handle text_type() {
  H5Handle type(H5Tcopy(H5T_C_S1), H5Tclose);
  H5Tset_size(type.id(), H5T_VARIABLE);
  return type;
}

// A model in which something was changed, with the checksum of what it is now: the reader gets behind it.
class ChangedModel {
 public:
  explicit ChangedModel(std::string path)
      : path_(std::move(path)), file_(H5Fopen(path_.c_str(), H5F_ACC_RDWR, H5P_DEFAULT), H5Fclose) {}
  ~ChangedModel() {
    file_ = {};
    std::string bytes = read_text(path_);
    seal_model(bytes);
    write_text(path_, bytes);
  }
  ChangedModel(const ChangedModel&) = delete;
  ChangedModel& operator=(const ChangedModel&) = delete;

  hid_t id() const { return file_.id(); }

 private:
  std::string path_;
  H5Handle file_;
};

void set_text(hid_t file, const char* group, const char* name, const std::string& text) {
  if (H5Aexists_by_name(file, group, name, H5P_DEFAULT) > 0)
    H5Adelete_by_name(file, group, name, H5P_DEFAULT);
  const H5Handle type = text_type();
  const H5Handle space(H5Screate(H5S_SCALAR), H5Sclose);
  const H5Handle attribute(
      H5Acreate_by_name(file, group, name, type.id(), space.id(), H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT),
      H5Aclose);
  const char* value = text.c_str();
  ASSERT_GE(H5Awrite(attribute.id(), type.id(), &value), 0);
}

void remove(hid_t file, const char* path) { ASSERT_GE(H5Ldelete(file, path, H5P_DEFAULT), 0) << path; }

// A dataset of this type and size in place of what was there, all numbers 0.5 or as given.
void put(hid_t file, const char* path, hid_t type, const std::vector<hsize_t>& size,
         const std::vector<double>& values = {}, hid_t properties = H5P_DEFAULT) {
  if (H5Lexists(file, path, H5P_DEFAULT) > 0) remove(file, path);
  const H5Handle space(H5Screate_simple(static_cast<int>(size.size()), size.data(), nullptr), H5Sclose);
  const H5Handle dataset(H5Dcreate2(file, path, type, space.id(), H5P_DEFAULT, properties, H5P_DEFAULT),
                         H5Dclose);
  ASSERT_TRUE(dataset) << path;
  hsize_t count = 1;
  for (const hsize_t side : size) count *= side;
  if (count > 100000) return;  // claimed, not written
  std::vector<double> all(count, 0.5);
  std::copy(values.begin(), values.end(), all.begin());
  ASSERT_GE(H5Dwrite(dataset.id(), H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, all.data()), 0);
}

constexpr double nan = std::numeric_limits<double>::quiet_NaN();

struct Change {
  std::string name;
  std::function<void(hid_t)> make;
  std::string says;
};

H5Handle chunked_and_deflated() {
  H5Handle properties(H5Pcreate(H5P_DATASET_CREATE), H5Pclose);
  const hsize_t chunk[] = {3, 3};
  H5Pset_chunk(properties.id(), 2, chunk);
  H5Pset_deflate(properties.id(), 9);
  return properties;
}

H5Handle in_another_file() {
  H5Handle properties(H5Pcreate(H5P_DATASET_CREATE), H5Pclose);
  H5Pset_external(properties.id(), "/etc/passwd", 0, 9 * 3 * 8);
  return properties;
}

// The good model has F = 9, N = 20, K = 3 and a history of 5 entries.
std::vector<Change> changes() {
  const auto text = [](const char* group, const char* name, const std::string& value) {
    return [=](hid_t file) { set_text(file, group, name, value); };
  };
  const auto missing = [](const char* path) { return [=](hid_t file) { remove(file, path); }; };
  const auto numbers = [](const char* path, const std::vector<hsize_t>& size,
                          const std::vector<double>& values) {
    return [=](hid_t file) { put(file, path, H5T_IEEE_F64LE, size, values); };
  };
  const auto integers = [](const char* path, const std::vector<hsize_t>& size,
                           const std::vector<double>& values) {
    return [=](hid_t file) { put(file, path, H5T_STD_I64LE, size, values); };
  };
  return {
      {"no_format", [](hid_t file) { H5Adelete(file, "format"); }, "not a model of svrmu"},
      {"other_format", text("/", "format", "something"), "not a model of svrmu"},
      {"newer_version", text("/", "format_version", "4"), "a newer svrmu wrote it"},
      {"version_0", text("/", "format_version", "0"), "format_version: it is 0"},
      {"no_rank", [](hid_t file) { H5Adelete(file, "rank"); }, "attribute rank: it is missing"},
      {"rank_as_number",
       [](hid_t file) {
         H5Adelete(file, "rank");
         const H5Handle space(H5Screate(H5S_SCALAR), H5Sclose);
         H5Handle(H5Acreate2(file, "rank", H5T_STD_I64LE, space.id(), H5P_DEFAULT, H5P_DEFAULT), H5Aclose);
       },
       "attribute rank: it is missing, or not a text"},
      {"other_rank", text("/", "rank", "4"), "rank: it is 4, but W has 3 columns"},
      {"rank_in_words", text("/", "rank", "three"), "'three' is not a whole number"},
      {"huge_rank", text("/", "rank", "99999999999999999999"), "whole number in range"},
      {"loss", text("/", "loss", "gamma"), "attribute loss: there is no loss 'gamma'"},
      {"reason", text("/", "stop_reason", "tired"), "'tired' is no reason to stop"},
      {"returned", text("/", "returned", "5"), "returned: it is 5, but there are 5 entries"},
      {"penalty", text("/", "l1_w", "-1"), "attribute l1_w"},
      {"stopping", text("/", "kkt", "nan"), "attribute kkt"},
      {"scale", text("/", "w_scale", "0"), "attribute w_scale"},
      {"no_W", missing("W"), "part /W: it is missing"},
      {"no_H", missing("H"), "part /H: it is missing"},
      {"NaN_in_W", numbers("W", {9, 3}, {1, nan}), "dataset /W: number 2 (counted from 1"},
      {"negative_H", numbers("H", {3, 20}, {0, 0, 0, -1}), "dataset /H: number"},
      {"norms_too_few", numbers("column_norms", {2}, {}), "dataset /column_norms: it has 2 numbers for 3"},
      {"norm_of_zero", numbers("column_norms", {3}, {1, 0}),
       "dataset /column_norms: number 1 (counted from 0) is 0"},
      {"norm_NaN", numbers("column_norms", {3}, {nan}), "dataset /column_norms: number 0"},
      {"norms_of_two_dimensions", numbers("column_norms", {3, 1}, {}),
       "dataset /column_norms: it must have 1 dim"},
      {"W_too_narrow", numbers("W", {9, 2}, {}), "rank: it is 3, but W has 2 columns"},
      {"W_too_short", numbers("W", {8, 3}, {}), "/R/shape"},
      {"W_empty", numbers("W", {0, 3}, {}), "dataset /W: it is 0 x 0"},
      {"W_huge", numbers("W", {hsize_t{1} << 40, 3}, {}), "dataset /W: it would need"},
      {"W_overflows", numbers("W", {hsize_t{1} << 30, hsize_t{1} << 29}, {}), "dataset /W: it would need"},
      {"W_of_integers",
       [](hid_t file) {
         put(file, "W", H5T_STD_I32LE, {9, 3});
       },
       "dataset /W: its numbers must be float32 or float64"},
      {"W_of_one_dimension", numbers("W", {27}, {}), "dataset /W: it must have 2 dimensions"},
      {"H_in_float",
       [](hid_t file) {
         put(file, "H", H5T_IEEE_F32LE, {3, 20});
       },
       "dataset /H: its numbers must be float64"},
      {"H_too_tall", numbers("H", {4, 20}, {}), "dataset /H: it is 4 x 20"},
      {"H_too_short", numbers("H", {3, 19}, {}), "/R/shape"},
      {"W_is_a_group",
       [](hid_t file) {
         remove(file, "W");
         H5Handle(H5Gcreate2(file, "W", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT), H5Gclose);
       },
       "dataset /W: it is not a dataset"},
      {"W_in_chunks",
       [](hid_t file) {
         put(file, "W", H5T_IEEE_F64LE, {9, 3}, {}, chunked_and_deflated().id());
       },
       "dataset /W: it is not contiguous"},
      {"W_in_another_file",
       [](hid_t file) {
         remove(file, "W");
         const hsize_t size[] = {9, 3};
         const H5Handle space(H5Screate_simple(2, size, nullptr), H5Sclose);
         const H5Handle properties = in_another_file();
         const H5Handle dataset(
             H5Dcreate2(file, "W", H5T_IEEE_F64LE, space.id(), H5P_DEFAULT, properties.id(), H5P_DEFAULT),
             H5Dclose);
         ASSERT_TRUE(dataset);
       },
       "lies in another file"},
      {"W_by_a_soft_link",
       [](hid_t file) {
         remove(file, "W");
         H5Lcreate_soft("/resume/current/W", file, "W", H5P_DEFAULT, H5P_DEFAULT);
       },
       "/W: it is a link"},
      {"W_by_an_external_link",
       [](hid_t file) {
         remove(file, "W");
         H5Lcreate_external("other.h5", "/W", file, "W", H5P_DEFAULT, H5P_DEFAULT);
       },
       "/W: it is a link"},
      {"R_shape", integers("R/shape", {2}, {9, 21}), "dataset /R/shape"},
      {"R_offsets", integers("R/indptr", {20}, {}), "dataset /R/indptr"},
      {"R_falling_offsets", integers("R/indptr", {21}, {0, 5, 3}), "dataset /R/indptr"},
      {"R_length", numbers("R/data", {2}, {}), "dataset /R/indices: it must be as long"},
      {"R_row",
       [](hid_t file) {
         const H5Handle rows(H5Dopen2(file, "R/indices", H5P_DEFAULT), H5Dclose);
         const H5Handle space(H5Dget_space(rows.id()), H5Sclose);
         std::vector<Index> values(static_cast<std::size_t>(H5Sget_simple_extent_npoints(space.id())));
         H5Dread(rows.id(), H5T_NATIVE_INT64, H5S_ALL, H5S_ALL, H5P_DEFAULT, values.data());
         values.back() = 9;
         H5Dwrite(rows.id(), H5T_NATIVE_INT64, H5S_ALL, H5S_ALL, H5P_DEFAULT, values.data());
       },
       "dataset /R/indices: entry"},
      {"no_history", missing("history"), "/history: it is missing"},
      {"history_lacks_a_field", missing("history/step"), "/history/step: it is missing"},
      {"history_too_short", numbers("history/objective", {4}, {}),
       "dataset /history/objective: it has 4 entries"},
      {"history_empty",
       [](hid_t file) {
         io::visit_history([&]<class Value>(const char* name, Value EpochRecord::*) {
           const hid_t type = std::is_same_v<Value, bool>    ? H5T_STD_U8LE
                              : std::is_same_v<Value, Index> ? H5T_STD_I64LE
                                                             : H5T_IEEE_F64LE;
           put(file, ("history/" + std::string(name)).c_str(), type, {0});
         });
       },
       "group /history: it has no entry"},
      {"names_of_numbers", numbers("feature_names", {9}, {}), "dataset /feature_names: it must hold texts"},
      {"too_few_names",
       [](hid_t file) {
         remove(file, "sample_names");
         const H5Handle type = text_type();
         const hsize_t count = 2;
         const H5Handle space(H5Screate_simple(1, &count, nullptr), H5Sclose);
         const H5Handle dataset(
             H5Dcreate2(file, "sample_names", type.id(), space.id(), H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT),
             H5Dclose);
         const char* values[] = {"a", nullptr};
         ASSERT_GE(H5Dwrite(dataset.id(), type.id(), H5S_ALL, H5S_ALL, H5P_DEFAULT, values), 0);
       },
       "dataset /sample_names: there are 2 names for 20"},
      {"huge_number_of_names",
       [](hid_t file) {
         remove(file, "sample_names");
         const H5Handle type = text_type();
         const hsize_t count = hsize_t{1} << 40;
         const H5Handle space(H5Screate_simple(1, &count, nullptr), H5Sclose);
         const H5Handle dataset(
             H5Dcreate2(file, "sample_names", type.id(), space.id(), H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT),
             H5Dclose);
         ASSERT_TRUE(dataset);
       },
       "dataset /sample_names: it would need"},
      {"unknown_solver", text("options", "solver", "svrmo"), "did you mean svrmu"},
      {"unknown_option", text("options", "speed", "9"),
       "attribute options/speed: r-svrmu has no option speed"},
      {"option_out_of_range", text("options", "step", "7"), "attribute options/step"},
      {"option_no_choice", text("options", "order", "alphabetic"), "choose one of cyclic"},
      {"open_choice", text("options", "outlier_penalty", "automatic"), "options/outlier_penalty"},
      {"open_batch_size", text("options", "batch_size", "0"), "options/batch_size"},
      {"batch_size_above_N", text("options", "batch_size", "21"), "options/batch_size"},
      {"long_option", text("options", "order", std::string(5000, 'x')), "is far too long"},
      {"control_characters", text("options", "order", "a\n\x1b[2Jb"), "is 'a??[2Jb'"},
      {"no_options", missing("options"), "attribute options/solver: it is missing"},
      {"unknown_step", text("preprocessing", "steps", "tfidf,log2p,max1"), "did you mean log1p"},
      {"more_steps", text("preprocessing", "steps", "tfidf,log1p,max1,feature_max"),
       "/preprocessing/numbers_3: it is missing"},
      {"learned_too_little", numbers("preprocessing/numbers_0", {8}, {}),
       "/preprocessing/numbers_0: it has 8 numbers, but the step needs 9"},
      {"learned_NaN", numbers("preprocessing/numbers_2", {1}, {nan}), "/preprocessing/numbers_2"},
      {"data_of_another_size", text("data", "samples", "21"), "the data were 9 x 21"},
      {"data_orientation", text("data", "samples_in", "diagonal"), "data/samples_in"},
      {"data_sparse", text("data", "sparse", "perhaps"), "neither true nor false"},
      {"resume_W", numbers("resume/current/W", {8, 3}, {}), "dataset /resume/current/W: it is 8 x 3"},
      {"resume_H_negative", numbers("resume/current/H", {3, 20}, {-1}), "dataset /resume/current/H"},
      {"resume_without_current", missing("resume/current"), "/resume/current: it is missing"},
      {"resume_state_missing", missing("resume/matrices/snapshot_up"), "snapshot_up: it is missing"},
      {"resume_state_size", numbers("resume/matrices/snapshot_HHt", {3, 2}, {}),
       "dataset /resume/matrices/snapshot_HHt: it is 3 x 2, but the model needs 3 x 3"},
      {"resume_part_of_the_state", numbers("resume/matrices/snapshot_up", {0, 0}, {}),
       "dataset /resume/matrices/snapshot_HHt: it is 3 x 3, but the model needs 0 x 0"},
      {"resume_best_with_other_R",
       [](hid_t file) {
         H5Handle(H5Gcreate2(file, "resume/best", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT), H5Gclose);
         put(file, "resume/best/W", H5T_IEEE_F64LE, {9, 3});
         put(file, "resume/best/H", H5T_IEEE_F64LE, {3, 20});
         put(file, "resume/best/R_values", H5T_IEEE_F64LE, {2});
       },
       "group /resume/best: its R is not as large"},
      {"resume_best_entry", text("resume", "best_entry", "5"), "best_entry: it is 5, but there are 5 whole"},
      {"resume_epoch", text("resume", "epoch", "-1"), "resume/epoch"},
      {"resume_restarts", text("resume", "runs_restarts", "0"), "resume/runs_restarts"},
      {"resume_ended", text("resume", "runs_ended", "2"), "resume/runs_ended"},
      {"resume_start", text("resume", "runs_start", "soon"), "'soon' is not one of automatic"},
      {"resume_first_seed",
       [](hid_t file) {
         set_text(file, "resume", "runs_restarts", "3");
         set_text(file, "resume", "runs_first_seed", "7");
       },
       "the seeds of the restarts do not begin there"},
      {"resume_step", text("resume", "step_factor", "nan"), "resume/step_factor"},
  };
}

class BadModel : public testing::TestWithParam<Change> {};

TEST_P(BadModel, IsRefusedWithThePartThatIsWrong) {
  const ScratchFolder folder;
  const std::string path = folder.file("m.h5");
  write_model(path, rich_model());
  {
    const ChangedModel file(path);
    ASSERT_GE(file.id(), 0);
    GetParam().make(file.id());
  }
  EXPECT_THAT([&] { read_model(path); },
              ThrowsMessage<InvalidData>(AllOf(StartsWith(path), HasSubstr(GetParam().says))));
}

INSTANTIATE_TEST_SUITE_P(, BadModel, testing::ValuesIn(changes()),
                         [](const auto& test) { return test.param.name; });

// State that only one solver has.
TEST(BadModelState, NumbersThatSizeTablesAreHeldAgainstTheModel) {
  const ScratchFolder folder;
  const std::string path = folder.file("m.h5");
  const Matrix<double> V = mostly_zero(9, 20);
  const SolverOptions solver = configured("sag-mu", {{"batch_size", "6"}});
  write_model(path, model_of(fit(*view(V), solver, epochs<double>(3, 2)), "sag-mu"));
  EXPECT_NO_THROW(read_model(path));
  for (const std::string batches : {"1e18", "3", "5", "nan", "-1", "3.5"}) {
    {
      const ChangedModel file(path);
      set_text(file.id(), "resume/numbers", "batches", batches);
    }
    EXPECT_THAT([&] { read_model(path); }, ThrowsMessage<InvalidData>(HasSubstr("resume/numbers/batches")))
        << batches;
  }
}

TEST(BadModelState, TheEntryToGoBackToMustBeAWholeOne) {
  const ScratchFolder folder;
  const std::string path = folder.file("m.h5");
  write_model(path, rich_model());
  {
    const ChangedModel file(path);
    put(file.id(), "history/partial", H5T_STD_U8LE, {5}, {0, 0, 0, 0, 1});
    set_text(file.id(), "resume", "best_entry", "4");
  }
  EXPECT_THAT([&] { read_model(path); }, ThrowsMessage<InvalidData>(HasSubstr("there are 4 whole entries")));
}

// Models with random parts changed: what the reader accepts, the fit must be able to use.
TEST(BadModelState, WhatIsAcceptedIsSafeToUse) {
  const Random random(1, Purpose::sketch);
  int accepted = 0;
  int resumed = 0;
  for (Index trial = 0; trial < 1500; ++trial) {
    std::vector<std::byte> bytes(static_cast<std::size_t>(1 + trial % 14));
    for (std::size_t i = 0; i < bytes.size(); ++i)
      bytes[i] = static_cast<std::byte>(256 * random.uniform(trial, static_cast<Index>(i)));
    const std::optional<AnyModel> read = ModelChanges(bytes).read();
    if (!read) continue;
    ++accepted;
    std::visit(
        [&]<class Scalar>(const Model<Scalar>& model) {
          const Matrix<Scalar> V =
              svrmu::positive(model.fit.W.rows(), model.fit.H.cols(), fuzzed_rank).template cast<Scalar>();
          const SparseMatrix<Scalar> sparse = V.sparseView();
          const auto source = trial % 2 == 0 ? view(V) : view(sparse);
          try {
            transform(*source, model.fit);
            resume(*source, model.fit, epochs<Scalar>(model.fit.checkpoint.epoch + 2, fuzzed_rank));
            ++resumed;
          } catch (const InvalidInput&) {
          }
        },
        *read);
  }
  EXPECT_GE(accepted, 300);
  EXPECT_GE(resumed, 200);
}

TEST(BadModelFile, ThatIsNotThereOrNotToBeReadIsAnIoError) {
  const ScratchFolder folder;
  EXPECT_THAT([&] { read_model(folder.file("none.h5")); }, ThrowsMessage<IoError>(HasSubstr("No such file")));
  EXPECT_THAT([&] { read_model(folder.path()); }, ThrowsMessage<IoError>(HasSubstr("folder")));
}

TEST(BadModelFile, ThatIsSomethingElseIsRefused) {
  const ScratchFolder folder;
  for (const std::string& content : {std::string(), std::string("text"), std::string(5000, '\0')}) {
    write_text(folder.file("m.h5"), content);
    EXPECT_THAT([&] { read_model(folder.file("m.h5")); },
                ThrowsMessage<InvalidData>(HasSubstr("not a model")));
  }
  H5Handle(H5Fcreate(folder.file("empty.h5").c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT), H5Fclose);
  EXPECT_THAT([&] { read_model(folder.file("empty.h5")); },
              ThrowsMessage<InvalidData>(HasSubstr("not a model")));
}

TEST(BadModelFile, ThatWasCutIsRefused) {
  const ScratchFolder folder;
  write_model(folder.file("m.h5"), rich_model());
  const std::string whole = read_text(folder.file("m.h5"));
  for (std::size_t size = 0; size < whole.size(); size += 997) {
    write_text(folder.file("cut.h5"), whole.substr(0, size));
    EXPECT_THROW(read_model(folder.file("cut.h5")), InvalidData) << size;
  }
}

}  // namespace
}  // namespace svrmu::io
