#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "files.hpp"
#include "io/parsers.hpp"
#include "io/text.hpp"

namespace svrmu::io {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::ThrowsMessage;

MatrixFile parse(const std::string& text, char delimiter = ',') {
  return io::parse_delimited(input_of(text, "a.csv"), delimiter, {});
}

Matrix<double> two_by_two() { return (Matrix<double>(2, 2) << 1, 2, 3, 4).finished(); }

TEST(Delimited, WhatNumpyWritesIsRead) {
  SVRMU_NEEDS_MADE_FILES();
  for (const std::string name : {"plain.csv", "plain.tsv", "plain.csv.gz"})
    EXPECT_EQ(contents(read_matrix(made(name))), made_matrix()) << name;
}

TEST(Delimited, NumbersAloneHaveNoNames) {
  const MatrixFile file = parse("1,2\n3,4\n");
  EXPECT_EQ(contents(file), two_by_two());
  EXPECT_THAT(file.row_names, IsEmpty());
  EXPECT_THAT(file.column_names, IsEmpty());
}

TEST(Delimited, ALineOfNamesIsFound) {
  const MatrixFile file = parse("a,b\n1,2\n3,4");
  EXPECT_EQ(contents(file), two_by_two());
  EXPECT_THAT(file.row_names, IsEmpty());
  EXPECT_THAT(file.column_names, ElementsAre("a", "b"));
}

TEST(Delimited, NamesOfRowsAreFound) {
  const MatrixFile file = parse("x,1,2\ny,3,4\n");
  EXPECT_EQ(contents(file), two_by_two());
  EXPECT_THAT(file.row_names, ElementsAre("x", "y"));
  EXPECT_THAT(file.column_names, IsEmpty());
}

TEST(Delimited, BothKindsOfNamesAreFound) {
  for (const std::string corner : {"", "gene", "\"\""}) {
    const MatrixFile file = parse(corner + ",a,b\nx,1,2\ny,3,4\n");
    EXPECT_EQ(contents(file), two_by_two()) << corner;
    EXPECT_THAT(file.row_names, ElementsAre("x", "y"));
    EXPECT_THAT(file.column_names, ElementsAre("a", "b"));
  }
}

TEST(Delimited, PandasAndRHaveTheirOwnCorners) {
  const MatrixFile pandas = parse(",0,1\n0,1,2\n1,3,4\n");
  EXPECT_EQ(contents(pandas), two_by_two());
  EXPECT_THAT(pandas.row_names, ElementsAre("0", "1"));
  EXPECT_THAT(pandas.column_names, ElementsAre("0", "1"));
  const MatrixFile r = parse("a\tb\nx\t1\t2\ny\t3\t4\n", '\t');
  EXPECT_EQ(contents(r), two_by_two());
  EXPECT_THAT(r.row_names, ElementsAre("x", "y"));
  EXPECT_THAT(r.column_names, ElementsAre("a", "b"));
}

TEST(Delimited, QuotesMayHoldDelimitersQuotesAndLines) {
  const MatrixFile file = parse("\"a,1\",\"b \"\"x\"\"\"\n1,2\n3,4\n");
  EXPECT_EQ(contents(file), two_by_two());
  EXPECT_THAT(file.column_names, ElementsAre("a,1", "b \"x\""));
  EXPECT_THAT(parse("\"x\ny\",1,2\nz,3,4\n").row_names, ElementsAre("x\ny", "z"));
}

TEST(Delimited, LineEndsMarksAndBlanksDoNotMatter) {
  for (const std::string text : {"1,2\r\n3,4\r\n",
                                 "\xef\xbb\xbf"
                                 "1,2\n3,4",
                                 " 1 , 2\n3\t,+4\n\n\n", "\"1\",\"2\"\n\"3\",\"4\"\n", "1,2\r\n3,4\r"})
    EXPECT_EQ(contents(parse(text)), two_by_two()) << text;
  EXPECT_THAT(parse("\xef\xbb\xbf"
                    "a,b\r\n1,2\r\n3,4")
                  .column_names,
              ElementsAre("a", "b"));
}

TEST(Delimited, LongFilesAreTheSameForAnyNumberOfThreads) {
  std::string text;
  for (int i = 0; i < 900000; ++i) text += std::to_string(i) + "," + std::to_string(0.5 * i) + "\n";
  ASSERT_GT(text.size(), 3u << 22);
  for (const int threads : {1, 2, 5}) {
    const MatrixFile file = io::parse_delimited(input_of(text), ',', {.threads = threads});
    ASSERT_EQ(file.rows, 900000);
    const double* values = std::get<StoredDense<double>>(file.matrix).data;
    for (int i = 0; i < 900000; ++i) ASSERT_EQ(values[2 * i + 1], 0.5 * i);
  }
  text.back() = 'x';
  EXPECT_THAT([&] { io::parse_delimited(input_of(text), ',', {}); },
              ThrowsMessage<InvalidInput>(HasSubstr("line 900000, column 8")));
}

TEST(Delimited, EveryNumberIsTheNearestOneToItsText) {
  std::uint64_t state = 1;
  const auto random = [&] { return (state = state * 6364136223846793005u + 1442695040888963407u) >> 11; };
  for (int i = 0; i < 200000; ++i) {
    std::string text = std::to_string(random() >> (random() % 53));
    const std::size_t point = random() % text.size() + 1;
    if (i % 5) text = text.substr(0, point).append(".").append(text.substr(point));
    if (i % 7 == 0) text.append("e").append(std::to_string(static_cast<int>(random() % 40) - 20));
    if (i % 3 == 0) text = std::string("-").append(text);
    const char* at = text.data();
    double wide = 0;
    ASSERT_EQ(io::read_number(at, text.data() + text.size(), wide), io::NumberError::none) << text;
    EXPECT_EQ(wide, std::strtod(text.c_str(), nullptr)) << text;
    EXPECT_EQ(at, text.data() + text.size()) << text;
    float narrow = 0;
    at = text.data();
    ASSERT_EQ(io::read_number(at, text.data() + text.size(), narrow), io::NumberError::none) << text;
    EXPECT_EQ(narrow, std::strtof(text.c_str(), nullptr)) << text;
  }
}

TEST(Delimited, SpecialNumbersAreLeftToTheScan) {
  const Matrix<double> M = contents(parse("nan,inf\n-1,1e-400\n"));
  EXPECT_TRUE(std::isnan(M(0, 0)));
  EXPECT_TRUE(std::isinf(M(0, 1)));
  EXPECT_EQ(M(1, 0), -1);
  EXPECT_EQ(M(1, 1), 0);
}

}  // namespace
}  // namespace svrmu::io
