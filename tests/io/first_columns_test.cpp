// An index is not a sample, and entries (row, column, value) are not a matrix of three columns.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "files.hpp"
#include "io/parsers.hpp"

namespace svrmu::io {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::ThrowsMessage;

MatrixFile parse_table(const std::string& text, RowNames row_names = RowNames::automatic) {
  return parse_delimited(input_of(text, "a.csv"), ',', {.row_names = row_names});
}

// Lines of a first column and of numbers that look like data.
std::string with_data(const std::string& header, const std::vector<std::string>& first) {
  std::string text = header.empty() ? "" : header + ",a,b\n";
  for (std::size_t i = 0; i < first.size(); ++i)
    text += first[i] + "," + std::to_string(7 * i % 5) + "," + std::to_string(3 * i % 7) + "\n";
  return text;
}

const std::vector<std::string> from_0 = {"0", "1", "2", "3", "4", "5", "6"};
const std::vector<std::string> wavelengths = {"400.50", "410", "420", "430", "440", "450"};
const std::vector<std::string> falling = {"4000", "3990", "3980", "3970", "3960", "3950"};

TEST(FirstColumn, AnIndexBelowANameThatSaysSoIsNoData) {
  for (const std::string header : {"Unnamed: 0", "index", "ID", "id", "sample_id", "PassengerId", "X", "#"}) {
    const MatrixFile file = parse_table(with_data(header, from_0));
    EXPECT_EQ(file.columns, 2) << header;
    EXPECT_EQ(file.row_names, from_0) << header;
    EXPECT_THAT(file.column_names, ElementsAre("a", "b"));
    EXPECT_THAT(file.notes, ElementsAre(AllOf(HasSubstr("(0, 1, 2, ...)"), HasSubstr("'" + header + "'"),
                                              HasSubstr("row_names=none"))));
  }
  EXPECT_THAT(parse_table(with_data("id", {"42", "17", "99"})).row_names, ElementsAre("42", "17", "99"));
}

TEST(FirstColumn, AnIndexBelowAnEmptyCellIsNotedAsNames) {
  const MatrixFile file = parse_table(",a,b\n0,1,2\n1,3,4\n");
  EXPECT_THAT(file.row_names, ElementsAre("0", "1"));
  EXPECT_THAT(file.notes, ElementsAre(AllOf(HasSubstr("(0, 1)"), HasSubstr("row_names=none"))));
  EXPECT_THAT(parse_table(",a,b\nx,1,2\ny,3,4\n").notes, IsEmpty());
  EXPECT_THAT(parse_table(",a,b\n\"0\",1,2\n\"1\",3,4\n").notes, IsEmpty());
}

TEST(FirstColumn, AnAxisBelowANameThatSaysSoIsNoData) {
  for (const std::string header : {"wavelength", "Wavelength (nm)", "time", "Time_s", "m/z", "wavenumber"})
    for (const auto& axis : {wavelengths, falling}) {
      const MatrixFile file = parse_table(with_data(header, axis));
      EXPECT_EQ(file.columns, 2) << header;
      EXPECT_EQ(file.row_names, axis) << header;
      EXPECT_EQ(file.notes.size(), 1u);
    }
}

TEST(FirstColumn, ARisingColumnWithoutAWordForItIsDataWithANote) {
  for (const std::string header : {"", "day"})
    for (const auto& first : {from_0, wavelengths, falling}) {
      const MatrixFile file = parse_table(with_data(header, first));
      EXPECT_EQ(file.columns, 3);
      EXPECT_THAT(file.row_names, IsEmpty());
      EXPECT_THAT(file.notes, ElementsAre(HasSubstr("row_names=first")));
    }
}

TEST(FirstColumn, DataHaveNoNote) {
  EXPECT_THAT(parse_table("3,4,5\n1,2,3\n4,4,9\n7,2,2\n8,1,1\n0,4,3\n").notes, IsEmpty());
  EXPECT_THAT(parse_table("a,b\n3,4\n1,2\n").notes, IsEmpty());
  EXPECT_THAT(parse_table("1,2,3,4\n5,6,7,8\n9,10,11,12\n").notes, IsEmpty());
  // All columns rise: sums, or a matrix of counted numbers.
  EXPECT_THAT(parse_table("1,2\n3,4\n5,6\n7,8\n9,10\n11,12\n13,14\n").notes, IsEmpty());
  EXPECT_THAT(parse_table("0\n1\n2\n3\n4\n5\n6\n").notes, IsEmpty());
}

TEST(FirstColumn, ANameThatPromisesAnIndexThatIsNoneIsNoted) {
  const MatrixFile file = parse_table(with_data("id", {"1", "1", "2", "2"}));
  EXPECT_EQ(file.columns, 3);
  EXPECT_THAT(file.notes, ElementsAre(AllOf(HasSubstr("'id'"), HasSubstr("row_names=first"))));
}

TEST(FirstColumn, IsWhatTheOptionSays) {
  const MatrixFile names = parse_table(with_data("", wavelengths), RowNames::first);
  EXPECT_EQ(names.row_names, wavelengths);
  EXPECT_THAT(names.notes, IsEmpty());
  for (const std::string header : {"Unnamed: 0", "wavelength", ""}) {
    const MatrixFile data = parse_table(with_data(header, wavelengths), RowNames::none);
    EXPECT_EQ(data.columns, 3);
    EXPECT_THAT(data.notes, IsEmpty());
  }
  const MatrixFile corner = parse_table(",a,b\n0,1,2\n1,3,4\n", RowNames::none);
  EXPECT_THAT(corner.column_names, ElementsAre("", "a", "b"));
  EXPECT_EQ(corner.columns, 3);
  EXPECT_THAT([&] { parse_table("x,1,2\ny,3,4\n", RowNames::none); },
              ThrowsMessage<InvalidData>(HasSubstr("cell 1 is 'x', not a number")));
  EXPECT_THAT([&] { parse_table("a,b\nx,1,2\n", RowNames::none); },
              ThrowsMessage<InvalidData>(HasSubstr("row_names=none contradicts")));
}

std::string triples(const std::string& header, int from) {
  std::string text = header.empty() ? "" : header + "\n";
  for (int i = 0; i < 8; ++i)
    for (int j = 0; j < 9; ++j)
      if ((i * j + i) % 3 != 1)
        text += std::to_string(i + from) + "," + std::to_string(j + from) + "," + std::to_string(1 + i % 4) +
                "\n";
  return text;
}

TEST(Triples, AreRefusedWithTheRemedy) {
  for (const std::string header : {"", "row,col,value", "a,b,c"})
    for (const int from : {0, 1}) {
      const std::string text = triples(header, from);
      EXPECT_THAT(
          [&] { parse_table(text); },
          ThrowsMessage<InvalidData>(AllOf(HasSubstr("a.csv, line "), HasSubstr("(row, column, value)"),
                                           HasSubstr(".mtx"), HasSubstr("row_names=none"))))
          << text;
      EXPECT_EQ(parse_table(text, RowNames::none).columns, 3);
    }
}

TEST(Triples, OfAFewLinesAreNoted) {
  const std::string few = "0,0,5\n0,1,3\n1,0,2\n1,1,4\n2,0,1\n2,1,1\n";
  const MatrixFile file = parse_table(few);
  EXPECT_EQ(file.rows, 6);
  EXPECT_THAT(file.notes, ElementsAre(AllOf(HasSubstr("(row, column, value)"), HasSubstr("are taken as rows"),
                                            HasSubstr(".mtx"), HasSubstr("row_names=none"))));
  EXPECT_THAT(parse_table(few, RowNames::none).notes, IsEmpty());
  EXPECT_THAT(parse_table("a,b,c\n" + few).notes, ElementsAre(HasSubstr("(row, column, value)")));
  EXPECT_THAT(parse_table("5,2,1\n3,4,1\n5,4,7\n3,2,0\n").notes, IsEmpty());
}

TEST(Triples, OfAFewLinesAreRefusedWhereTheirNamesSaySo) {
  EXPECT_THAT([] { parse_table("row,col,value\n0,0,5\n0,1,3\n1,0,2\n"); },
              ThrowsMessage<InvalidData>(HasSubstr("(row, column, value)")));
}

TEST(Triples, OfManyPlacesAreKnownByTheirNames) {
  std::string ratings = "userId,movieId,rating,timestamp\n";
  for (int i = 0; i < 40; ++i)
    ratings += std::to_string(10 + 37 * i % 20) + "," + std::to_string(1000 + 7919 * (i / 2) % 5000) +
               ",4.5,9" + std::to_string(i) + "\n";
  EXPECT_THAT([&] { parse_table(ratings); }, ThrowsMessage<InvalidData>(HasSubstr("(row, column, value)")));
}

TEST(Triples, AreNotSeenInDataOfThreeColumns) {
  std::uint64_t state = 1;
  const auto random = [&](int below) {
    state = state * 6364136223846793005u + 1442695040888963407u;
    return std::to_string((state >> 33) % static_cast<std::uint64_t>(below));
  };
  for (const int below : {3, 10, 100, 1000})
    for (const int lines : {12, 60, 300}) {
      std::string text;
      for (int i = 0; i < lines; ++i)
        text += random(below) + "," + random(below) + "," + random(below) + "\n";
      EXPECT_EQ(parse_table(text).rows, lines) << below;
    }
}

}  // namespace
}  // namespace svrmu::io
