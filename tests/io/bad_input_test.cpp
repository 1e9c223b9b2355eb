// Whatever a file holds, reading it ends with a matrix or with an error that names file and place.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include "files.hpp"
#include "io/parsers.hpp"
#include "svrmu/io/model.hpp"

namespace svrmu::io {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::ThrowsMessage;

std::string npy(const std::string& header, const std::string& values, char version = 1) {
  std::string out("\x93NUMPY", 6);
  out += {version, '\0', static_cast<char>(header.size()), '\0'};
  if (version > 1) out += {'\0', '\0'};
  return out + header + values;
}
std::string npy_of(const std::string& type, const std::string& shape, std::size_t bytes) {
  return npy("{'descr': '" + type + "', 'fortran_order': False, 'shape': " + shape + "}",
             std::string(bytes, '\0'));
}

const std::string real = "%%MatrixMarket matrix coordinate real general\n";
const std::string array = "%%MatrixMarket matrix array real general\n";

struct BadFile {
  const char* name;  // with its ending
  std::string content;
  const char* message;
};

void PrintTo(const BadFile& file, std::ostream* out) { *out << file.name << ": " << file.message; }

class BadContent : public testing::TestWithParam<BadFile> {};

TEST_P(BadContent, IsInvalidInputThatNamesFileAndPlace) {
  const ScratchFolder folder;
  const std::string path = folder.file(GetParam().name);
  write_text(path, GetParam().content);
  EXPECT_THAT([&] { read_matrix(path); },
              ThrowsMessage<InvalidInput>(AllOf(HasSubstr(path), HasSubstr(GetParam().message))));
}

std::vector<BadFile> bad_files() {
  using namespace std::string_literals;
  return {
      {"a.npy", "", "is empty"},
      {"a.npy", "hello", "byte 0: does not begin like a .npy file"},
      {"a.npy", "PK\x03\x04zip", "begins like a .npz file"},
      {"a.npy", "\x93NUMPY", "byte 6: ends within the header"},
      {"a.npy", npy("{}", "", 9), "byte 6: .npy version 9"},
      {"a.npy", "\x93NUMPY\x01"s + "\0\xff\xff{"s, "ends within the header"},
      {"a.npy", "\x93NUMPY\x02"s + "\0\xff\xff\xff\xff{"s, "byte 8: a header of 4294967295 bytes"},
      {"a.npy", npy("hello", ""), "byte 10: expected '{'"},
      {"a.npy", npy("{}", ""), "must have descr"},
      {"a.npy", npy("{'descr': '<f8'", ""), "expected '}'"},
      {"a.npy", npy("{'descr': '<f8", ""), "does not end"},
      {"a.npy", npy("{'what': 1}", ""), "unknown key 'what'"},
      {"a.npy", npy_of("<f8", "(-1, 2)", 8), "expected a size"},
      {"a.npy", npy_of("<f8", "(99999999999999999999, 2)", 8), "expected a size"},
      {"a.npy", npy_of("<f8", "(4294967296, 4294967296)", 8), "too many bytes"},
      {"a.npy", npy_of("<f8", "(9223372036854775807, 2)", 8), "ends too early"},
      {"a.npy", npy_of("<f8", "(2, 2)", 31), "ends too early"},
      {"a.npy", npy_of("<f8", "(2, 2)", 33), "goes on for 1 bytes"},
      {"a.npy", npy_of("<c16", "(1, 1)", 16), "complex"},
      {"a.npy", npy_of("|O", "(1, 1)", 8), "Python objects"},
      {"a.npy", npy_of("<f16", "(1, 1)", 16), "float64"},
      {"a.npy", npy_of("<f8", "(2, 2, 2)", 64), "3 dimensions"},
      {"a.npz", "PK", "too short"},
      {"a.npz", std::string(100, 'x'), "has no directory"},
      {"a.npz", "PK\x05\x06"s + std::string(18, '\0'), "the archive is empty"},
      {"a.npz", "PK\x05\x06"s + "\0\0\0\0\x01\0\x01\0"s + std::string(10, '\0'), "ends within the directory"},
      {"a.npz", "PK\x05\x06"s + "\0\0\0\0\x01\0\x01\0\xff\xff\0\0\0\0\0\0\0\0"s, "outside the archive"},
      {"a.mtx", "", "is empty"},
      {"a.mtx", "1 2 3\n", "line 1, column 1: does not begin with %%MatrixMarket"},
      {"a.mtx", "%%MatrixMarket matrix\n", "the first line must be like"},
      {"a.mtx", "%%MatrixMarket vector coordinate real general\n", "'vector'"},
      {"a.mtx", "%%MatrixMarket matrix cube real general\n", "'cube'"},
      {"a.mtx", "%%MatrixMarket matrix coordinate complex general\n1 1 0\n", "'complex'"},
      {"a.mtx", "%%MatrixMarket matrix array pattern general\n1 1\n", "'pattern'"},
      {"a.mtx", "%%MatrixMarket matrix coordinate real skew-symmetric\n1 1 0\n", "'skew-symmetric'"},
      {"a.mtx", "%%MatrixMarket matrix coordinate real symmetric\n1 2 0\n", "as many rows as columns"},
      {"a.mtx", real, "ends before the line of sizes"},
      {"a.mtx", real + "% only\n", "ends before the line of sizes"},
      {"a.mtx", real + "2 2\n", "line 2, column 1: expected three sizes"},
      {"a.mtx", real + "2 x 1\n", "'x' is not a size"},
      {"a.mtx", real + "-2 2 1\n", "'-2' is not a size"},
      {"a.mtx", real + "2 9999999999 1\n1 1 1\n", "at most 2147483647"},
      {"a.mtx", real + "2 2147483647 1\n1 1 1\n", "far more than"},
      {"a.mtx", real + "2 2 4000000000000\n1 1 1\n", "ends after 1 entries, but the header promises"},
      {"a.mtx", real + "2 2 2\n1 1 1\n", "line 4, column 1: ends after 1 entries"},
      {"a.mtx", real + "2 2 1\n1 1 1\n2 2 2\n", "ends after 2 entries"},
      {"a.mtx", real + "2 2 1\n0 1 1\n", "line 3, column 1: row '0' is outside"},
      {"a.mtx", real + "2 2 1\n1 3 1\n", "line 3, column 3: column '3' is outside"},
      {"a.mtx", real + "2 2 1\n1 99999999999999999999999 1\n", "is outside"},
      {"a.mtx", real + "2 2 1\n-1 1 1\n", "expected the number of a row, found '-1'"},
      {"a.mtx", real + "2 2 1\n1 1 abc\n", "line 3, column 5: expected a number, found 'abc'"},
      {"a.mtx", real + "2 2 1\n1 1 1x\n", "expected a number"},
      {"a.mtx", real + "2 2 1\n1 1\n", "expected a number, found the end of the line"},
      {"a.mtx", real + "2 2 1\n1 1 1e999\n", "too large"},
      {"a.mtx", real + "2 2 1\n1 1 1 1\n", "follows an entry"},
      {"a.mtx", array + "2 2\n1\n2\n3\n", "is too short for 4 values"},
      {"a.mtx", array + "2 2\n1\n2\n3\n      \n", "ends too early"},
      {"a.mtx", array + "2 1\n1\n2\n3\n", "line 5, column 1: goes on after"},
      {"a.mtx", array + "2000000000 2000000000\n1\n", "far more than"},
      {"a.mtx.gz", "plain", "is not compressed by gzip"},
      {"a.mtx.gz", "\x1f\x8b\x08", "compressed data end too early"},
      {"a.mtx.gz", "\x1f\x8b\x09" + std::string(30, 'x'), "damaged"},
      {"a.csv", "", "is empty"},
      {"a.csv", "\n\n", "holds no numbers"},
      {"a.csv", "a,b\n", "no numbers"},
      {"a.csv", "1,2\n3\n", "line 2, column 2: the line has 1 cells instead of 2"},
      {"a.csv", "1,2\n3,4,5\n", "line 2, column 4: the line has more than 2 cells"},
      {"a.csv", "1,2\n3,\n", "line 2, column 3: cell 2 is empty"},
      {"a.csv", "1,2\n\n3,4\n", "line 2, column 1: the line is empty; remove it"},
      {"a.csv", "a,b\n1,2\n3,x\n", "line 3, column 3: cell 2 ('b') is 'x', not a number"},
      {"a.csv", "1,2\n3,4 5\n", "not a number"},
      {"a.csv", "1,2\n3,1e999\n", "too large"},
      {"a.csv", "1,2\n3,\"4\n", "line 2, column 3: a text in quotes does not end"},
      {"a.csv", "1,2\n3,\"4\"5\n", "a closing quote must be followed"},
      {"a.csv", "a b\n1 2\n", "something other than commas"},
      {"a.csv", "a,b,c,d\n1,2\n", "this line has 2 cells, but the line of names has 4"},
      {"a.csv",
       "\xff\xfe"
       "1",
       "UTF-16"},
      {"a.csv", "\x89HDF\r\n\x1a\n", "begins like a .h5 file"},
      {"a.mat", "hello", "too short for a MATLAB file"},
      {"a.mat", std::string(200, 'x'), "byte 126: is no MATLAB file of version 5"},
      {"a.mat", "MATLAB 7.3 MAT-file", "is not a whole HDF5 file"},
      {"a.h5", "hello", "is not a whole HDF5 file"},
      {"a.h5ad", "\x89HDF\r\n\x1a\n", "is not a whole HDF5 file"},
      {"a.hdf5", "", "is empty"},
      {"a.mat", std::string(124, ' ') + "\0\x02IM"s, "version 2"},
      {"a.mat", std::string(124, ' ') + "\0\x01IM"s, "holds no variables"},
      {"a.mat", std::string(124, ' ') + "\0\x01IM"s + "abc", "ends before an element"},
      {"a.mat", std::string(124, ' ') + "\0\x01IM"s + "\x0e\0\0\0\xff\xff\0\0"s, "should have 65535 bytes"},
      {"a.mat", std::string(124, ' ') + "\0\x01IM"s + "\x0f\0\0\0\x04\0\0\0xxxx"s, "damaged"},
      {"a.xyz", "1", "its ending does not say what it holds"},
  };
}

INSTANTIATE_TEST_SUITE_P(Table, BadContent, testing::ValuesIn(bad_files()));

TEST(BadFile, WhatCannotBeReadIsAnIoError) {
  const ScratchFolder folder;
  EXPECT_THAT([&] { read_matrix(folder.file("none.npy")); },
              ThrowsMessage<IoError>(AllOf(HasSubstr("none.npy"), HasSubstr("No such file"))));
  EXPECT_THAT([&] { read_matrix(folder.file("none.xyz")); },
              ThrowsMessage<IoError>(HasSubstr("No such file")));
  std::filesystem::create_directory(folder.file("folder.npy"));
  EXPECT_THAT([&] { read_matrix(folder.file("folder.npy")); },
              ThrowsMessage<IoError>(HasSubstr("is a folder")));
  if (::geteuid() == 0) return;  // root may read everything
  write_text(folder.file("secret.npy"), "x");
  std::filesystem::permissions(folder.file("secret.npy"), std::filesystem::perms::none);
  EXPECT_THAT([&] { read_matrix(folder.file("secret.npy")); },
              ThrowsMessage<IoError>(HasSubstr("Permission denied")));
}

TEST(BadFile, NoPrefixOfAGoodFileIsReadAsAWhole) {
  SVRMU_NEEDS_MADE_FILES();
  for (const std::string name : {"f8_little_c.npy", "u2_big_f.npy", "several_deflated.npz:first", "csr.npz",
                                 "coo_stored.npz", "coordinate.mtx.gz", "array.mtx", "coordinate.mtx",
                                 "f8_0.mat", "f8_1.mat", "sparse_0.mat", "sparse_1.mat"}) {
    const std::string member = name.find(':') == name.npos ? "" : name.substr(name.find(':'));
    const std::string plain = name.substr(0, name.size() - member.size());
    const std::string content = read_text(made(plain));
    // A text cut within its last number is a text with another number; the last bytes of a .mat are padding.
    const std::size_t last_line = content.size() - content.rfind('\n', content.size() - 2);
    const std::size_t spare = plain.ends_with(".mtx") ? last_line : plain.ends_with("_0.mat") ? 8 : 0;
    const ScratchFolder folder;
    for (std::size_t size = 0; size + spare < content.size(); ++size) {
      write_text(folder.file(plain), content.substr(0, size));
      EXPECT_THROW(read_matrix(folder.file(plain) + member), InvalidInput) << name << " cut at " << size;
    }
  }
}

TEST(BadFile, NoChangedByteLeadsToAnythingButAMatrixOrInvalidInput) {
  SVRMU_NEEDS_MADE_FILES();
  for (const std::string name :
       {"f8_little_c.npy", "csr.npz", "coordinate.mtx", "plain.csv", "sparse_0.mat", "f8_1.mat"}) {
    const std::string content = read_text(made(name));
    for (std::size_t i = 0; i < content.size(); ++i)
      for (const char change : {'\x01', '\x80', '\xff'}) {
        std::string other = content;
        other[i] = static_cast<char>(other[i] ^ change);
        try {
          const io::Input input = input_of(other, name);
          if (name.ends_with(".npy")) io::parse_npy(input, {});
          if (name.ends_with(".npz")) io::parse_npz(input, "", {});
          if (name.ends_with(".mtx")) io::parse_matrix_market(input, {});
          if (name.ends_with(".csv")) io::parse_delimited(input, ',', {});
          if (name.ends_with(".mat")) io::parse_mat5(input, "", {});
        } catch (const InvalidInput& error) {
          EXPECT_THAT(error.what(), HasSubstr(name));
        }
      }
  }
}

// They would make a reader wait, or read until memory ends.
TEST(NotAFile, PipesAndDevicesAreRefusedByName) {
  const ScratchFolder folder;
  const std::string pipe = folder.file("a.pgm");
  ASSERT_EQ(::mkfifo(pipe.c_str(), 0600), 0);
  const auto refused = [](const std::string& path, const char* what) {
    return ThrowsMessage<IoError>(AllOf(HasSubstr(path), HasSubstr(what)));
  };
  EXPECT_THAT([&] { read_matrix(folder.path()); }, refused(pipe, "it is a pipe"));
  EXPECT_THAT([&] { read_model(pipe); }, refused(pipe, "it is a pipe"));
  EXPECT_FALSE(is_model(pipe));
  const std::string zero = folder.file("zero.npy");
  std::filesystem::create_symlink("/dev/zero", zero);
  EXPECT_THAT([&] { read_matrix(zero); }, refused(zero, "it is a device"));
  EXPECT_THAT([&] { read_model(zero); }, refused(zero, "it is a device"));
}

TEST(Format, IsThatOfTheOptionsIfTheyHaveOne) {
  const ScratchFolder folder;
  const std::string path = folder.file("data");
  write_text(path, "1\t2\n3\t4\n");
  EXPECT_EQ(read_matrix(path, {.format = "tsv"}).columns, 2);
  EXPECT_THAT([&] { read_matrix(path); }, ThrowsMessage<InvalidInput>(HasSubstr("its ending does not say")));
}

}  // namespace
}  // namespace svrmu::io
