// Formats that are asked for, and options that do not apply.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "files.hpp"

namespace svrmu::io {
namespace {

using testing::AllOf;
using testing::Contains;
using testing::HasSubstr;
using testing::Throws;
using testing::ThrowsMessage;

const std::string mtx = "%%MatrixMarket matrix array real general\n1 2\n1\n2\n";

class ReadOption : public testing::Test {
 protected:
  std::string file(const std::string& name, const std::string& content) {
    write_text(folder_.file(name), content);
    return folder_.file(name);
  }

  ScratchFolder folder_;
};

TEST_F(ReadOption, FormatReadsAFileOfAnyEnding) {
  for (const std::string name : {"a.txt", "a.dat", "a", "a.npy"}) {
    EXPECT_EQ(read_matrix(file(name, "1,2\n3,5\n"), {.format = "csv"}).format, "csv") << name;
    EXPECT_EQ(read_matrix(file(name, "1\t2\n3\t5\n"), {.format = "tsv"}).format, "tsv") << name;
    EXPECT_EQ(contents(read_matrix(file(name, "1 2\n3 5\n"), {.format = "text"}))(1, 1), 5) << name;
    EXPECT_EQ(read_matrix(file(name, mtx), {.format = "mtx"}).columns, 2) << name;
  }
}

TEST_F(ReadOption, FormatThatContradictsTheContentIsRefused) {
  for (const std::string format : {"csv", "text", "npy", "npz", "h5", "h5ad", "mat"})
    EXPECT_THAT([&] { read_matrix(file("a.mtx", mtx), {.format = format}); },
                ThrowsMessage<InvalidData>(AllOf(HasSubstr("a.mtx"), HasSubstr(".mtx file"),
                                                 HasSubstr("format=" + format + " contradicts"))));
  for (const std::string format : {"npy", "npz", "mtx", "h5"})
    EXPECT_THAT([&] { read_matrix(file("a.csv", "1,2\n"), {.format = format}); },
                ThrowsMessage<InvalidData>(HasSubstr("format=" + format + " contradicts")));
}

TEST_F(ReadOption, UnknownFormatIsRefusedWithTheNearest) {
  EXPECT_THAT([&] { read_matrix(file("a.csv", "1,2\n"), {.format = "cvs"}); },
              ThrowsMessage<InvalidInput>(AllOf(HasSubstr("format=cvs"), HasSubstr("did you mean csv?"))));
  EXPECT_THAT(format_names(), AllOf(Contains("npy"), Contains("text"), Contains("h5ad")));
}

TEST_F(ReadOption, UnknownEndingNamesTheFormatThatItLooksLike) {
  EXPECT_THAT(
      [&] { read_matrix(file("a.dat", mtx)); },
      ThrowsMessage<InvalidData>(AllOf(HasSubstr("begins like a .mtx file"), HasSubstr("format=mtx"))));
  EXPECT_THAT([&] { read_matrix(file("a.txt", "1 2\n")); },
              ThrowsMessage<InvalidData>(HasSubstr("looks like text: say format=text")));
  EXPECT_THAT([&] { read_matrix(file("a.bin", std::string(9, '\0'))); },
              ThrowsMessage<InvalidData>(HasSubstr("one of npy, npz, mtx, csv, tsv, text")));
}

TEST_F(ReadOption, ThatDoesNotApplyIsRefusedByName) {
  const std::string path = file("a.mtx", mtx);
  const auto refused = [&](const std::string& where, const ReadOptions& options, const std::string& what) {
    EXPECT_THAT([&] { read_matrix(where, options); },
                ThrowsMessage<InvalidInput>(HasSubstr(what + " does not apply to " + where)));
    EXPECT_THAT([&] { read_matrix(where, options); }, Not(Throws<InvalidData>()));
  };
  refused(path, {.delimiter = ';'}, "delimiter=semicolon");
  refused(path, {.decimal = ','}, "decimal=comma");
  refused(path, {.row_names = RowNames::first}, "row_names=first");
  refused(path, {.column_names = ColumnNames::first}, "column_names=first");
  refused(folder_.path(), {.format = "csv"}, "format=csv");
  refused(folder_.path(), {.row_names = RowNames::none}, "row_names=none");
}

TEST(ReadOptionByName, IsSetFromText) {
  ReadOptions options;
  for (const auto& [name, value] : {std::pair{"samples", "rows"},
                                    {"precision", "float32"},
                                    {"threads", "3"},
                                    {"format", "csv"},
                                    {"delimiter", "semicolon"},
                                    {"decimal", "comma"},
                                    {"row-names", "first"},
                                    {"column_names", "none"}})
    set_option(options, name, value);
  EXPECT_EQ(options.samples, SamplesIn::rows);
  EXPECT_EQ(options.precision, Precision::float32);
  EXPECT_EQ(options.threads, 3);
  EXPECT_EQ(options.format, "csv");
  EXPECT_EQ(options.delimiter, ';');
  EXPECT_EQ(options.decimal, ',');
  EXPECT_EQ(options.row_names, RowNames::first);
  EXPECT_EQ(options.column_names, ColumnNames::none);
  // What is listed sets the same again.
  ReadOptions again;
  for (const OptionInfo& info : options_of(options)) set_option(again, info.name, info.value);
  for (std::size_t i = 0; i < options_of(options).size(); ++i)
    EXPECT_EQ(options_of(again)[i].value, options_of(options)[i].value) << options_of(options)[i].name;
}

TEST(ReadOptionByName, IsRefusedWithWhatThereIs) {
  ReadOptions options;
  const auto set = [&](const char* name, const char* value) {
    return [&options, name, value] { set_option(options, name, value); };
  };
  EXPECT_THAT(set("sample", "rows"), ThrowsMessage<InvalidInput>(HasSubstr("did you mean samples?")));
  EXPECT_THAT(set("samples", "row"), ThrowsMessage<InvalidInput>(HasSubstr("rows, columns")));
  EXPECT_THAT(set("delimiter", "7"), ThrowsMessage<InvalidInput>(HasSubstr("numbers or quotes")));
  EXPECT_THAT(set("decimal", "coma"), ThrowsMessage<InvalidInput>(HasSubstr("did you mean comma?")));
  set_option(options, "decimal", "comma");
  EXPECT_THAT(set("delimiter", ","),
              ThrowsMessage<InvalidInput>(HasSubstr("delimiter is the sign that the decimal sign is")));
}

}  // namespace
}  // namespace svrmu::io
