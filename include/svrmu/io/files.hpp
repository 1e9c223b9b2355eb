/// @file
/// Matrices from files and to files (target svrmu::io). docs/formats.md says what is read and written.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>
#include <tuple>
#include <variant>
#include <vector>

#include "svrmu/error.hpp"
#include "svrmu/export.hpp"
#include "svrmu/matrix.hpp"
#include "svrmu/options.hpp"
#include "svrmu/source.hpp"

/// Matrices and models in files.
namespace svrmu::io {

/// A file that cannot be read or written: the path and the reason. Content that makes no sense is
/// InvalidInput.
class SVRMU_API IoError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// Where the samples lie in a file.
enum class SamplesIn {
  automatic,  ///< as the format says, else in columns
  rows,       ///< each row is a sample
  columns     ///< each column is a sample
};
/// The names of the enumerators.
constexpr auto choices(SamplesIn) { return std::array<std::string_view, 3>{"automatic", "rows", "columns"}; }

/// The type of the values in memory.
enum class Precision {
  automatic,  ///< the file's own type if it is float32 or float64, else float64
  float32,    ///< single precision
  float64     ///< double precision
};
/// The names of the enumerators.
constexpr auto choices(Precision) {
  return std::array<std::string_view, 3>{"automatic", "float32", "float64"};
}

/// What the first column of a text is.
enum class RowNames {
  automatic,  ///< names if it looks like names or like an index; MatrixFile::notes tells of a doubt
  first,      ///< names of the rows
  none        ///< numbers, as every other column
};
/// The names of the enumerators.
constexpr auto choices(RowNames) { return std::array<std::string_view, 3>{"automatic", "first", "none"}; }

/// What the first line of a text is.
enum class ColumnNames {
  automatic,  ///< names if it looks like names; MatrixFile::notes tells of a doubt
  first,      ///< names of the columns
  none        ///< numbers, as every other line
};
/// The names of the enumerators.
constexpr auto choices(ColumnNames) { return std::array<std::string_view, 3>{"automatic", "first", "none"}; }

/// How a matrix is read. Options for text (delimiter, decimal, row_names, column_names) are refused for other
/// formats.
struct ReadOptions {
  SamplesIn samples = SamplesIn::automatic;    ///< where the samples lie
  Precision precision = Precision::automatic;  ///< the type of the values
  int threads = 0;        ///< 0: all that this process may use; the result does not depend on it
  std::string format{};   ///< one of format_names(); empty: the ending of the name says it
  char delimiter = '\0';  ///< between the cells of a text; ' ': any blanks; '\0': as the text looks
  char decimal = '\0';    ///< '.' or ','; '\0': as the text looks
  RowNames row_names = RowNames::automatic;           ///< what the first column of a text is
  ColumnNames column_names = ColumnNames::automatic;  ///< what the first line of a text is

