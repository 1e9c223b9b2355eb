// Delimiters, decimal signs and missing values of delimited text.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "files.hpp"
#include "io/parsers.hpp"

namespace svrmu::io {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;
using testing::ThrowsMessage;

MatrixFile parse_text(const std::string& text, char usual = ',', const ReadOptions& options = {}) {
  return parse_delimited(input_of(text, "a.csv"), usual, options);
}

Matrix<double> halves() { return (Matrix<double>(2, 2) << 1.5, 2.25, 3, 1000.5).finished(); }

TEST(TextDialect, SemicolonsAndDecimalCommasAreRead) {
  for (const std::string text :
       {"1,5;2,25\n3;1000,5\n", "a;b\n1,5;2,25\n3,0;1000,5\n", "\"a\";\"b\"\r\n1,5;2,25\r\n3;1000,5\r\n",
        "1.5;2.25\n3;1000.5\n", "1,5\t2,25\n3\t1,0005e3\n", "1.5\t2.25\n3\t1000.5\n"})
    EXPECT_EQ(contents(parse_text(text)), halves()) << text;
  const MatrixFile named = parse_text("gene;a;b\nx;1,5;2,25\ny;3;1000,5\n");
  EXPECT_EQ(contents(named), halves());
  EXPECT_THAT(named.row_names, ElementsAre("x", "y"));
  EXPECT_THAT(named.column_names, ElementsAre("a", "b"));
}

TEST(TextDialect, DecimalCommasMayBeginAnywhereAndHaveManyDigits) {
  const Matrix<double> M = contents(parse_text("0,12345678901234567890;-2,5e-3\n,5;+7\n"));
  EXPECT_EQ(M(0, 0), 0.12345678901234567890);
  EXPECT_EQ(M(0, 1), -2.5e-3);
  EXPECT_EQ(M(1, 0), 0.5);
  EXPECT_EQ(M(1, 1), 7);
}

TEST(TextDialect, CommasThatMaySeparateThousandsAreRefused) {
  const std::string text = "1,234;5,678\n12,345;1,000\n";
  EXPECT_THAT([&] { parse_text(text); }, ThrowsMessage<InvalidData>(HasSubstr("decimal=comma")));
  EXPECT_EQ(contents(parse_text(text, ',', {.decimal = ','}))(1, 0), 12.345);
  // A single number that cannot have thousands settles it.
  EXPECT_EQ(contents(parse_text("1,234;5,678\n0,345;1,000\n"))(0, 0), 1.234);
}

TEST(TextDialect, CommasOrSemicolonsBothPossibleIsRefused) {
  const std::string text = "x;1,5\ny;2,5\n";
  EXPECT_THAT([&] { parse_text(text); }, ThrowsMessage<InvalidData>(AllOf(HasSubstr("delimiter=comma"),
                                                                          HasSubstr("delimiter=semicolon"))));
  EXPECT_EQ(contents(parse_text(text, ',', {.delimiter = ';'}))(1, 0), 2.5);
  EXPECT_THAT(parse_text(text, ',', {.delimiter = ','}).row_names, ElementsAre("x;1", "y;2"));
}

TEST(TextDialect, SemicolonsInNamesAreNoDelimiters) {
  const MatrixFile file = parse_text("p;q,r\na;b,1\nc;d,2\n");
  EXPECT_THAT(file.row_names, ElementsAre("a;b", "c;d"));
  EXPECT_EQ(file.columns, 1);
}

TEST(TextDialect, GivenSignsAreObeyed) {
  EXPECT_EQ(contents(parse_text("1.5|2.25\n3|1000.5\n", ',', {.delimiter = '|'})), halves());
  EXPECT_EQ(contents(parse_text("1,5|2,25\n3|1000,5\n", ',', {.delimiter = '|'})), halves());
  EXPECT_THAT([&] { parse_text("1,2\n", ',', {.delimiter = ',', .decimal = ','}); },
              ThrowsMessage<InvalidInput>(HasSubstr("contradict")));
  EXPECT_THAT([&] { parse_text("1;2\n3;4,5\n", ',', {.delimiter = ';', .decimal = '.'}); },
              ThrowsMessage<InvalidData>(AllOf(HasSubstr("'4,5'"), HasSubstr("decimal=comma"))));
}

TEST(TextDialect, AnyBlanksSeparateCellsOfSpacedText) {
  const ReadOptions spaced{.delimiter = ' '};
  for (const std::string text :
       {"1.5 2.25\n3 1000.5\n", "  1.5   2.25  \r\n\t3 \t 1000.5 \r\n", "a b\n1.5 2.25\n3 1000.5",
        "a b\nx 1.5 2.25\n y 3 1000.5", "\"x y\" 1.5 2.25 \nz 3  1000.5"})
    for (const ReadOptions& options : {ReadOptions{}, spaced})
      EXPECT_EQ(contents(parse_text(text, ' ', options)), halves()) << text;
  EXPECT_THAT(parse_text("\"x y\" 1.5 2.25 \nz 3  1000.5", ' ').row_names, ElementsAre("x y", "z"));
  EXPECT_THAT([&] { parse_text("1 2\n3 \n", ' ', spaced); },
              ThrowsMessage<InvalidData>(HasSubstr("the line has 1 cells instead of 2")));
  EXPECT_THAT([&] { parse_text("1 2\n3 4 5\n", ' ', spaced); },
              ThrowsMessage<InvalidData>(HasSubstr("more than 2 cells")));
  EXPECT_THAT([&] { parse_text("1 2\n\n3 4\n", ' ', spaced); },
              ThrowsMessage<InvalidData>(HasSubstr("line 2, column 1: the line is empty")));
}

TEST(TextDialect, TextThatPromisesNothingMayHaveAnyDelimiter) {
  for (const std::string text : {"1.5,2.25\n3,1000.5\n", "1,5;2,25\n3;1000,5\n", "1.5\t2.25\n3\t1000.5\n"})
    EXPECT_EQ(contents(parse_text(text, ' ')), halves()) << text;
}

TEST(MissingValues, AreNotZero) {
  for (const std::string word : {"", "NA", "N/A", "null", "None", "-", "?", " ", "\"NA\""}) {
    const std::string text = "a,b,c\n1,2,3\n4," + word + ",6\n" + word + ",8," + word + "\n";
    EXPECT_THAT([&] { parse_text(text); },
                ThrowsMessage<InvalidData>(
                    AllOf(HasSubstr("cell 2 ('b') is "), HasSubstr("3 values are missing"),
                          HasSubstr("not supported yet"), HasSubstr("impute"), Not(HasSubstr("write 0")))))
        << word;
  }
}

TEST(MissingValues, InTheFirstLineDoNotMakeItALineOfNames) {
  EXPECT_THAT([&] { parse_text("1,NA,3\n4,5,6\n"); },
              ThrowsMessage<InvalidData>(
                  AllOf(HasSubstr("line 1, column 3: cell 2 is 'NA'"), HasSubstr("a value is missing"))));
  EXPECT_THAT([&] { parse_text("NA,2,3\n4,5,6\n"); },
              ThrowsMessage<InvalidData>(HasSubstr("line 1, column 1: cell 1 is 'NA'")));
}

TEST(MissingValues, AreNamesAmongNames) {
  EXPECT_THAT(parse_text("gene,a\nNA,1\nTP53,2\n").row_names, ElementsAre("NA", "TP53"));
  EXPECT_THAT(parse_text("a,NA\n1,2\n").column_names, ElementsAre("a", "NA"));
}

TEST(MissingValues, AreCountedInAllPiecesOfALongText) {
  std::string text;
  for (int i = 0; i < 900000; ++i) text += i % 300000 == 100 ? "7,\n" : "123456,7890123\n";
  for (const int threads : {1, 2})
    EXPECT_THAT([&] { parse_text(text, ',', {.threads = threads}); },
                ThrowsMessage<InvalidData>(AllOf(HasSubstr("line 101, column 3"), HasSubstr("3 values"))));
}

}  // namespace
}  // namespace svrmu::io
