// Matrices from files and to files (target svrmu::io). docs/formats.md says what is read and written.
#pragma once

#include <cstdint>
#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "svrmu/error.hpp"
#include "svrmu/export.hpp"
#include "svrmu/matrix.hpp"
#include "svrmu/source.hpp"

namespace svrmu::io {

// A file that cannot be read or written: the path and the reason. Content that makes no sense is
// InvalidInput.
class SVRMU_API IoError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// Where the samples lie in a file. `automatic`: as the format says, else in columns.
enum class SamplesIn { automatic, rows, columns };

// `automatic`: the file's own type when it is float32 or float64, else float64.
enum class Precision { automatic, float32, float64 };

struct ReadOptions {
  SamplesIn samples = SamplesIn::automatic;
  Precision precision = Precision::automatic;
  int threads = 0;  // 0: all that this process may use; the result does not depend on it
};

// Dense values without gaps.
template <class Scalar>
struct StoredDense {
  using Value = Scalar;
  const Scalar* data = nullptr;
  Layout layout = Layout::rows_contiguous;
};

// Compressed by columns or by rows, indices increasing within each.
template <class Scalar>
struct StoredSparse {
  using Value = Scalar;
  const Index* offsets = nullptr;
  const Index* indices = nullptr;
  const Scalar* values = nullptr;
  Layout layout = Layout::columns_contiguous;
};

using StoredMatrix =
    std::variant<StoredDense<float>, StoredDense<double>, StoredSparse<float>, StoredSparse<double>>;

// A matrix as its file has it. Copies share the storage.
struct MatrixFile {
  std::string path;
  std::string format;    // "npy", "npz", "mtx", ...
  std::string elements;  // type of the numbers in the file, "float32", "int16 big-endian", "text", ...
  Index rows = 0;
  Index columns = 0;
  StoredMatrix matrix;
  std::vector<std::string> row_names;        // empty: the file has none
  std::vector<std::string> column_names;     // empty: the file has none
  SamplesIn natural = SamplesIn::automatic;  // what the format says about samples; automatic: nothing
  SamplesIn samples = SamplesIn::columns;    // as decided: rows or columns
  Index image_rows = 0;                      // samples are pictures of this size, pixels column by column;
  Index image_columns = 0;                   // 0: they are not
  bool mapped = false;                       // values are read where they lie in the file, page by page
  std::shared_ptr<const void> storage;

  bool is_sparse() const { return matrix.index() >= 2; }
  bool is_double() const { return matrix.index() % 2 == 1; }
  SVRMU_API Index stored() const;  // entries held: rows x columns when dense

  Index features() const { return samples == SamplesIn::rows ? columns : rows; }
  Index sample_count() const { return samples == SamplesIn::rows ? rows : columns; }
  const std::vector<std::string>& feature_names() const {
    return samples == SamplesIn::rows ? column_names : row_names;
  }
  const std::vector<std::string>& sample_names() const {
    return samples == SamplesIn::rows ? row_names : column_names;
  }
};

// Reads a matrix; `path` may name a member of its file: "counts.npz:key", "faces.mat:fea",
// "cells.h5ad:layers/counts". A folder is one of pictures, or of 10x Genomics.
// Throws IoError if the file cannot be read, InvalidInput (with file and place) if its content makes no
// sense.
SVRMU_API MatrixFile read_matrix(const std::string& path, const ReadOptions& options = {});

// True if the file is sparse and compressed along the features, so that open_source must transpose it.
SVRMU_API bool needs_transposition(const MatrixFile& file);

// V = features x samples, where it lies if precision and compression allow it. Keeps the storage alive.
template <class Scalar>
SVRMU_API std::unique_ptr<MatrixSource<Scalar>> open_source(const MatrixFile& file);

// What a writer takes: dense values without gaps.
template <class Scalar>
struct DenseView {
  const Scalar* data = nullptr;
  Index rows = 0;
  Index columns = 0;
  Layout layout = Layout::columns_contiguous;

  const Scalar& operator()(Index row, Index column) const {
    return data[layout == Layout::columns_contiguous ? column * rows + row : row * columns + column];
  }
};

template <class Scalar>
DenseView<Scalar> dense_view(const Matrix<Scalar>& M) {
  return {M.data(), M.rows(), M.cols(), Layout::columns_contiguous};
}
template <class Scalar>
DenseView<Scalar> dense_view(const RowMatrix<Scalar>& M) {
  return {M.data(), M.rows(), M.cols(), Layout::rows_contiguous};
}

struct MatrixNames {
  std::vector<std::string> rows;     // empty: none are written
  std::vector<std::string> columns;  // empty: none are written
};

struct WriteOptions {
  bool overwrite = false;  // replace a file that is there
};

// Each writes a temporary file beside the target, syncs it and renames it: after a failure (IoError) what was
// there before is still there.
template <class Scalar>
SVRMU_API void write_npy(const std::string& path, const DenseView<Scalar>& matrix,
                         const WriteOptions& options = {});
template <class Scalar>
SVRMU_API void write_csv(const std::string& path, const DenseView<Scalar>& matrix,
                         const MatrixNames& names = {}, const WriteOptions& options = {});
template <class Scalar>
SVRMU_API void write_tsv(const std::string& path, const DenseView<Scalar>& matrix,
                         const MatrixNames& names = {}, const WriteOptions& options = {});
template <class Scalar>
SVRMU_API void write_mtx(const std::string& path, const DenseView<Scalar>& matrix,
                         const WriteOptions& options = {});
template <class Scalar>
SVRMU_API void write_mtx(const std::string& path, const SparseMatrix<Scalar>& matrix,
                         const WriteOptions& options = {});

// Any text, as safely.
SVRMU_API void write_file(const std::string& path, std::string_view text, const WriteOptions& options = {});

// By the ending: .npy, .csv, .tsv or .mtx. Names are written where the format has room for them.
template <class Scalar>
SVRMU_API void write_matrix(const std::string& path, const DenseView<Scalar>& matrix,
                            const MatrixNames& names = {}, const WriteOptions& options = {});

}  // namespace svrmu::io