  /// The list of those of its options that are numbers or choices; options_of() has all.
  static constexpr auto fields() {
    using O = ReadOptions;
    return std::tuple{
        Field<O, SamplesIn>{"samples", &O::samples, 0, 0, "where the samples lie"},
        Field<O, Precision>{"precision", &O::precision, 0, 0, "the type of the values"},
        Field<O, int>{"threads", &O::threads, 0, 1e6, "most threads; 0: all that this process may use"},
        Field<O, RowNames>{"row_names", &O::row_names, 0, 0, "what the first column of a text is"},
        Field<O, ColumnNames>{"column_names", &O::column_names, 0, 0, "what the first line of a text is"}};
  }
};

/// Sets one option from text; signs have names: "comma", "semicolon", "tab", "space", "point". A name that
/// there is not, or a value that it cannot have, is InvalidInput.
SVRMU_API void set_option(ReadOptions& options, std::string_view name, std::string_view value);

/// All options with their present values.
SVRMU_API std::vector<OptionInfo> options_of(const ReadOptions& options);

/// Dense values without gaps.
template <class Scalar>
struct StoredDense {
  using Value = Scalar;                     ///< the type of the values
  const Scalar* data = nullptr;             ///< rows x columns values
  Layout layout = Layout::rows_contiguous;  ///< the order of the values
};

/// Sparse values, compressed by columns or by rows. Indices increase within each.
template <class Scalar>
struct StoredSparse {
  using Value = Scalar;                        ///< the type of the values
  const Index* offsets = nullptr;              ///< where each column or row begins, and where the last ends
  const Index* indices = nullptr;              ///< the row or the column of each value
  const Scalar* values = nullptr;              ///< the entries that are held
  Layout layout = Layout::columns_contiguous;  ///< compressed by columns, or by rows
};

/// The values of a file, dense or sparse, in single or double precision.
using StoredMatrix =
    std::variant<StoredDense<float>, StoredDense<double>, StoredSparse<float>, StoredSparse<double>>;

/// A matrix as its file has it. Copies share the storage.
struct MatrixFile {
  std::string path;      ///< as it was given to read_matrix(), with the member
  std::string format;    ///< "npy", "npz", "mtx", ...
  std::string elements;  ///< type of the numbers in the file: "float32", "int16 big-endian", "text", ...
  Index rows = 0;        ///< of the file
  Index columns = 0;     ///< of the file
  StoredMatrix matrix;   ///< the values
  std::vector<std::string> row_names;        ///< empty: the file has none
  std::vector<std::string> column_names;     ///< empty: the file has none
  SamplesIn natural = SamplesIn::automatic;  ///< what the format says about samples; automatic: nothing
  SamplesIn samples = SamplesIn::columns;    ///< as decided: rows or columns
  Index image_rows = 0;     ///< height of the pictures that the samples are, pixels column by column; 0: none
  Index image_columns = 0;  ///< their width; 0: samples are no pictures
  bool mapped = false;      ///< values are read where they lie in the file, page by page
  std::vector<std::string> notes{};     ///< what may not be meant as it was understood, and the option for it
  std::shared_ptr<const void> storage;  ///< owns what `matrix` points to

  /// True if only some entries are held.
  bool is_sparse() const { return matrix.index() >= 2; }
  /// True if the values are in double precision.
  bool is_double() const { return matrix.index() % 2 == 1; }
  /// Entries held: rows x columns if the matrix is dense.
  SVRMU_API Index stored() const;

  /// How many features there are.
  Index features() const { return samples == SamplesIn::rows ? columns : rows; }
  /// How many samples there are.
  Index sample_count() const { return samples == SamplesIn::rows ? rows : columns; }
  /// Names of the features; empty: there are none.
  const std::vector<std::string>& feature_names() const {
    return samples == SamplesIn::rows ? column_names : row_names;
  }
  /// Names of the samples; empty: there are none.
  const std::vector<std::string>& sample_names() const {
    return samples == SamplesIn::rows ? row_names : column_names;
  }
};

/// Reads a matrix. `path` may name a member of its file: "counts.npz:key", "faces.mat:fea",
/// "cells.h5ad:layers/counts". A folder holds pictures, or files of 10x Genomics.
/// Throws IoError if the file cannot be read. Throws InvalidData, with file and place, if its content makes
/// no sense, and InvalidInput if an option does not apply to it. Messages and notes name an option and its
/// value like "row_names=none".
SVRMU_API MatrixFile read_matrix(const std::string& path, const ReadOptions& options = {});

/// Throws InvalidInput if an option says nothing about such a file, as read_matrix() does before it reads.
SVRMU_API void check_applicable(const std::string& path, const ReadOptions& options);

/// What ReadOptions::format may be: "npy", "npz", "mtx", "csv", "tsv", "text", ...
SVRMU_API std::vector<std::string> format_names();

/// Names from a file, for a matrix whose format has none: one per line, or a .npy of texts.
/// "genes.tsv:symbol" is a column of a table (.csv, .tsv) by its name in the first line, "genes.tsv:2" one by
/// its number in a table without names. `.gz` is unpacked.
SVRMU_API std::vector<std::string> read_names(const std::string& path);

/// The ending that the first bytes of a file ask for: ".npy", ".npz", ".mtx", ".mat", ".h5" or ".gz". Empty:
/// they say nothing, as in delimited text.
SVRMU_API std::string_view ending_by_content(std::string_view first_bytes);

/// True if the file is sparse and compressed along the features, so that open_source() must transpose it.
SVRMU_API bool needs_transposition(const MatrixFile& file);

/// V = features x samples. Values are not copied if their precision and compression allow it. The source
/// keeps the storage alive.
template <class Scalar>
SVRMU_API std::unique_ptr<MatrixSource<Scalar>> open_source(const MatrixFile& file);

/// What a writer takes: dense values without gaps.
template <class Scalar>
struct DenseView {
  const Scalar* data = nullptr;                ///< rows x columns values
  Index rows = 0;                              ///< height
  Index columns = 0;                           ///< width
  Layout layout = Layout::columns_contiguous;  ///< the order of the values

