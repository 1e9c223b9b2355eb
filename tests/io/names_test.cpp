// Names from files of their own.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "files.hpp"

namespace svrmu::io {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::ThrowsMessage;

class NamesFile : public testing::Test {
 protected:
  std::vector<std::string> read(const std::string& name, const std::string& content,
                                const std::string& column = "") {
    write_text(folder_.file(name), content);
    return read_names(folder_.file(name) + column);
  }

  ScratchFolder folder_;
};

std::string npy_of_texts(const std::string& type, const std::string& shape, const std::string& values) {
  const std::string header = "{'descr': '" + type + "', 'fortran_order': False, 'shape': " + shape + "}";
  return std::string("\x93NUMPY\x01\x00", 8) + static_cast<char>(header.size()) + '\0' + header + values;
}

TEST_F(NamesFile, HasOneNamePerLine) {
  EXPECT_THAT(read("vocab.txt", "apple\nbig tree\n\"c\",d\n"), ElementsAre("apple", "big tree", "\"c\",d"));
  EXPECT_THAT(read("vocab.txt",
                   "\xef\xbb\xbf"
                   "apple\r\nb"),
              ElementsAre("apple", "b"));
  EXPECT_THAT(read("vocab", "apple\n"), ElementsAre("apple"));
}

TEST_F(NamesFile, MayBeAColumnOfATable) {
  const std::string table = "id,symbol\nE1,\"TP53, x\"\nE2,ACTB\n";
  EXPECT_THAT(read("genes.csv", table, ":symbol"), ElementsAre("TP53, x", "ACTB"));
  EXPECT_THAT(read("genes.tsv", "E1\tTP53\tGene\nE2\tACTB\tGene\n", ":2"), ElementsAre("TP53", "ACTB"));
  EXPECT_THAT(read("one.csv", "\"a,b\"\nc\n"), ElementsAre("a,b", "c"));
  EXPECT_THAT([&] { read("genes.csv", table); },
              ThrowsMessage<InvalidData>(AllOf(HasSubstr("genes.csv"), HasSubstr("name its column"))));
  EXPECT_THAT([&] { read("genes.csv", table, ":name"); },
              ThrowsMessage<InvalidData>(AllOf(HasSubstr("'name'"), HasSubstr("id, symbol"))));
  EXPECT_THAT([&] { read("genes.csv", "id,symbol\nE1\n", ":symbol"); },
              ThrowsMessage<InvalidData>(HasSubstr("line 2")));
  EXPECT_THAT([&] { read("vocab.txt", "a\n", ":symbol"); },
              ThrowsMessage<InvalidData>(HasSubstr("is no table")));
}

TEST_F(NamesFile, MayBeANumpyArrayOfTexts) {
  using namespace std::string_literals;
  EXPECT_THAT(read("n.npy", npy_of_texts("|S3", "(2,)", "abcd\0\0"s)), ElementsAre("abc", "d"));
  EXPECT_THAT(read("n.npy", npy_of_texts("<U2", "(2,)", "a\0\0\0\xe9\0\0\0\x00\xf6\x01\0\0\0\0\0"s)),
              ElementsAre("a\xc3\xa9", "\xf0\x9f\x98\x80"));
  EXPECT_THAT([&] { read("n.npy", npy_of_texts("<f8", "(1,)", std::string(8, '\0'))); },
              ThrowsMessage<InvalidData>(HasSubstr("not of texts")));
  EXPECT_THAT([&] { read("n.npy", npy_of_texts("|S3", "(2,)", "abc")); },
              ThrowsMessage<InvalidData>(HasSubstr("ends too early")));
}

TEST_F(NamesFile, WithoutNamesIsRefused) {
  EXPECT_THAT([&] { read("v.txt", "a\n\nb\n"); }, ThrowsMessage<InvalidData>(HasSubstr("name 2 is empty")));
  EXPECT_THAT([&] { read("v.txt", ""); }, ThrowsMessage<InvalidData>(HasSubstr("is empty")));
  EXPECT_THAT([&] { read("v.txt", "\n\n"); }, ThrowsMessage<InvalidData>(HasSubstr("holds no names")));
  EXPECT_THAT([&] { read("v.txt", "PK\x03\x04zip"); }, ThrowsMessage<InvalidData>(HasSubstr(".npz")));
  EXPECT_THROW(read_names(folder_.file("none.txt")), IoError);
}

}  // namespace
}  // namespace svrmu::io
