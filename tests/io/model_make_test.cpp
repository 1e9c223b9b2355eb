#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "files.hpp"
#include "models.hpp"

namespace svrmu::io {
namespace {

using testing::MatchesRegex;

// Six samples in rows, four features with names.
class MakeModel : public testing::Test {
 protected:
  MakeModel() {
    const Matrix<double> V = noisy(6, 4, 2);
    path_ = folder_.file("V.csv");
    write_csv(path_, dense_view(V), {{}, {"a", "b", "c", "d"}});
    file_ = read_matrix(path_, {SamplesIn::rows, Precision::automatic, 1});
    options_ = epochs<double>(2, 3);
    options_.normalize = true;
    options_.evaluate_every = 2;
  }

  FitResult<double> fitted() { return fit(*open_source<double>(file_), configured("mu-acc", {}), options_); }

  ScratchFolder folder_;
  std::string path_;
  MatrixFile file_;
  FitOptions<double> options_;
};

TEST_F(MakeModel, TakesTheResultTheOptionsAndTheNames) {
  const FitResult<double> result = fitted();
  const Model<double> model = make_model(result, options_, file_, {}, {"mu-acc", "svrmu fit V.csv"});
  EXPECT_EQ(model.fit.W, result.W);
  EXPECT_EQ(model.algorithm, "mu-acc");
  EXPECT_EQ(model.command, "svrmu fit V.csv");
  EXPECT_EQ(model.stopping.max_epochs, options_.stopping.max_epochs);
  EXPECT_TRUE(model.normalize);
  EXPECT_EQ(model.evaluate_every, 2);
  EXPECT_THAT(model.feature_names, testing::ElementsAre("a", "b", "c", "d"));
  EXPECT_TRUE(model.sample_names.empty());
  EXPECT_THAT(model.created, MatchesRegex("[0-9]+-[0-9]+-[0-9]+T[0-9]+:[0-9]+:[0-9]+Z"));
  EXPECT_THAT(model.version, MatchesRegex("[0-9]+\\.[0-9]+\\.[0-9]+"));
}

TEST_F(MakeModel, DescribesTheDataAfterPreprocessing) {
  const std::uint64_t before = fingerprint(file_);
  Preprocessing preprocessing = preprocess(file_, {PreprocessStep::max1});
  const Model<double> model = make_model(fitted(), options_, file_, preprocessing);
  EXPECT_EQ(model.data.path, path_);
  EXPECT_EQ(model.data.features, 4);
  EXPECT_EQ(model.data.samples, 6);
  EXPECT_EQ(model.data.stored, 24);
  EXPECT_FALSE(model.data.sparse);
  EXPECT_EQ(model.data.samples_in, SamplesIn::rows);
  EXPECT_EQ(model.data.fingerprint, fingerprint(file_));
  EXPECT_NE(model.data.fingerprint, before);
  EXPECT_FALSE(model.data.checksum);
  EXPECT_EQ(to_string(model.preprocessing), "max1");
}

TEST_F(MakeModel, KeepsADescriptionThatIsGiven) {
  DataDescription data = describe_data(file_);
  data.fingerprint = 17;
  const Model<double> model = make_model(fitted(), options_, file_, {}, {.data = data});
  EXPECT_EQ(model.data.fingerprint, 17u);
}

TEST_F(MakeModel, NamesTheSolverWhenNoNameWasAskedFor) {
  const FitResult<double> result = fitted();
  EXPECT_EQ(make_model(result, options_, file_).algorithm, name_of(result.solver));
}

TEST_F(MakeModel, MakesThePathAbsoluteButLeavesAStreamAlone) {
  file_.path = "some/../V.csv";
  EXPECT_EQ(describe_data(file_).path, (std::filesystem::current_path() / "V.csv").string());
  file_.path = "-";
  EXPECT_EQ(describe_data(file_).path, "-");
}

TEST_F(MakeModel, CanBeWrittenAndReadBack) {
  const Model<double> model = make_model(fitted(), options_, file_);
  write_model(folder_.file("m.svrmu"), model);
  const auto back = std::get<Model<double>>(read_model(folder_.file("m.svrmu")));
  EXPECT_EQ(back.data.fingerprint, model.data.fingerprint);
  EXPECT_EQ(back.version, model.version);
}

}  // namespace
}  // namespace svrmu::io