  /// The value at a place.
  const Scalar& operator()(Index row, Index column) const {
    return data[layout == Layout::columns_contiguous ? column * rows + row : row * columns + column];
  }
};

/// A view of a matrix stored by columns.
template <class Scalar>
DenseView<Scalar> dense_view(const Matrix<Scalar>& M) {
  return {M.data(), M.rows(), M.cols(), Layout::columns_contiguous};
}
/// A view of a matrix stored by rows.
template <class Scalar>
DenseView<Scalar> dense_view(const RowMatrix<Scalar>& M) {
  return {M.data(), M.rows(), M.cols(), Layout::rows_contiguous};
}

/// Names that are written with a matrix.
struct MatrixNames {
  std::vector<std::string> rows;     ///< empty: none are written
  std::vector<std::string> columns;  ///< empty: none are written
};

/// How a file is written.
struct WriteOptions {
  bool overwrite = false;  ///< replace a file that is there
};

/// @name Writers
/// Each writes a temporary file beside the target, syncs it and renames it. After a failure (IoError) what
/// was there before is still there.
/// @{

/// numpy's .npy.
template <class Scalar>
SVRMU_API void write_npy(const std::string& path, const DenseView<Scalar>& matrix,
                         const WriteOptions& options = {});
/// Comma-separated text.
template <class Scalar>
SVRMU_API void write_csv(const std::string& path, const DenseView<Scalar>& matrix,
                         const MatrixNames& names = {}, const WriteOptions& options = {});
/// Tab-separated text.
template <class Scalar>
SVRMU_API void write_tsv(const std::string& path, const DenseView<Scalar>& matrix,
                         const MatrixNames& names = {}, const WriteOptions& options = {});
/// Matrix Market, as an array.
template <class Scalar>
SVRMU_API void write_mtx(const std::string& path, const DenseView<Scalar>& matrix,
                         const WriteOptions& options = {});
/// Matrix Market, as coordinates.
template <class Scalar>
SVRMU_API void write_mtx(const std::string& path, const SparseMatrix<Scalar>& matrix,
                         const WriteOptions& options = {});
/// The format that the ending says: .npy, .csv, .tsv or .mtx. Names are written where the format has room for
/// them.
template <class Scalar>
SVRMU_API void write_matrix(const std::string& path, const DenseView<Scalar>& matrix,
                            const MatrixNames& names = {}, const WriteOptions& options = {});
/// Comma-separated text, handed piece by piece to `put` instead of a file.
template <class Scalar>
SVRMU_API void write_csv(const std::function<void(std::string_view)>& put, const DenseView<Scalar>& matrix,
                         const MatrixNames& names = {});
/// Any text.
SVRMU_API void write_file(const std::string& path, std::string_view text, const WriteOptions& options = {});

/// @}

}  // namespace svrmu::io
