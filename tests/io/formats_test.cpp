#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "files.hpp"

namespace svrmu::io {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::ThrowsMessage;

TEST(Npy, EveryTypeOrderAndEndiannessIsRead) {
  SVRMU_NEEDS_MADE_FILES();
  for (const std::string type : {"b1", "i1", "u1", "i2", "u2", "i4", "u4", "i8", "u8", "f2", "f4", "f8"})
    for (const std::string end : {"big", "little"})
      for (const std::string order : {"c", "f"}) {
        const MatrixFile file = read_matrix(made(type + "_" + end + "_" + order + ".npy"));
        EXPECT_EQ(contents(file), type == "b1" ? positive(made_matrix()) : made_matrix()) << file.path;
        EXPECT_EQ(file.is_double(), type != "f4") << file.path;
        EXPECT_EQ(file.mapped, end == "little" && (type == "f4" || type == "f8")) << file.path;
      }
}

TEST(Npy, VersionsOneToThreeAreRead) {
  SVRMU_NEEDS_MADE_FILES();
  for (const std::string version : {"1", "2", "3"})
    EXPECT_EQ(contents(read_matrix(made("version" + version + ".npy"))), made_matrix());
}

TEST(Npy, ThePrecisionIsAsAskedFor) {
  SVRMU_NEEDS_MADE_FILES();
  const MatrixFile file = read_matrix(made("f8_little_c.npy"), {.precision = Precision::float32});
  EXPECT_FALSE(file.is_double());
  EXPECT_FALSE(file.mapped);
  EXPECT_EQ(contents(file), made_matrix());
}

TEST(Npy, WhatIsNoMatrixOfNumbersIsRefused) {
  SVRMU_NEEDS_MADE_FILES();
  const auto reading = [](const std::string& name) { return [=] { read_matrix(made(name)); }; };
  EXPECT_THAT(reading("vector.npy"), ThrowsMessage<InvalidInput>(HasSubstr("1 dimensions")));
  EXPECT_THAT(reading("complex.npy"), ThrowsMessage<InvalidInput>(HasSubstr("complex")));
  EXPECT_THAT(reading("object.npy"), ThrowsMessage<InvalidInput>(HasSubstr("Python objects")));
  EXPECT_THAT(reading("record.npy"), ThrowsMessage<InvalidInput>(HasSubstr("records")));
  EXPECT_THAT(reading("text.npy"), ThrowsMessage<InvalidInput>(HasSubstr("texts")));
  EXPECT_THAT(reading("longdouble.npy"), ThrowsMessage<InvalidInput>(HasSubstr("float64")));
}

TEST(Npz, DenseArraysAreChosenByKey) {
  SVRMU_NEEDS_MADE_FILES();
  EXPECT_EQ(contents(read_matrix(made("one.npz"))), made_matrix());
  for (const std::string name : {"several.npz", "several_deflated.npz"}) {
    EXPECT_EQ(contents(read_matrix(made(name + ":first"))), made_matrix());
    EXPECT_EQ(contents(read_matrix(made(name + ":second"))), 2 * made_matrix());
    EXPECT_THAT([&] { read_matrix(made(name)); }, ThrowsMessage<InvalidInput>(HasSubstr("first, second")));
    EXPECT_THAT([&] { read_matrix(made(name + ":secnd")); },
                ThrowsMessage<InvalidInput>(AllOf(HasSubstr("did you mean second"), HasSubstr("first"))));
  }
}

TEST(Npz, SizesMayStandInTheFieldsOfZip64) {
  SVRMU_NEEDS_MADE_FILES();
  EXPECT_EQ(contents(read_matrix(made("zip64.npz:V"))), made_matrix());
}

TEST(Npz, SparseMatricesOfScipyAreRead) {
  SVRMU_NEEDS_MADE_FILES();
  for (const std::string kind : {"csr", "csc", "coo"})
    for (const bool stored : {false, true}) {
      const MatrixFile file = read_matrix(made(kind + (stored ? "_stored.npz" : ".npz")));
      EXPECT_TRUE(file.is_sparse());
      EXPECT_EQ(file.is_double(), !stored);
      EXPECT_EQ(contents(file), made_matrix()) << kind;
      EXPECT_EQ(needs_transposition(file), kind == "csr");
    }
  for (const std::string kind : {"bsr", "dia"})
    EXPECT_THAT([&] { read_matrix(made(kind + ".npz")); }, ThrowsMessage<InvalidInput>(HasSubstr(kind)));
}

TEST(Npz, UnsortedAndRepeatedEntriesAreSortedAndAddedUp) {
  SVRMU_NEEDS_MADE_FILES();
  const MatrixFile file = read_matrix(made("untidy.npz"));
  EXPECT_EQ(file.stored(), 2);
  EXPECT_EQ(contents(file), (Matrix<double>(1, 3) << 1, 0, 5).finished());
}

TEST(Mtx, WhatScipyWritesIsRead) {
  SVRMU_NEEDS_MADE_FILES();
  for (const std::string name :
       {"coordinate.mtx", "coordinate_crlf.mtx", "coordinate.mtx.gz", "integer.mtx", "array.mtx"})
    EXPECT_EQ(contents(read_matrix(made(name))), made_matrix()) << name;
  EXPECT_EQ(contents(read_matrix(made("pattern.mtx"))), positive(made_matrix()));
  const Matrix<double> symmetric = made_matrix().transpose() * made_matrix();
  EXPECT_EQ(contents(read_matrix(made("symmetric.mtx"))), symmetric);
  EXPECT_EQ(contents(read_matrix(made("symmetric_array.mtx"))), symmetric);
}

TEST(Mtx, SamplesInRowsNeedNoTransposition) {
  SVRMU_NEEDS_MADE_FILES();
  const MatrixFile file = read_matrix(made("coordinate.mtx"), {.samples = SamplesIn::rows});
  EXPECT_FALSE(needs_transposition(file));
  EXPECT_EQ(through_source(*open_source<double>(file)), made_matrix().transpose());
}

TEST(Mat, EveryClassIsReadPlainAndCompressed) {
  SVRMU_NEEDS_MADE_FILES();
  for (const std::string type : {"i1", "u1", "i2", "u2", "i4", "u4", "i8", "u8", "f4", "f8", "b1"})
    for (const std::string compressed : {"0", "1"}) {
      const MatrixFile file = read_matrix(made(type + "_" + compressed + ".mat"));
      EXPECT_EQ(contents(file), type == "b1" ? positive(made_matrix()) : made_matrix()) << file.path;
      EXPECT_EQ(file.is_double(), type != "f4") << file.path;
    }
}

TEST(Mat, SparseMatricesAreRead) {
  SVRMU_NEEDS_MADE_FILES();
  for (const std::string name : {"sparse_0.mat", "sparse_1.mat"}) {
    const MatrixFile file = read_matrix(made(name));
    EXPECT_TRUE(file.is_sparse());
    EXPECT_EQ(contents(file), made_matrix());
  }
  EXPECT_EQ(contents(read_matrix(made("logical_sparse.mat"))), positive(made_matrix()));
}

TEST(Mat, OneMatrixNeedsNoName) {
  SVRMU_NEEDS_MADE_FILES();
  EXPECT_EQ(contents(read_matrix(made("with_label.mat"))), made_matrix());
  EXPECT_EQ(contents(read_matrix(made("several.mat:U"))), 2 * made_matrix());
  EXPECT_THAT(
      [] { read_matrix(made("several.mat")); },
      ThrowsMessage<InvalidInput>(AllOf(HasSubstr("V (5 x 3 double)"), HasSubstr("U (5 x 3 double)"))));
  EXPECT_THAT([] { read_matrix(made("several.mat:X")); },
              ThrowsMessage<InvalidInput>(HasSubstr("no variable 'X'")));
  EXPECT_THAT([] { read_matrix(made("several.mat:text")); }, ThrowsMessage<InvalidInput>(HasSubstr("char")));
}

TEST(Mat, OtherThingsAreRefused) {
  SVRMU_NEEDS_MADE_FILES();
  EXPECT_THAT([] { read_matrix(made("complex.mat")); }, ThrowsMessage<InvalidInput>(HasSubstr("complex")));
  EXPECT_THAT([] { read_matrix(made("cube.mat")); },
              ThrowsMessage<InvalidInput>(HasSubstr("no numeric matrix")));
  EXPECT_THAT([] { read_matrix(made("version4.mat")); }, ThrowsMessage<InvalidInput>(HasSubstr("-v7")));
}

TEST(Mat, OctaveFilesAreRead) {
  if (!std::filesystem::exists(made("octave7.mat"))) GTEST_SKIP() << "Octave is not installed";
  for (const std::string name : {"octave6.mat", "octave7.mat", "octave_sparse.mat"})
    EXPECT_EQ(contents(read_matrix(made(name))), made_matrix()) << name;
}

TEST(Mat, RealFilesAreRead) {
  const char* given = std::getenv("SVRMU_REAL_FILES");
  const std::string folder = given ? given : SVRMU_REAL_FILES;
  if (!std::filesystem::exists(folder + "/Reuters21578.mat")) GTEST_SKIP() << "no files in " << folder;
  const MatrixFile text = read_matrix(folder + "/Reuters21578.mat");
  EXPECT_TRUE(text.is_sparse());
  EXPECT_EQ(text.rows, 8293);
  EXPECT_EQ(text.columns, 18933);
  EXPECT_EQ(text.stored(), 389455);
  const MatrixFile faces = read_matrix(folder + "/CBCL_Face.mat");
  EXPECT_FALSE(faces.is_sparse());
  EXPECT_GT(faces.rows * faces.columns, 361 * 2000);
}

TEST(Source, EveryOrientationAndPrecisionGivesTheSameV) {
  SVRMU_NEEDS_MADE_FILES();
  for (const std::string name :
       {"f8_little_c.npy", "f8_little_f.npy", "csr.npz", "csc.npz", "f4_little_c.npy"}) {
    const MatrixFile columns = read_matrix(made(name));
    EXPECT_EQ(through_source(*open_source<double>(columns)), made_matrix());
    EXPECT_EQ(through_source(*open_source<float>(columns)), made_matrix());
    const MatrixFile rows = read_matrix(made(name), {.samples = SamplesIn::rows});
    EXPECT_EQ(through_source(*open_source<double>(rows)), made_matrix().transpose());
    EXPECT_EQ(through_source(*open_source<float>(rows)), made_matrix().transpose());
  }
}

TEST(Source, TheStorageLivesAsLongAsTheSource) {
  SVRMU_NEEDS_MADE_FILES();
  const auto source = open_source<double>(read_matrix(made("f8_little_c.npy")));
  EXPECT_EQ(through_source(*source), made_matrix());
}

}  // namespace
}  // namespace svrmu::io
