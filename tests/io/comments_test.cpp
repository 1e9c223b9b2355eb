// Lines that begin with #, as numpy.savetxt writes them for header and footer.
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

MatrixFile parse_commented(const std::string& text, char usual = ',', const ReadOptions& options = {}) {
  return parse_delimited(input_of(text, "a.csv"), usual, options);
}

TEST(Comments, BeforeAndBehindTheNumbersAreSkipped) {
  for (const char* text :
       {"# made by hand\n5,2\n3,4\n", "5,2\n3,4\n# the end\n", "# a\n#b\n#\n5,2\n3,4\n# c\n#\n\n",
        "# \"quoted, and not closed\n5,2\n3,4\n# it's \"\r\n"}) {
    const MatrixFile file = parse_commented(text);
    EXPECT_EQ(file.rows, 2) << text;
    EXPECT_EQ(file.columns, 2) << text;
    EXPECT_EQ(contents(file)(1, 0), 3) << text;
    EXPECT_THAT(file.column_names, IsEmpty()) << text;
    EXPECT_THAT(file.notes, IsEmpty()) << text;
  }
}

TEST(Comments, OfSavetxtAreReadWithAnyDelimiter) {
  const MatrixFile spaces = parse_commented("# one line of words, more than columns\n5 2\n3 4\n# end\n", ' ');
  EXPECT_EQ(spaces.columns, 2);
  EXPECT_EQ(spaces.rows, 2);
  EXPECT_EQ(parse_commented("# x\n5;2\n3;4\n").columns, 2);
  EXPECT_EQ(parse_commented("# x\n5\t2\n3\t4\n", '\t').columns, 2);
  EXPECT_EQ(parse_commented("# x\n5\n3\n").columns, 1);
}

TEST(Comments, WithAsManyCellsAsTheNumbersAreNamesAndNoted) {
  const auto noted = ElementsAre(AllOf(HasSubstr("(a, b)"), HasSubstr("column_names=none")));
  for (const auto& [text, usual] :
       {std::pair{"# by hand\n# a,b\n5,2\n3,4\n", ','}, std::pair{"# a b\n5 2\n3 4\n", ' '},
        std::pair{"#  a\tb\n5\t2\n3\t4\n", '\t'}}) {
    const MatrixFile file = parse_commented(text, usual);
    EXPECT_EQ(file.rows, 2) << text;
    EXPECT_THAT(file.column_names, ElementsAre("a", "b")) << text;
    EXPECT_THAT(file.notes, noted) << text;
    const MatrixFile plain = parse_commented(text, usual, {.column_names = ColumnNames::none});
    EXPECT_EQ(plain.rows, 2) << text;
    EXPECT_THAT(plain.column_names, IsEmpty()) << text;
    EXPECT_THAT(plain.notes, IsEmpty()) << text;
  }
}

TEST(Comments, BeforeALineOfNamesLeaveItItsNames) {
  const MatrixFile file = parse_commented("# x,y,z\n,a,b\nr,5,2\n");
  EXPECT_THAT(file.column_names, ElementsAre("a", "b"));
  EXPECT_THAT(file.row_names, ElementsAre("r"));
  EXPECT_THAT(parse_commented("# x,y\na,b\n5,2\n").column_names, ElementsAre("a", "b"));
}

TEST(Comments, AreNotSeenInNamesThatBeginLikeThem) {
  const MatrixFile title = parse_commented("#gene,a,b\nx,5,2\n#y,3,4\n");
  EXPECT_THAT(title.column_names, ElementsAre("a", "b"));
  EXPECT_THAT(title.row_names, ElementsAre("x", "#y"));
  EXPECT_THAT(title.notes, IsEmpty());
  EXPECT_THAT(parse_commented("#x,5,2\ny,3,4\n").row_names, ElementsAre("#x", "y"));
  EXPECT_THAT(parse_commented("#x,5,2\n#y,3,4\n").row_names, ElementsAre("#x", "#y"));
}

TEST(Comments, AmongTheNumbersAreRefusedWithTheReason) {
  EXPECT_THAT([] { parse_commented("5,2\n# here\n3,4\n"); },
              ThrowsMessage<InvalidData>(
                  AllOf(HasSubstr("a.csv, line 2"), HasSubstr("before and behind the numbers"))));
}

TEST(Comments, AloneAreNoMatrix) {
  EXPECT_THROW(parse_commented("# a\n# b\n"), InvalidData);
  EXPECT_THROW(parse_commented("#"), InvalidData);
}

TEST(Comments, AreNotWrittenForNames) {
  const ScratchFolder folder;
  const Matrix<double> M = Matrix<double>::Constant(1, 2, 5);
  const std::vector<std::string> none, names = {"#a", "b"};
  write_matrix(folder.file("m.csv"), dense_view(M), {none, names}, {});
  const MatrixFile file = read_matrix(folder.file("m.csv"));
  EXPECT_EQ(file.column_names, names);
  EXPECT_THAT(file.notes, IsEmpty());
}

TEST(FirstLine, ThatCountsIsDataWithANote) {
  for (const char* text : {"0,1,2\n5,3,4\n", "1,2,3,4\n9,9,1,2\n1,2,3,4\n"}) {
    const MatrixFile file = parse_commented(text);
    EXPECT_THAT(file.column_names, IsEmpty()) << text;
    EXPECT_THAT(file.notes,
                ElementsAre(AllOf(HasSubstr("the first line ("), HasSubstr("column_names=first"))))
        << text;
  }
}

TEST(FirstLine, IsNotNotedInDataThatRise) {
  for (const char* text :
       {"0,1,2\n3,4,5\n6,7,8\n", "0,1\n5,3\n", "0,1,3\n5,3,4\n", "2,3,4\n5,3,4\n", "0,1,2\n"})
    EXPECT_THAT(parse_commented(text).notes, IsEmpty()) << text;
}

TEST(FirstLine, IsWhatTheOptionSays) {
  const MatrixFile names = parse_commented("0,1,2\n5,3,4\n", ',', {.column_names = ColumnNames::first});
  EXPECT_THAT(names.column_names, ElementsAre("0", "1", "2"));
  EXPECT_EQ(names.rows, 1);
  EXPECT_THAT(names.notes, IsEmpty());
  const MatrixFile data = parse_commented("0,1,2\n5,3,4\n", ',', {.column_names = ColumnNames::none});
  EXPECT_EQ(data.rows, 2);
  EXPECT_THAT(data.notes, IsEmpty());
  EXPECT_THAT([] { parse_commented("a,b\n5,3\n", ',', {.column_names = ColumnNames::none}); },
              ThrowsMessage<InvalidData>(HasSubstr("not a number")));
  EXPECT_THAT([] { parse_commented("5,3\n", ',', {.column_names = ColumnNames::first}); },
              ThrowsMessage<InvalidData>(HasSubstr("has a line of names, but no numbers")));
}

}  // namespace
}  // namespace svrmu::io
