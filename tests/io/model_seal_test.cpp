// The checksum of model files, and what HDF5 gets to see.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include "files.hpp"
#include "io/hdf5.hpp"
#include "io/mapped_file.hpp"
#include "io/model_file.hpp"
#include "io/model_seal.hpp"
#include "models.hpp"

namespace svrmu::io {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::ThrowsMessage;

template <class Scalar>
std::string bytes_of(const Model<Scalar>& model) {
  std::string bytes;
  build_model("m.h5", model, [&](std::string_view built) { bytes = built; });
  return bytes;
}

AnyModel read_bytes(const std::string& bytes) {
  return read_model(Input{"m.h5", std::as_bytes(std::span(bytes)), nullptr, false, {}});
}

Model<double> dense_model() {
  const Matrix<double> V = svrmu::positive(3, 4, 2);
  Model<double> model = model_of(fit(*view(V), configured("mu", {}), epochs<double>(1, 2)), "mu");
  model.fit.checkpoint.current = {};
  model.fit.checkpoint.best.reset();
  return model;
}

Model<float> sparse_robust_model() {
  const SparseMatrix<float> V = mostly_zero(4, 5).cast<float>().sparseView();
  const SolverOptions solver = configured("r-svrmu", {{"batch_size", "2"}});
  Model<float> model = model_of(fit(*view(V), solver, epochs<float>(1, 2)), "r-svrmu");
  model.feature_names = {"a", "", "käse", "d "};
  model.sample_names = {"1", "2", "3", "4", "5"};
  return model;
}

Model<double> resumable_model() {
  const Matrix<double> V = svrmu::positive(3, 4, 2);
  const SolverOptions solver = configured("svrmu", {{"batch_size", "2"}});
  return model_of(fit(*view(V), solver, epochs<double>(2, 2)), "svrmu");
}

// A sanitizer would take minutes for all of them.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr std::size_t every = 37;
#else
constexpr std::size_t every = 1;
#endif

void expect_every_flip_refused(std::string bytes) {
  ASSERT_NO_THROW(read_bytes(bytes));
  std::size_t accepted = 0;
  for (std::size_t bit = 0; bit < 8 * bytes.size(); bit += every) {
    const char before = bytes[bit / 8];
    bytes[bit / 8] = static_cast<char>(before ^ (1 << bit % 8));
    try {
      read_bytes(bytes);
      ++accepted;
    } catch (const InvalidData&) {
    }
    bytes[bit / 8] = before;
  }
  EXPECT_EQ(accepted, 0u);
}

TEST(ModelSeal, EveryFlippedBitOfADenseModelIsRefused) { expect_every_flip_refused(bytes_of(dense_model())); }
TEST(ModelSeal, EveryFlippedBitOfASparseRobustModelIsRefused) {
  expect_every_flip_refused(bytes_of(sparse_robust_model()));
}
TEST(ModelSeal, EveryFlippedBitOfAResumableModelIsRefused) {
  expect_every_flip_refused(bytes_of(resumable_model()));
}

TEST(ModelSeal, AFileThatWasCutOrMadeLongerIsDamagedAndTheMessageSaysWhatToDo) {
  const std::string whole = bytes_of(dense_model());
  const auto says = [](const std::string& what) {
    return ThrowsMessage<InvalidData>(AllOf(HasSubstr("m.h5: is damaged"), HasSubstr(what),
                                            HasSubstr("copy it again from where it is whole")));
  };
  for (std::size_t size = 8; size < whole.size(); size += 61)
    EXPECT_THAT([&] { read_bytes(whole.substr(0, size)); }, says(std::to_string(size) + " bytes"));
  for (const std::size_t more : {std::size_t{1}, std::size_t{512}, whole.size()})
    EXPECT_THAT([&] { read_bytes(whole + std::string(more, '\0')); },
                says(std::to_string(whole.size()) + " were written"));
}

TEST(ModelSeal, LostAndSwappedSectorsAreRefused) {
  const std::string whole = bytes_of(resumable_model());
  constexpr std::size_t sector = 512;
  for (std::size_t place = 0; place + 2 * sector <= whole.size(); place += sector) {
    std::string zeroed = whole;
    std::fill_n(zeroed.begin() + static_cast<std::ptrdiff_t>(place), sector, '\0');
    std::string swapped = whole;
    swapped.replace(place, sector, whole, place + sector, sector);
    swapped.replace(place + sector, sector, whole, place, sector);
    std::string missing = whole;
    missing.erase(place + sector, sector);  // without its seal it would be one of version 1
    for (const std::string& damaged : {zeroed, swapped, missing})
      if (damaged != whole) {
        EXPECT_THROW(read_bytes(damaged), InvalidData) << place;
      }
  }
}

TEST(ModelSeal, HDF5BehindOtherBytesIsRefused) {
  const std::string part = bytes_of(dense_model()).substr(seal_size);
  for (const std::size_t place : {512, 1024, 2048, 4096})
    EXPECT_THAT([&] { read_bytes(std::string(place, 'x') + part); },
                ThrowsMessage<InvalidData>(HasSubstr("HDF5 begins at byte " + std::to_string(place))));
}

TEST(ModelSeal, OfANewerKindIsRefusedAsSuch) {
  std::string bytes = bytes_of(dense_model());
  bytes[16] = 2;
  EXPECT_THAT([&] { read_bytes(bytes); }, ThrowsMessage<InvalidData>(HasSubstr("a newer svrmu wrote it")));
}

TEST(ModelSeal, AFileThatLostItIsReadAsOneWithoutAChecksum) {
  const std::string whole = bytes_of(sparse_robust_model());
  const auto sealed = std::get<Model<float>>(read_bytes(whole));
  const auto bare = std::get<Model<float>>(read_bytes(whole.substr(seal_size)));
  EXPECT_TRUE(sealed.has_checksum);
  EXPECT_FALSE(bare.has_checksum);
  EXPECT_EQ(bare.fit.W, sealed.fit.W);
  EXPECT_EQ(bare.feature_names, sealed.feature_names);
}

TEST(ModelSeal, MatricesOfADamagedModelAreNotReadEither) {
  const ScratchFolder folder;
  const std::string path = folder.file("m.h5");
  std::string bytes = bytes_of(dense_model());
  write_text(path, bytes);
  EXPECT_EQ(contents(read_matrix(path + ":W")), dense_model().fit.W);
  for (const std::size_t place : {std::size_t{3}, bytes.size() - 1}) {
    std::string damaged = bytes;
    damaged[place] ^= 1;
    write_text(path, damaged);
    EXPECT_TRUE(is_model(path));
    EXPECT_THAT([&] { read_matrix(path + ":W"); }, ThrowsMessage<InvalidData>(HasSubstr("is damaged")));
  }
}

TEST(FirstBytes, AreThoseOfAnOrdinaryFile) {
  const ScratchFolder folder;
  write_text(folder.file("a"), "12345");
  EXPECT_EQ(first_bytes(folder.file("a"), 3), "123");
  EXPECT_EQ(first_bytes(folder.file("a"), 9), "12345");
  EXPECT_EQ(first_bytes(folder.file("none"), 3), "");
  EXPECT_EQ(first_bytes(folder.path(), 3), "");
  ASSERT_EQ(::mkfifo(folder.file("pipe").c_str(), 0600), 0);
  EXPECT_EQ(first_bytes(folder.file("pipe"), 3), "");
}

TEST(ModelSeal, OnlyModelsAreTakenForModels) {
  const ScratchFolder folder;
  write_text(folder.file("bare.h5"), bytes_of(dense_model()).substr(seal_size));
  EXPECT_TRUE(is_model(folder.file("bare.h5")));
  H5Handle(H5Fcreate(folder.file("other.h5").c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT), H5Fclose);
  EXPECT_FALSE(is_model(folder.file("other.h5")));
  write_text(folder.file("text"), "1,2\n");
  EXPECT_FALSE(is_model(folder.file("text")));
  EXPECT_FALSE(is_model(folder.file("none")));
  EXPECT_FALSE(is_model(folder.path()));
  EXPECT_EQ(ending_by_content(bytes_of(dense_model())), ".h5");
}

// A file that svrmu wrote when models had no checksum, texts of variable length and another number for V.
TEST(ModelOfVersion1, IsReadAndKnowsItsData) {
  const auto model = std::get<Model<double>>(read_model(SVRMU_VERSION1 "/model.h5"));
  EXPECT_FALSE(model.has_checksum);
  EXPECT_EQ(model.algorithm, "svrmu");
  EXPECT_THAT(model.feature_names, ElementsAre("käse 0", "käse 1", "käse 2", "käse 3", "käse 4", "käse 5"));
  MatrixFile file = read_matrix(SVRMU_VERSION1 "/V.csv");
  EXPECT_FALSE(describes(model.data, file));
  preprocess(file, model.preprocessing);
  EXPECT_TRUE(describes(model.data, file));
  EXPECT_FALSE(model.data.fingerprint);
  const FitOptions<double> options = epochs<double>(6, 2);
  EXPECT_EQ(resume(*open_source<double>(file), model.fit, options).history.back().epoch, 6);
}

TEST(ModelTextsInFile, AreOfFixedLength) {
  const Model<double> model = rich_model();
  EXPECT_EQ(bytes_of(model).find("GCOL"), std::string::npos) << "a heap of HDF5 begins so";
}

TEST(ModelTextsInFile, OneLongNameDoesNotPadAllOthers) {
  Model<double> model = dense_model();
  const Index samples = 3000;
  model.fit.H = random_matrix(2, samples, 1);
  model.data = {};
  for (Index n = 0; n < samples; ++n) model.sample_names.push_back(std::to_string(n) + " ");
  model.sample_names[7] = std::string(100000, 'x');
  const std::string bytes = bytes_of(model);
  EXPECT_LE(bytes.size(), std::size_t{1} << 20);
  EXPECT_EQ(std::get<Model<double>>(read_bytes(bytes)).sample_names, model.sample_names);
}

}  // namespace
}  // namespace svrmu::io
