#include "report/text.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>

#include "svrmu/report/page.hpp"
#include "text/number.hpp"

namespace svrmu::report {
namespace {

TEST(HtmlText, MarkupBecomesText) {
  EXPECT_EQ(html_text("<b a=\"1\" b='2'>&</b>"), "&lt;b a=&quot;1&quot; b=&#39;2&#39;&gt;&amp;&lt;/b&gt;");
}

TEST(Visible, ControlCharactersAreShownAndDoNothing) {
  EXPECT_EQ(visible("\x1b[31m\n\t\x7f"), "␛[31m␊␉␡");
  EXPECT_EQ(visible(std::string_view("a\0b", 3)), "a␀b");
  EXPECT_EQ(visible("\xc2\x9b"), "\xef\xbf\xbd");  // the one-byte escape of C1
}

TEST(Visible, MarksThatTurnTextAreNamed) {
  EXPECT_EQ(visible("\xe2\x80\xaegnp.exe"), "[U+202E]gnp.exe");
  EXPECT_EQ(visible("\xe2\x81\xa6x\xe2\x81\xa9"), "[U+2066]x[U+2069]");
  EXPECT_EQ(visible("\xe2\x80\xa8"), "[U+2028]");
  EXPECT_EQ(visible("\xef\xbb\xbfx"), "[U+FEFF]x");
}

TEST(Visible, BrokenBytesAreReplacedOneByOne) {
  const std::string sign = "\xef\xbf\xbd";
  EXPECT_EQ(visible("a\xff"
                    "b"),
            "a" + sign + "b");
  EXPECT_EQ(visible("\xc0\xaf"), sign + sign);             // overlong
  EXPECT_EQ(visible("\xed\xa0\x80"), sign + sign + sign);  // half of a surrogate pair
  EXPECT_EQ(visible("\xe2\x82"), sign + sign);             // ends too early
  EXPECT_EQ(visible("\xf4\x90\x80\x80"), sign + sign + sign + sign);
  EXPECT_EQ(visible("käse 漢 👩"), "käse 漢 👩");
}

TEST(Visible, LongTextsEndWithDots) {
  EXPECT_EQ(visible("abcdef", 3), "abc…");
  EXPECT_EQ(visible("abc", 3), "abc");
  EXPECT_LT(visible(std::string(1'000'000, 'x')).size(), 300u);
}

TEST(Visible, TowersOfMarksAreCutDown) {
  std::string tower = "z";
  for (int i = 0; i < 500; ++i) tower += "\xcc\xb5";
  EXPECT_EQ(visible(tower, 1000), "z\xcc\xb5\xcc\xb5");
}

TEST(Fitted, WideLettersCountTwice) {
  EXPECT_EQ(fitted("abcdef", 6), "abcdef");
  EXPECT_EQ(fitted("abcdefg", 6), "abcde…");
  EXPECT_EQ(fitted("漢字漢字", 5), "漢字…");
  EXPECT_LE(display_width(fitted(std::string(100, 'W'), 20)), 20u);
}

TEST(JsonText, CannotEndItsScript) {
  EXPECT_EQ(json_text("</script>\"\\&"), "\"\\u003c/script\\u003e\\\"\\\\\\u0026\"");
}

TEST(JsonNumber, IsShortAndKnowsNoNan) {
  EXPECT_EQ(json_number(0.1), "0.1");
  EXPECT_EQ(json_number(1.0 / 3), "0.3333333");
  EXPECT_EQ(json_number(std::numeric_limits<double>::quiet_NaN()), "null");
  EXPECT_EQ(json_number(-std::numeric_limits<double>::infinity()), "null");
}

TEST(Number, FourSignificantDigitsOrWhole) {
  EXPECT_EQ(number(0), "0");
  EXPECT_EQ(number(-0.0), "0");
  EXPECT_EQ(number(0.123456), "0.1235");
  EXPECT_EQ(number(12.3), "12.3");
  EXPECT_EQ(number(9999.96), "10000");
  EXPECT_EQ(number(1234), "1234");
  EXPECT_EQ(number(1234567), "1,234,567");
  EXPECT_EQ(number(-12345), "−12,345");
  EXPECT_EQ(number(0.000012345), "1.234e-5");
  EXPECT_EQ(number(1.5e20), "1.5e20");
  EXPECT_EQ(number(5e-324), "4.941e-324");
  EXPECT_EQ(number(std::numeric_limits<double>::quiet_NaN()), "–");
  EXPECT_EQ(number(std::numeric_limits<double>::infinity()), "∞");
}

TEST(NumberText, IsTheShortestThatReadsBack) {
  EXPECT_EQ(number_text(0.1), "0.1");
  EXPECT_EQ(number_text(1e-7), "1e-07");
  EXPECT_EQ(std::string_view(ShortestText(0.1f)), "0.1");
  EXPECT_EQ(std::string_view(ShortestText(std::int64_t{-12})), "-12");
}

TEST(NumberText, HasAsManyDigitsAsAskedFor) {
  EXPECT_EQ(significant_text(0.123456, 4), "0.1235");
  EXPECT_EQ(significant_text(0.0000123456, 4), "1.235e-05");
  EXPECT_EQ(significant_text(2, 4), "2");
  EXPECT_EQ(decimal_text(0.5, 3), "0.500");
  EXPECT_EQ(decimal_text(1e300, 1).size(), 303u);
}

TEST(Coordinate, HasTwoDecimalsAndNoMinusZero) {
  EXPECT_EQ(coordinate(1.23456), "1.23");
  EXPECT_EQ(coordinate(-0.0001), "0");
  EXPECT_EQ(coordinate(1e300), "1e+06");
}

TEST(FileStem, LeavesNothingThatAFolderMinds) {
  EXPECT_EQ(file_stem("../../etc/passwd"), "etc-passwd");
  EXPECT_EQ(file_stem("objective over gradient counts"), "objective-over-gradient-counts");
  EXPECT_EQ(file_stem("\x1b\n"), "figure");
}

TEST(Csv, GuardsFormulasAndQuotes) {
  const Table table{.columns = {"=name", "value"},
                    .rows = {{"=1+1", 2.5},
                             {"+cmd|' /C calc'!A0", -1.0},
                             {"-2", 1e-300},
                             {"@sum", 0.1},
                             {"say \"hi\", you", 1.0},
                             {"\tx", std::numeric_limits<double>::quiet_NaN()}}};
  EXPECT_EQ(csv(table),
            "\"'=name\",\"value\"\r\n"
            "\"'=1+1\",2.5\r\n"
            "\"'+cmd|' /C calc'!A0\",-1\r\n"
            "\"'-2\",1e-300\r\n"
            "\"'@sum\",0.1\r\n"
            "\"say \"\"hi\"\", you\",1\r\n"
            "\"␉x\",\r\n");
}

}  // namespace
}  // namespace svrmu::report
