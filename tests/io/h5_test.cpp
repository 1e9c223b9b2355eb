#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/file.h>
#include <sys/wait.h>
#include <unistd.h>

#include "files.hpp"

namespace svrmu::io {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing::SizeIs;
using testing::ThrowsMessage;

auto reading(const std::string& name) {
  return [=] { read_matrix(made_h5(name)); };
}

const std::vector<std::string> row_names = {"row0", "row1", "row2", "row3", "row4"};
const std::vector<std::string> column_names = {"col0 é", "col1 é", "col2 é"};

TEST(H5, EveryTypeAndEndiannessIsRead) {
  SVRMU_NEEDS_H5_FILES();
  for (const std::string type : {"b1", "i1", "u1", "i2", "u2", "i4", "u4", "i8", "u8", "f2", "f4", "f8"})
    for (const std::string end : {"big", "little"}) {
      const MatrixFile file = read_matrix(made_h5(type + "_" + end + ".h5"));
      EXPECT_EQ(contents(file), type == "b1" ? positive(made_matrix()) : made_matrix()) << file.path;
      EXPECT_EQ(file.is_double(), type != "f4") << file.path;
      EXPECT_EQ(file.format, "h5");
    }
  EXPECT_EQ(read_matrix(made_h5("u2_big.h5")).elements, "uint16 big-endian");
  EXPECT_EQ(read_matrix(made_h5("b1_little.h5")).elements, "bool");
}

TEST(H5, EveryStorageIsRead) {
  SVRMU_NEEDS_H5_FILES();
  for (const std::string name : {"gzip_shuffle.h5", "chunked.hdf5", "compact.h5", "latest.h5"})
    EXPECT_EQ(contents(read_matrix(made_h5(name))), made_matrix()) << name;
  EXPECT_EQ(read_matrix(made_h5("empty_matrix.h5")).rows, 0);
}

TEST(H5, NativeValuesInOnePieceAreUsedWhereTheyLie) {
  SVRMU_NEEDS_H5_FILES();
  for (const std::string type : {"u1", "i8", "f2", "f4", "f8"})
    for (const std::string end : {"big", "little"})
      EXPECT_EQ(read_matrix(made_h5(type + "_" + end + ".h5")).mapped,
                end == "little" && (type == "f4" || type == "f8"))
          << type << " " << end;
  for (const std::string name : {"gzip_shuffle.h5", "chunked.hdf5", "compact.h5"})
    EXPECT_FALSE(read_matrix(made_h5(name)).mapped) << name;
  EXPECT_FALSE(read_matrix(made_h5("f8_little.h5"), {.precision = Precision::float32}).mapped);
}

TEST(H5, BlocksFitTogetherHoweverTheFileIsCut) {
  SVRMU_NEEDS_H5_FILES();
  Matrix<double> whole(3000, 1500);
  for (Index i = 0; i < 3000; ++i)
    for (Index j = 0; j < 1500; ++j) whole(i, j) = static_cast<double>(1500 * i + j);
  for (const std::string name : {"chunks", "thin", "tall", "plain"})
    EXPECT_TRUE(contents(read_matrix(made_h5("large.h5:" + name))) == whole) << name;
}

TEST(H5, StrongCompressionIsNoFault) {
  SVRMU_NEEDS_H5_FILES();
  const MatrixFile file = read_matrix(made_h5("zeros.h5"), {.precision = Precision::float64});
  EXPECT_EQ(file.rows, 2000);
  EXPECT_TRUE((contents(file).array() == 1).all());
}

TEST(H5, ADatasetIsChosenByName) {
  SVRMU_NEEDS_H5_FILES();
  for (const std::string name : {"a/first", "/a/first", "soft", "/a/back/first"})
    EXPECT_EQ(contents(read_matrix(made_h5("several.h5:" + name))), made_matrix()) << name;
  EXPECT_EQ(contents(read_matrix(made_h5("several.h5:second"))), 2 * made_matrix());
  EXPECT_EQ(contents(read_matrix(made_h5("one_with_vectors.h5"))), made_matrix());
  EXPECT_THAT(reading("several.h5"), ThrowsMessage<InvalidInput>(
                                         AllOf(HasSubstr("several matrices"), HasSubstr("several.h5:NAME"),
                                               HasSubstr("/a/first (5 x 3 float64), /second (5 x 3 float64)"),
                                               HasSubstr("/vector (3 float64)"), Not(HasSubstr("back")))));
  EXPECT_THAT(reading("several.h5:third"),
              ThrowsMessage<InvalidInput>(AllOf(HasSubstr("has no 'third'"), HasSubstr("/second"))));
  EXPECT_THAT(reading("several.h5:second/x"), ThrowsMessage<InvalidInput>(HasSubstr("has no 'second/x'")));
  EXPECT_THAT(reading("many.h5"), ThrowsMessage<InvalidInput>(AllOf(HasSubstr("/V019"), HasSubstr("80 more"),
                                                                    Not(HasSubstr("/V020")))));
  EXPECT_THAT(reading("nothing.h5"),
              ThrowsMessage<InvalidInput>(AllOf(HasSubstr("no matrix"), HasSubstr("/y (5 float64)"))));
  EXPECT_THAT(reading("deep.h5"),
              ThrowsMessage<InvalidInput>(HasSubstr("too much in it to find its matrix")));
}

TEST(H5, WhatIsNoMatrixOfNumbersIsRefusedByName) {
  SVRMU_NEEDS_H5_FILES();
  const auto refusal = [](const std::string& member, const std::string& what) {
    EXPECT_THAT(reading("several.h5:" + member),
                ThrowsMessage<InvalidInput>(AllOf(HasSubstr("several.h5:/" + member), HasSubstr(what))));
  };
  refusal("vector", "1 dimensions");
  refusal("cube", "3 dimensions");
  refusal("complex", "complex numbers");
  refusal("texts", "texts");
  refusal("records", "records");
  refusal("lists", "lists");
  refusal("empty", "nothing");
  refusal("enumeration", "an enumeration");
  refusal("a", "is a group");
}

TEST(H5, LinksStayWithinTheFile) {
  SVRMU_NEEDS_H5_FILES();
  EXPECT_THAT(reading("several.h5:outside"), ThrowsMessage<InvalidInput>(HasSubstr("link to another file")));
  EXPECT_THAT(reading("several.h5:cycle"), ThrowsMessage<InvalidInput>(HasSubstr("cannot be opened")));
  EXPECT_THAT(reading("several.h5:dangling"), ThrowsMessage<InvalidInput>(HasSubstr("cannot be opened")));
  EXPECT_THAT(reading("external_data.h5:V"), ThrowsMessage<InvalidInput>(HasSubstr("another file")));
  EXPECT_THAT(reading("virtual.h5:V"), ThrowsMessage<InvalidInput>(HasSubstr("another file")));
}

TEST(H5, AMissingFilterIsNamed) {
  SVRMU_NEEDS_H5_FILES();
  EXPECT_THAT(reading("lzf.h5"),
              ThrowsMessage<InvalidInput>(AllOf(HasSubstr("lzf.h5:/V"), HasSubstr("filter 32000"),
                                                HasSubstr("'lzf'"), HasSubstr("HDF5_PLUGIN_PATH"))));
}

TEST(H5, APipeIsRead) {
  SVRMU_NEEDS_H5_FILES();
  const ScratchFolder folder;
  const std::string path = folder.file("pipe.h5");
  ASSERT_EQ(::mkfifo(path.c_str(), 0600), 0);
  const std::string content = read_text(made_h5("f8_little.h5"));
  const pid_t writer = ::fork();
  if (writer == 0) {
    std::ofstream(path, std::ios::binary) << content;
    ::_exit(0);
  }
  EXPECT_EQ(contents(read_matrix(path)), made_matrix());
  ::waitpid(writer, nullptr, 0);
}

TEST(H5, AFileThatIsBeingWrittenIsAnIoError) {
  SVRMU_NEEDS_H5_FILES();
  const ScratchFolder folder;
  const std::string path = folder.file("busy.h5");
  write_text(path, read_text(made_h5("f8_little.h5")));
  const int other = ::open(path.c_str(), O_RDWR);
  ASSERT_EQ(::flock(other, LOCK_EX), 0);
  EXPECT_THAT([&] { read_matrix(path); }, ThrowsMessage<IoError>(HasSubstr("another program is writing it")));
  ::close(other);
  EXPECT_EQ(contents(read_matrix(path)), made_matrix());
}

TEST(H5, WrongEndingsAreToldByTheContent) {
  SVRMU_NEEDS_H5_FILES();
  const ScratchFolder folder;
  for (const std::string name : {"a.npy", "a.csv", "a.mtx"}) {
    write_text(folder.file(name), read_text(made_h5("f8_little.h5")));
    EXPECT_THAT([&] { read_matrix(folder.file(name)); },
                ThrowsMessage<InvalidInput>(HasSubstr("begins like a .h5 file")));
  }
  write_text(folder.file("a.h5"), read_text(made_h5("double_73.mat")));
  EXPECT_THAT([&] { read_matrix(folder.file("a.h5")); },
              ThrowsMessage<InvalidInput>(HasSubstr("begins like a .mat file")));
}

TEST(H5, OctaveFilesAreRead) {
  if (!std::filesystem::exists(made_h5("octave.h5"))) GTEST_SKIP() << "Octave is not installed";
  for (const std::string name :
       {"octave.h5", "octave.h5:V", "octave_h5.mat", "octave_several.h5:V", "octave_several.h5:W"})
    EXPECT_EQ(contents(read_matrix(made_h5(name))), made_matrix()) << name;
  EXPECT_THAT(
      reading("octave_several.h5"),
      ThrowsMessage<InvalidInput>(AllOf(HasSubstr("/V (Octave"), HasSubstr("/S (Octave structure)"))));
}

void expect_cells(const MatrixFile& file, const Matrix<double>& values) {
  EXPECT_EQ(file.format, "h5ad");
  EXPECT_EQ(file.natural, SamplesIn::rows);
  EXPECT_EQ(file.samples, SamplesIn::rows);
  EXPECT_EQ(contents(file), values) << file.path;
  EXPECT_EQ(file.sample_names(), row_names);
  EXPECT_EQ(through_source(*open_source<double>(file)), values.transpose());
}

TEST(H5ad, FilesOfAnndataAreRead) {
  SVRMU_NEEDS_H5_FILES();
  if (!std::filesystem::exists(made_h5("csr.h5ad"))) GTEST_SKIP() << "anndata is not installed";
  for (const std::string kind : {"csr", "csc", "dense"}) {
    const std::string name = kind + ".h5ad";
    const MatrixFile X = read_matrix(made_h5(name));
    expect_cells(X, made_matrix());
    EXPECT_EQ(X.is_sparse(), kind != "dense");
    EXPECT_FALSE(X.is_double());
    EXPECT_EQ(needs_transposition(X), kind == "csc");
    EXPECT_EQ(X.feature_names(), column_names);
    expect_cells(read_matrix(made_h5(name + ":X")), made_matrix());
    expect_cells(read_matrix(made_h5(name + ":layers/counts")), 2 * made_matrix());
    expect_cells(read_matrix(made_h5(name + ":/layers/integers")), made_matrix());
    const MatrixFile raw = read_matrix(made_h5(name + ":raw/X"));
    EXPECT_EQ(raw.columns, 6);
    EXPECT_THAT(raw.feature_names(), ElementsAre("a", "b", "c", "d", "e", "f"));
    const MatrixFile other = read_matrix(made_h5(name + ":obsm/X_pca"));
    EXPECT_EQ(other.sample_names(), row_names);
    EXPECT_THAT(other.feature_names(), IsEmpty());
    EXPECT_THAT(reading(name + ":layers/count"),
                ThrowsMessage<InvalidInput>(HasSubstr("there is X, raw/X, layers/counts, layers/integers")));
    EXPECT_THAT(reading(name + ":obs"), ThrowsMessage<InvalidInput>(HasSubstr("'dataframe', not a matrix")));
  }
}

TEST(H5ad, FilesOfOlderVersionsAreRead) {
  SVRMU_NEEDS_H5_FILES();
  for (const std::string kind : {"csr", "csc", "dense"}) {
    const MatrixFile X = read_matrix(made_h5("old_" + kind + ".h5ad"));
    expect_cells(X, made_matrix());
    EXPECT_EQ(X.feature_names(), column_names);
    for (const std::string raw : {"raw/X", "raw.X"}) {
      const MatrixFile file = read_matrix(made_h5("old_" + kind + ".h5ad:" + raw));
      expect_cells(file, 2 * made_matrix());
      EXPECT_EQ(file.feature_names(), column_names);
    }
  }
  expect_cells(read_matrix(made_h5("fixed_texts.h5ad")), made_matrix());
  EXPECT_EQ(read_matrix(made_h5("fixed_texts.h5ad")).feature_names(), column_names);
  EXPECT_THAT(read_matrix(made_h5("integer_names.h5ad")).sample_names(),
              ElementsAre("0", "1", "2", "3", "4"));
}

TEST(H5ad, UnsortedAndRepeatedEntriesAreSortedAndAddedUp) {
  SVRMU_NEEDS_H5_FILES();
  const MatrixFile file = read_matrix(made_h5("untidy.h5ad"));
  EXPECT_EQ(file.stored(), 2);
  EXPECT_EQ(contents(file), (Matrix<double>(1, 3) << 1, 0, 5).finished());
}

TEST(H5ad, TheOrientationCanBeOverridden) {
  SVRMU_NEEDS_H5_FILES();
  const MatrixFile file = read_matrix(made_h5("old_csr.h5ad"), {.samples = SamplesIn::columns});
  EXPECT_EQ(file.natural, SamplesIn::rows);
  EXPECT_EQ(file.sample_names(), column_names);
  EXPECT_EQ(through_source(*open_source<float>(file)), made_matrix());
}

void expect_tenx(const MatrixFile& file) {
  EXPECT_EQ(file.format, "10x");
  EXPECT_EQ(file.natural, SamplesIn::columns);
  EXPECT_TRUE(file.is_sparse());
  EXPECT_FALSE(needs_transposition(file));
  EXPECT_EQ(contents(file), made_matrix()) << file.path;
  EXPECT_THAT(file.sample_names(), ElementsAre("ACGT-0", "ACGT-1", "ACGT-2"));
  EXPECT_THAT(file.feature_names(), ElementsAre("A (ENSG0)", "B", "A (ENSG2)", "C", "D"));
}

TEST(Tenx, FilesAndFoldersAreRead) {
  SVRMU_NEEDS_H5_FILES();
  for (const std::string name : {"tenx3.h5", "tenx3_variable.h5", "tenx3.h5:matrix", "tenx2.h5",
                                 "tenx2_two.h5:mm10", "tenx_folder", "tenx_folder/", "tenx_folder_gz"})
    expect_tenx(read_matrix(made_h5(name)));
  EXPECT_THAT(reading("tenx2_two.h5"),
              ThrowsMessage<InvalidInput>(HasSubstr("/GRCh38 (10x counts), /mm10 (10x counts)")));
  const MatrixFile turned = read_matrix(made_h5("tenx_folder"), {.samples = SamplesIn::rows});
  EXPECT_FALSE(needs_transposition(turned));
  EXPECT_THAT(turned.feature_names(), SizeIs(3));
}

TEST(Mat73, EveryClassIsRead) {
  SVRMU_NEEDS_H5_FILES();
  for (const std::string type : {"double", "single", "int8", "uint8", "int16", "uint16", "int32", "uint32",
                                 "int64", "uint64", "logical"}) {
    const MatrixFile file = read_matrix(made_h5(type + "_73.mat"));
    EXPECT_EQ(contents(file), type == "logical" ? positive(made_matrix()) : made_matrix()) << type;
    EXPECT_EQ(file.is_double(), type != "single");
    EXPECT_EQ(file.elements, type);
    EXPECT_EQ(file.format, "mat7.3");
  }
}

TEST(Mat73, SparseMatricesAreRead) {
  SVRMU_NEEDS_H5_FILES();
  const MatrixFile file = read_matrix(made_h5("sparse_73.mat"));
  EXPECT_TRUE(file.is_sparse());
  EXPECT_EQ(contents(file), made_matrix());
  EXPECT_EQ(contents(read_matrix(made_h5("sparse_logical_73.mat"))), positive(made_matrix()));
  const MatrixFile empty = read_matrix(made_h5("sparse_empty_73.mat"));
  EXPECT_EQ(empty.stored(), 0);
  EXPECT_EQ(empty.rows, 4);
  EXPECT_EQ(empty.columns, 3);
}

TEST(Mat73, OneMatrixNeedsNoName) {
  SVRMU_NEEDS_H5_FILES();
  EXPECT_EQ(contents(read_matrix(made_h5("with_label_73.mat"))), made_matrix());
  EXPECT_EQ(contents(read_matrix(made_h5("several_73.mat:U"))), 2 * made_matrix());
  EXPECT_EQ(contents(read_matrix(made_h5("several_73.mat:s/inner"))), 3 * made_matrix());
  EXPECT_THAT(reading("several_73.mat"),
              ThrowsMessage<InvalidInput>(AllOf(HasSubstr("V (5 x 3 double)"), HasSubstr("text (1 x 2 char)"),
                                                HasSubstr("s (struct)"), Not(HasSubstr("#refs#")))));
  EXPECT_THAT(reading("several_73.mat:X"), ThrowsMessage<InvalidInput>(HasSubstr("no variable 'X'")));
}

TEST(Mat73, OtherThingsAreRefusedByName) {
  SVRMU_NEEDS_H5_FILES();
  EXPECT_THAT(reading("several_73.mat:text"), ThrowsMessage<InvalidInput>(HasSubstr("is a 'char'")));
  EXPECT_THAT(reading("several_73.mat:cell"), ThrowsMessage<InvalidInput>(HasSubstr("is a 'cell'")));
  EXPECT_THAT(reading("several_73.mat:s"), ThrowsMessage<InvalidInput>(HasSubstr("is a 'struct'")));
  EXPECT_THAT(reading("several_73.mat:complex"), ThrowsMessage<InvalidInput>(HasSubstr("complex")));
  EXPECT_THAT(reading("several_73.mat:cube"), ThrowsMessage<InvalidInput>(HasSubstr("3 dimensions")));
  EXPECT_THAT(reading("several_73.mat:empty"), ThrowsMessage<InvalidInput>(HasSubstr("empty")));
}

struct BadH5 {
  const char* name;
  const char* place;  // within the file
  const char* message;
};

void PrintTo(const BadH5& file, std::ostream* out) { *out << file.name << ": " << file.message; }

class BadH5Content : public testing::TestWithParam<BadH5> {};

TEST_P(BadH5Content, IsInvalidInputThatNamesFileAndPlace) {
  SVRMU_NEEDS_H5_FILES();
  const std::string path = made_h5(std::string("bad/") + GetParam().name);
  EXPECT_THAT([&] { read_matrix(path); },
              ThrowsMessage<InvalidInput>(AllOf(HasSubstr(path + GetParam().place),
                                                HasSubstr(GetParam().message), Not(HasSubstr("\n")))));
}

INSTANTIATE_TEST_SUITE_P(
    Table, BadH5Content,
    testing::Values(
        BadH5{"index.h5ad", ":/X: ", "index 3 (counted from 1) is 3, but must be from 0 to 2"},
        BadH5{"negative.h5ad", ":/X: ", "index 1 (counted from 1) is -1"},
        BadH5{"decreasing.h5ad", ":/X: ", "offset 3 (counted from 1) is 3, which is not between 5"},
        BadH5{"beyond.h5ad", ":/X: ", "offset 6 (counted from 1) is 1000"},  //
        BadH5{"first.h5ad", ":/X: ", "the first offset is 1"},
        BadH5{"few_offsets.h5ad", ":/X/indptr: ", "must have 6 offsets for 5 rows, but has 3"},
        BadH5{"lengths.h5ad", ":/X: ", "there are 7 indices, but 3 values"},
        BadH5{"no_shape.h5ad", ":/X: ", "attribute 'shape'"},
        BadH5{"shape3.h5ad", ":/X: ", "attribute 'shape'"},
        BadH5{"negative_shape.h5ad", ":/X: ", "a shape of -5 x 3"},
        BadH5{"huge_shape.h5ad", ":/X: ", "far more than"},  //
        BadH5{"huge_rows.h5ad", ":/X: ", "far more than"},
        BadH5{"encoding.h5ad", ":/X: ", "is a group of encoding 'dataframe', not a matrix"},
        BadH5{"float_indices.h5ad", ":/X/indices: ", "must hold integers, not float64"},
        BadH5{"two_dimensions.h5ad", ":/X/indptr: ", "must have one dimension, but has 2"},
        BadH5{"text_values.h5ad", ":/X/data: ", "must hold numbers, not texts"},
        BadH5{"no_data.h5ad", ":/X: ", "has no 'data'"},
        BadH5{"group_data.h5ad", ":/X/data: ", "must be a dataset"},
        BadH5{"no_X.h5ad", ": ", "has no 'X'; there is layers/counts"},
        BadH5{"names.h5ad", ":/obs: ", "has 2 names, but there are 5 rows"},
        BadH5{"names_type.h5ad", ":/obs/_index: ", "must hold texts, not float64"},
        BadH5{"table.h5ad", ":/obs: ", "must be a table with a field 'index'"},
        BadH5{"vector.h5ad", ":/X: ", "1 dimensions"},  //
        BadH5{"fill.h5", ":/V: ", "far more than the 0 bytes"},
        BadH5{"fill_gzip.h5", ":/V: ", "far more than the 0 bytes"},
        BadH5{"fill_contiguous.h5", ":/V: ", "far more than the 0 bytes"},
        BadH5{"overflow.h5", ":/V: ", "too large"},  //
        BadH5{"huge_chunk.h5", ":/V: ", "a chunk would need"},
        BadH5{"gzip.h5", ":/V: ", "cannot be read from row 1 (counted from 1) on"},
        BadH5{"fill_offsets.h5ad", ":/X: ", "far more than"},
        BadH5{"fill_values.h5ad", ":/X/data: ", "far more than"},
        BadH5{"fill_names.h5ad", ":/obs/_index: ", "far more than"},
        BadH5{"long_names.h5ad", ":/obs/_index: ", "far more than"},
        BadH5{"one_text.h5ad", ":/obs/_index: ", "far longer than its file"},
        BadH5{"tenx_shape.h5", ":/matrix/shape: ", "must hold two sizes"},
        BadH5{"tenx_barcodes.h5", ":/matrix/barcodes: ", "has 1 names, but there are 3 cells"},
        BadH5{"tenx_features.h5", ":/matrix/features/name: ", "has 2 names, but there are 5 features"},
        BadH5{"sparse_rows.mat", ":/V: ", "but must be from 0 to 1"},
        BadH5{"sparse_text.mat", ":/V: ", "must be the number of rows"},
        BadH5{"sparse_jc.mat", ":/V/jc: ", "at least one offset"},
        BadH5{"none.mat", ": ", "holds no numeric matrix; there are text (1 x 2 char)"}));

TEST(BadH5, NoPrefixOfAGoodFileIsReadAsAWhole) {
  SVRMU_NEEDS_H5_FILES();
  const ScratchFolder folder;
  for (const std::string name : {"f8_little.h5", "gzip_shuffle.h5", "old_csr.h5ad", "sparse_73.mat"}) {
    const std::string content = read_text(made_h5(name));
    for (std::size_t size = 0; size < content.size(); size += 1 + size / 16) {
      write_text(folder.file(name), content.substr(0, size));
      EXPECT_THROW(read_matrix(folder.file(name)), InvalidInput) << name << " cut at " << size;
    }
  }
}

}  // namespace
}  // namespace svrmu::io
