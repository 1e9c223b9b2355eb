#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "files.hpp"
#include "io/pictures.hpp"

namespace svrmu::io {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::ThrowsMessage;

auto reading(const std::string& name) {
  return [=] { read_matrix(made_h5(name)); };
}

// The picture that make_h5_files.py draws: rows 4, columns 3, pixels column by column.
Matrix<double> drawn() {
  Matrix<double> out(12, 1);
  for (Index j = 0; j < 3; ++j)
    for (Index i = 0; i < 4; ++i) out(4 * j + i, 0) = static_cast<double>(20 * (3 * i + j));
  return out;
}

TEST(Pictures, PgmFilesAreColumnsInTheOrderOfTheirNames) {
  SVRMU_NEEDS_H5_FILES();
  const MatrixFile file = read_matrix(made_h5("pgm"));
  EXPECT_EQ(file.format, "pictures");
  EXPECT_EQ(file.elements, "uint8");
  EXPECT_TRUE(file.is_double());
  EXPECT_EQ(file.natural, SamplesIn::columns);
  EXPECT_EQ(file.image_rows, 4);
  EXPECT_EQ(file.image_columns, 3);
  EXPECT_THAT(file.sample_names(), ElementsAre("a.PGM", "b.pgm"));
  EXPECT_TRUE(file.feature_names().empty());
  EXPECT_EQ(contents(file).col(0), Matrix<double>(drawn().array() + 1));
  EXPECT_EQ(contents(file).col(1), drawn());
  EXPECT_EQ(contents(read_matrix(made_h5("pgm16"))), 250 * drawn());
  EXPECT_EQ(read_matrix(made_h5("pgm16")).elements, "uint16");
}

TEST(Pictures, EveryKindOfPngBecomesGray) {
  SVRMU_NEEDS_H5_FILES();
  const MatrixFile file = read_matrix(made_h5("png"));
  const Matrix<double> V = contents(file);
  ASSERT_EQ(V.cols(), 7);
  for (Index j = 0; j < 6; ++j)
    EXPECT_EQ(V.col(j), drawn()) << file.sample_names()[static_cast<std::size_t>(j)];
  EXPECT_EQ(V.col(6), 299 * drawn() / 1000);
  const Matrix<double> deep = contents(read_matrix(made_h5("png16")));
  EXPECT_EQ(deep.col(0), 250 * drawn());
  EXPECT_EQ(deep.col(1), 250 * drawn());
  const Matrix<double> few = contents(read_matrix(made_h5("png_bits")));
  EXPECT_EQ(few.col(0), Matrix<double>(255 * (drawn().array() > 100).cast<double>()));
  EXPECT_EQ(few.col(2), 17 * drawn() / 20);
  const MatrixFile single = read_matrix(made_h5("png"), {.precision = Precision::float32});
  EXPECT_FALSE(single.is_double());
  EXPECT_EQ(contents(single).col(0), drawn());
}

TEST(Pictures, PicturesMustBeAlike) {
  SVRMU_NEEDS_H5_FILES();
  EXPECT_THAT(reading("bad_sizes"),
              ThrowsMessage<InvalidInput>(AllOf(HasSubstr("bad_sizes/b.png: has 4 x 3 pixels"),
                                                HasSubstr("bad_sizes/a.png has 3 x 4 pixels"))));
  EXPECT_THAT(reading("bad_depths"), ThrowsMessage<InvalidInput>(AllOf(HasSubstr("b.png: counts to 65535"),
                                                                       HasSubstr("a.png counts to 255"))));
  EXPECT_THAT(reading("bad_png"), ThrowsMessage<InvalidInput>(HasSubstr("a.png, byte")));
}

TEST(Folder, OtherThingsInItAreRefused) {
  SVRMU_NEEDS_H5_FILES();
  EXPECT_THAT(reading("bad_other"), ThrowsMessage<InvalidInput>(HasSubstr("bad_other/b.jpg: is neither")));
  EXPECT_THAT(reading("bad_inside"), ThrowsMessage<InvalidInput>(HasSubstr("bad_inside/more: is neither")));
  EXPECT_THAT(reading("bad_nothing"),
              ThrowsMessage<InvalidInput>(
                  AllOf(HasSubstr("neither pictures (.pgm, .png)"), HasSubstr("matrix.mtx"))));
  EXPECT_THAT(reading("bad_tenx"), ThrowsMessage<InvalidInput>(HasSubstr("no features.tsv")));
  EXPECT_THAT(
      reading("bad_tenx_lines"),
      ThrowsMessage<InvalidInput>(AllOf(HasSubstr("features.tsv: has 2 lines"), HasSubstr("5 features"))));
  const ScratchFolder empty;
  EXPECT_THAT([&] { read_matrix(empty.path()); }, ThrowsMessage<InvalidInput>(HasSubstr("neither pictures")));
}

struct BadPgm {
  std::string content;
  const char* message;
};

TEST(Pgm, WhatMakesNoSenseIsInvalidInput) {
  using namespace std::string_literals;
  const std::vector<BadPgm> bad = {
      {"", "byte 0: does not begin like a PGM"},
      {"P6 1 1 255 abc", "byte 0: does not begin like a PGM"},
      {"P5", "byte 2: expected the width"},
      {"P5 a", "byte 3: expected the width"},
      {"P5 -1 2 255 ", "expected the width"},
      {"P5 0 2 255 ", "byte 3: the width must be from 1 to 1000000"},
      {"P5 1000001 2 255 ", "the width must be"},
      {"P5 99999999999999999999999 2 255 ", "the width must be"},
      {"P5 1 ", "byte 5: expected the height"},
      {"P5 1 1", "expected the largest value"},
      {"P5 1 1 0 a", "the largest value must be from 1 to 65535"},
      {"P5 1 1 65536 a", "the largest value must be"},
      {"P5 1 1 255", "expected a blank"},
      {"P5 1 1 255#a\n", "expected a blank"},
      {"P5 2 2 255\nabc", "byte 14: ends too early for a picture of 2 x 2 pixels"},
      {"P5 1000000 1000000 255\nabc", "ends too early"},
      {"P5 2 1 256\nabc", "ends too early"},
      {"P5 1 1 255\nab", "byte 12: goes on for 1 bytes"},
      {"P5 1 1 10\nx", "byte 10: a pixel of 120, but the largest value is 10"},
      {"P2 2 1 255\n1", "ends too early"},
      {"P2 2 1 255\n1 x", "byte 13: expected a pixel"},
      {"P2 2 1 255\n1 256", "byte 13: a pixel must be from 0 to 255"},
      {"P2 2 1 255\n1 2 3", "goes on for 1 bytes"},
      {"P2 # no end", "byte 11: expected the width"},
  };
  for (const BadPgm& file : bad)
    EXPECT_THAT([&] { io::parse_pgm(input_of(file.content, "a.pgm")); },
                ThrowsMessage<InvalidInput>(AllOf(HasSubstr("a.pgm"), HasSubstr(file.message))))
        << file.content;
}

TEST(Png, NoPrefixAndNoChangedByteLeadsToAnythingElse) {
  SVRMU_NEEDS_H5_FILES();
  for (const std::string name : {"1_gray", "5_palette", "6_interlaced"}) {
    const std::string content = read_text(made_h5("png/" + name + ".png"));
    for (std::size_t size = 0; size < content.size(); ++size)
      EXPECT_THROW(io::parse_png(input_of(content.substr(0, size))), InvalidInput)
          << name << " cut at " << size;
    for (std::size_t i = 0; i < content.size(); ++i) {
      std::string other = content;
      other[i] = static_cast<char>(other[i] ^ '\x81');
      try {
        io::parse_png(input_of(other));
      } catch (const InvalidInput&) {
      }
    }
  }
}

}  // namespace
}  // namespace svrmu::io
