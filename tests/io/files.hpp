// Files for the io tests, and matrices read from them.
#pragma once

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>

#include "io/input.hpp"
#include "svrmu/io/files.hpp"

namespace svrmu::io {

// The matrix that make_files.py writes.
inline Matrix<double> made_matrix() {
  Matrix<double> M(5, 3);
  for (Index i = 0; i < 5; ++i)
    for (Index j = 0; j < 3; ++j)
      M(i, j) = (i + j) % 2 == 0 ? static_cast<double>((7 * i + 3 * j) % 11) : 0.0;
  return M;
}

inline std::string made(const std::string& name) { return std::string(SVRMU_MADE_FILES) + "/" + name; }
inline bool files_are_made() { return std::filesystem::exists(made("complete")); }

#define SVRMU_NEEDS_MADE_FILES() \
  if (!files_are_made()) GTEST_SKIP() << "needs the files of make_files.py (python3-numpy, python3-scipy)"

inline std::string made_h5(const std::string& name) { return std::string(SVRMU_MADE_H5_FILES) + "/" + name; }

#define SVRMU_NEEDS_H5_FILES()                       \
  if (!std::filesystem::exists(made_h5("complete"))) \
  GTEST_SKIP() << "needs the files of make_h5_files.py (python3-h5py, python3-numpy, python3-scipy)"

inline Matrix<double> positive(const Matrix<double>& M) { return (M.array() > 0).cast<double>(); }

// As the file has it, without going through a source.
inline Matrix<double> contents(const MatrixFile& file) {
  Matrix<double> out = Matrix<double>::Zero(file.rows, file.columns);
  std::visit(
      [&](const auto& m) {
        const bool by_columns = m.layout == Layout::columns_contiguous;
        if constexpr (requires { m.offsets; }) {
          for (Index major = 0; major < (by_columns ? file.columns : file.rows); ++major)
            for (Index p = m.offsets[major]; p < m.offsets[major + 1]; ++p)
              (by_columns ? out(m.indices[p], major) : out(major, m.indices[p])) = m.values[p];
        } else {
          for (Index i = 0; i < file.rows; ++i)
            for (Index j = 0; j < file.columns; ++j)
              out(i, j) = m.data[by_columns ? j * file.rows + i : i * file.columns + j];
        }
      },
      file.matrix);
  return out;
}

// V = features x samples, read through its batches.
template <class Scalar>
Matrix<double> through_source(const MatrixSource<Scalar>& source) {
  Matrix<double> out = Matrix<double>::Zero(source.features(), source.samples());
  const auto stream = source.open({{}, {source.samples()}});
  Batch<Scalar> v;
  while (stream->next(v))
    std::visit(
        [&](const auto& data) {
          for (Index j = 0; j < v.count; ++j) {
            if constexpr (requires { data.offsets; }) {
              for (auto p = data.offsets[v.column(j)]; p < data.offsets[v.column(j) + 1]; ++p)
                out(data.rows[p], v.column(j)) = data.values[p];
            } else {
              for (Index f = 0; f < source.features(); ++f)
                out(f, v.column(j)) = data.data[f * data.feature_stride + v.column(j) * data.column_stride];
            }
          }
        },
        v.data);
  return out;
}

// A folder that goes when the test ends.
class ScratchFolder {
 public:
  ScratchFolder() {
    std::string pattern = (std::filesystem::temp_directory_path() / "svrmu_io_XXXXXX").string();
    path_ = ::mkdtemp(pattern.data());
  }
  ~ScratchFolder() { std::filesystem::remove_all(path_); }
  std::string file(const std::string& name) const { return path_ + "/" + name; }
  const std::string& path() const { return path_; }
  std::size_t count() const {
    return static_cast<std::size_t>(std::distance(std::filesystem::directory_iterator(path_), {}));
  }

 private:
  std::string path_;
};

inline std::string read_text(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}
inline void write_text(const std::string& path, const std::string& text) {
  std::filesystem::remove(path);  // some file systems wait for the disk when a file is written over
  std::ofstream(path, std::ios::binary) << text;
}

inline io::Input input_of(const std::string& text, const std::string& name = "test") {
  return {name, std::as_bytes(std::span(text.data(), text.size())), nullptr, false, {}};
}

}  // namespace svrmu::io
