#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <functional>

#include "failing_file_system.hpp"
#include "files.hpp"
#include "io/atomic_file.hpp"
#include "io/writers.hpp"

namespace svrmu::io {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::ThrowsMessage;

template <class Scalar>
class Writing : public testing::Test {
 protected:
  Matrix<Scalar> values() const {
    Matrix<Scalar> M(2, 3);
    M << Scalar(0.1), 0, Scalar(1e-30), Scalar(1) / 3, 12345678, 7;
    return M;
  }
  ScratchFolder folder_;
};
using Scalars = testing::Types<float, double>;
TYPED_TEST_SUITE(Writing, Scalars);

TYPED_TEST(Writing, EveryFormatReadsBackBitForBit) {
  const Matrix<TypeParam> M = this->values();
  const RowMatrix<TypeParam> rows = M;
  const auto wanted = sizeof(TypeParam) == 4 ? Precision::float32 : Precision::float64;
  for (const std::string name : {"a.npy", "a.csv", "a.tsv", "a.mtx"}) {
    const std::string path = this->folder_.file(name);
    write_matrix(path, dense_view(M));
    EXPECT_EQ(contents(read_matrix(path, {.precision = wanted})), M.template cast<double>()) << name;
    write_matrix(path, dense_view(rows), {}, {.overwrite = true});
    EXPECT_EQ(contents(read_matrix(path, {.precision = wanted})), M.template cast<double>()) << name;
  }
}

TYPED_TEST(Writing, ASparseMatrixReadsBackBitForBit) {
  const SparseMatrix<TypeParam> S = this->values().sparseView();
  const std::string path = this->folder_.file("a.mtx");
  write_mtx(path, S);
  const MatrixFile file =
      read_matrix(path, {.precision = sizeof(TypeParam) == 4 ? Precision::float32 : Precision::float64});
  EXPECT_TRUE(file.is_sparse());
  EXPECT_EQ(contents(file), this->values().template cast<double>());
}

TEST(WritingNames, AnyNameReadsBackExactly) {
  const Matrix<double> M = Matrix<double>::Ones(2, 3);
  const std::vector<MatrixNames> all = {
      {{"a,b", "say \"x\""}, {" lead", "1", "new\nline"}},
      {{"1", "2"}, {"3", "4", "5"}},
      {{}, {"1", "2", "3"}},
      {{"1", "2"}, {}},
      {{"x", ""}, {"", "b", "tab\t"}},
      {{}, {"", "b", "c"}},
  };
  const ScratchFolder folder;
  for (const MatrixNames& names : all)
    for (const std::string name : {"a.csv", "a.tsv"}) {
      write_matrix(folder.file(name), dense_view(M), names, {.overwrite = true});
      const MatrixFile file = read_matrix(folder.file(name));
      EXPECT_EQ(file.row_names, names.rows) << read_text(folder.file(name));
      EXPECT_EQ(file.column_names, names.columns) << read_text(folder.file(name));
      EXPECT_EQ(contents(file), M);
    }
}

TEST(WritingNames, TheirNumberMustFit) {
  const ScratchFolder folder;
  const Matrix<double> M = Matrix<double>::Ones(2, 3);
  EXPECT_THAT(
      [&] {
        write_csv(folder.file("a.csv"), dense_view(M), {{"a"}, {}});
      },
      ThrowsMessage<InvalidInput>(HasSubstr("1 names for 2 rows")));
  EXPECT_EQ(folder.count(), 0u);
}

TEST(Atomic, NothingIsOverwrittenUnlessTold) {
  const ScratchFolder folder;
  const Matrix<double> M = Matrix<double>::Ones(2, 3);
  write_text(folder.file("a.npy"), "old");
  EXPECT_THAT([&] { write_npy(folder.file("a.npy"), dense_view(M)); },
              ThrowsMessage<IoError>(HasSubstr("already")));
  EXPECT_EQ(read_text(folder.file("a.npy")), "old");
  EXPECT_EQ(folder.count(), 1u);
}

TEST(Atomic, FoldersAndDevicesAreNotReplaced) {
  const ScratchFolder folder;
  const Matrix<double> M = Matrix<double>::Ones(2, 3);
  const WriteOptions force{.overwrite = true};
  EXPECT_THAT([&] { write_npy(folder.path(), dense_view(M), force); },
              ThrowsMessage<IoError>(HasSubstr("folder")));
  EXPECT_THAT([&] { write_npy("/dev/full", dense_view(M), force); },
              ThrowsMessage<IoError>(HasSubstr("not an ordinary file")));
  EXPECT_THAT([&] { write_npy(folder.file("none/a.npy"), dense_view(M)); },
              ThrowsMessage<IoError>(HasSubstr("No such file")));
}

TEST(Atomic, AFileThatReplacesAnotherKeepsItsMode) {
  const ScratchFolder folder;
  const std::string path = folder.file("a");
  const auto mode = [&] { return std::filesystem::status(path).permissions(); };
  for (const auto wanted : {std::filesystem::perms{0600}, std::filesystem::perms{0666}}) {
    write_text(path, "old");
    std::filesystem::permissions(path, wanted);
    write_file(path, "new", {.overwrite = true});
    EXPECT_EQ(mode(), wanted);
    EXPECT_EQ(read_text(path), "new");
    std::filesystem::remove(path);
  }
  const ::mode_t before = ::umask(027);
  write_file(path, "new");
  ::umask(before);
  EXPECT_EQ(mode(), std::filesystem::perms{0640});
}

TEST(Atomic, ALinkStaysALink) {
  const ScratchFolder folder;
  write_text(folder.file("real.csv"), "old");
  std::filesystem::create_symlink("real.csv", folder.file("link.csv"));
  write_csv(folder.file("link.csv"), dense_view(Matrix<double>(Matrix<double>::Ones(1, 1))), {},
            {.overwrite = true});
  EXPECT_TRUE(std::filesystem::is_symlink(folder.file("link.csv")));
  EXPECT_EQ(read_text(folder.file("real.csv")), "1\n");
}

TEST(Atomic, AfterAnyFailureTheOldFileIsThereAndNoTemporaryOne) {
  const std::string old = "old";
  const std::string wanted(3 << 20, 'n');
  for (const bool had_file : {true, false}) {
    int call = 0;
    for (;; ++call) {
      const ScratchFolder folder;
      const std::string path = folder.file("a.csv");
      if (had_file) write_text(path, old);
      FailingFileSystem files(call);
      const auto write = [&] {
        io::AtomicFile file(path, had_file, files);
        for (std::size_t i = 0; i < wanted.size(); i += 1 << 19)
          file.write(std::string_view(wanted).substr(i, 1 << 19));
        file.commit();
      };
      bool threw = false;
      try {
        write();
      } catch (const IoError&) {
        threw = true;
      }
      EXPECT_EQ(threw, files.failed()) << "call " << call;
      if (!files.failed()) {
        EXPECT_EQ(read_text(path), wanted);
        EXPECT_EQ(folder.count(), 1u);
        break;
      }
      // When only the folder could not be synced, the new file is there as a whole.
      if (files.last() == "sync_folder")
        EXPECT_EQ(read_text(path), wanted);
      else if (had_file)
        EXPECT_EQ(read_text(path), old) << files.last();
      else
        EXPECT_FALSE(std::filesystem::exists(path)) << files.last();
      EXPECT_EQ(folder.count(), had_file || files.last() == "sync_folder" ? 1u : 0u) << files.last();
    }
    EXPECT_GE(call, 6);
  }
}

// What the writers use while one lives.
class UsedFileSystem {
 public:
  explicit UsedFileSystem(FileSystem& files) { use_file_system(files); }
  ~UsedFileSystem() { use_file_system(real_file_system()); }
  UsedFileSystem(const UsedFileSystem&) = delete;
  UsedFileSystem& operator=(const UsedFileSystem&) = delete;
};

TEST(Atomic, AfterAnyFailureOfAnyWriterThereIsTheOldFileOrTheNewOne) {
  const Matrix<double> M = Matrix<double>::Random(40, 50).cwiseAbs();
  const SparseMatrix<double> S = M.sparseView();
  using Write = std::function<void(const std::string& path)>;
  const WriteOptions force{.overwrite = true};
  const std::vector<std::pair<std::string, Write>> writers = {
      {"a.npy", [&](const std::string& path) { write_npy(path, dense_view(M), force); }},
      {"a.csv", [&](const std::string& path) { write_csv(path, dense_view(M), {}, force); }},
      {"a.tsv", [&](const std::string& path) { write_tsv(path, dense_view(M), {}, force); }},
      {"a.mtx", [&](const std::string& path) { write_mtx(path, dense_view(M), force); }},
      {"s.mtx", [&](const std::string& path) { write_mtx(path, S, force); }},
      {"t.txt", [&](const std::string& path) { write_file(path, "text", force); }},
  };
  for (const auto& [name, write] : writers) {
    const ScratchFolder whole;
    write(whole.file(name));
    const std::string wanted = read_text(whole.file(name));
    for (int call = 0;; ++call) {
      const ScratchFolder folder;
      const std::string path = folder.file(name);
      write_text(path, "old");
      FailingFileSystem files(call);
      const UsedFileSystem used(files);
      bool threw = false;
      try {
        write(path);
      } catch (const IoError&) {
        threw = true;
      }
      EXPECT_EQ(threw, files.failed()) << name << ", call " << call;
      const bool there = !files.failed() || files.last() == "sync_folder";
      EXPECT_EQ(read_text(path), there ? wanted : "old") << name << ", " << files.last();
      EXPECT_EQ(folder.count(), 1u) << name << ", " << files.last();
      if (!files.failed()) {
        EXPECT_GE(call, 6) << name;
        break;
      }
    }
  }
}

TEST(Atomic, ADanglingLinkIsFollowed) {
  const ScratchFolder folder;
  std::filesystem::create_symlink("second.csv", folder.file("first.csv"));
  std::filesystem::create_symlink(folder.file("real.csv"), folder.file("second.csv"));
  write_csv(folder.file("first.csv"), dense_view(Matrix<double>(Matrix<double>::Ones(1, 1))));
  EXPECT_TRUE(std::filesystem::is_symlink(folder.file("first.csv")));
  EXPECT_TRUE(std::filesystem::is_symlink(folder.file("second.csv")));
  EXPECT_EQ(read_text(folder.file("real.csv")), "1\n");
}

TEST(Atomic, ALinkToItselfIsRefused) {
  const ScratchFolder folder;
  std::filesystem::create_symlink("loop.csv", folder.file("loop.csv"));
  EXPECT_THAT([&] { write_file(folder.file("loop.csv"), "text"); },
              ThrowsMessage<IoError>(HasSubstr("leads to itself")));
}

// The number of a process that is no more.
pid_t dead_process() {
  const pid_t child = ::fork();
  if (child == 0) ::_exit(0);
  ::waitpid(child, nullptr, 0);
  return child;
}

TEST(Atomic, LeftoversOfDeadProcessesGoAndOthersStay) {
  const ScratchFolder folder;
  const std::string dead = std::to_string(dead_process());
  const std::string left = folder.file("a.csv.part-" + dead + "-0");
  const std::string living = folder.file("a.csv.part-" + std::to_string(::getppid()) + "-0");
  const std::string locked = folder.file("a.csv.part-" + dead + "-1");
  const std::string other = folder.file("b.csv.part-" + dead + "-0");
  for (const std::string& path : {left, living, locked, other}) write_text(path, "half");
  const int holder = ::open(locked.c_str(), O_RDWR);  // as a process of another machine has it
  ASSERT_EQ(::flock(holder, LOCK_EX), 0);
  write_file(folder.file("a.csv"), "text");
  ::close(holder);
  EXPECT_FALSE(std::filesystem::exists(left));
  for (const std::string& path : {living, locked, other}) EXPECT_TRUE(std::filesystem::exists(path)) << path;
}

TEST(WritingPieces, AreTheTextOfTheFile) {
  const ScratchFolder folder;
  const Matrix<double> M = Matrix<double>::Random(100, 200).cwiseAbs();
  write_csv(folder.file("a.csv"), dense_view(M));
  std::string text;
  write_csv([&](std::string_view piece) { text += piece; }, dense_view(M));
  EXPECT_EQ(text, read_text(folder.file("a.csv")));
}

}  // namespace
}  // namespace svrmu::io
