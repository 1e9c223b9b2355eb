/// @file
/// Where V comes from: columns (samples) handed out in batches, in a stated order, without copies where
/// possible.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <variant>
#include <vector>

#include "svrmu/export.hpp"
#include "svrmu/matrix.hpp"
#include "svrmu/team.hpp"

namespace svrmu {

/// Dense columns where they lie: entry (f, c) is data[f * feature_stride + c * column_stride]. One stride
/// is 1.
template <class Scalar>
struct DenseColumns {
  const Scalar* data = nullptr;  ///< Entry (0, 0).
  Index feature_stride = 1;      ///< Elements from one feature to the next.
  Index column_stride = 0;       ///< Elements from one column to the next.
};

/// Where compressed columns (or rows) begin, one more than there are: 32- or 64-bit numbers where they lie.
class Offsets {
 public:
  /// Of nothing.
  Offsets() = default;
  /// From 32-bit numbers.
  Offsets(const std::int32_t* narrow) : narrow_(narrow) {}
  /// From 64-bit numbers.
  Offsets(const std::int64_t* wide) : wide_(wide) {}

  /// Where column c begins.
  Index operator[](Index c) const { return wide_ != nullptr ? wide_[c] : Index{narrow_[c]}; }
  /// The address of the numbers.
  const void* data() const { return wide_ != nullptr ? static_cast<const void*>(wide_) : narrow_; }

 private:
  const std::int32_t* narrow_ = nullptr;
  const std::int64_t* wide_ = nullptr;
};

/// Compressed sparse columns where they lie: column c has the entries offsets[c] .. offsets[c + 1], rows
/// increasing. Row is std::int32_t or std::int64_t, whatever the offsets are.
template <class Scalar, class Row>
struct SparseColumns {
  Offsets offsets;                 ///< Where each column begins; one more than there are columns.
  const Row* rows = nullptr;       ///< The feature of each entry.
  const Scalar* values = nullptr;  ///< Each entry.
};

/// Columns in one of the forms in which V may lie.
template <class Scalar>
using ColumnData = std::variant<DenseColumns<Scalar>, SparseColumns<Scalar, std::int32_t>,
                                SparseColumns<Scalar, std::int64_t>>;

/// Some columns of V. A stream fills `data`, `count` and `first` or `list`. The library fills the rest.
template <class Scalar>
struct Batch {
  ColumnData<Scalar> data;      ///< Where the columns lie.
  Index count = 0;              ///< Columns in this process's part of the batch, perhaps none.
  Index first = 0;              ///< They are columns first .. first + count of `data`, unless listed.
  std::span<const Index> list;  ///< Columns of `data`, when they do not follow each other.

  Index features = 0;               ///< Rows of V.
  Index first_sample = 0;           ///< Column of H that belongs to the first column, unless listed.
  std::span<const Index> samples;   ///< Columns of H, when they do not follow each other.
  std::span<const Scalar> weights;  ///< How often each column was drawn. Empty: once each.
  Index total = 0;                  ///< Size of the batch over the whole team, repeated columns counted.
  Scalar scale = 1;                 ///< Power of two by which V is to be multiplied.

  /// The column of `data` that is the j-th of the batch.
  Index column(Index j) const { return list.empty() ? first + j : list[static_cast<std::size_t>(j)]; }
  /// The column of H that belongs to the j-th column of the batch.
  Index sample(Index j) const {
    return samples.empty() ? first_sample + j : samples[static_cast<std::size_t>(j)];
  }
};

/// A whole pass over V, planned before it starts so that a file can read ahead.
struct PassOrder {
  std::vector<Index> columns;  ///< Empty: every column in storage order.
  std::vector<Index> ends;     ///< Batch i holds the columns ends[i - 1] .. ends[i] of that order.
};

/// The batches of one pass over V.
template <class Scalar>
class SVRMU_API BatchStream {
 public:
  virtual ~BatchStream() = default;
  /// The next batch. What it points to stays valid until the next call. False after the last.
  virtual bool next(Batch<Scalar>& batch) = 0;
};

/// V, or this team member's columns of it. Derive from it to factorize data that lie elsewhere.
template <class Scalar>
class SVRMU_API MatrixSource {
 public:
  virtual ~MatrixSource() = default;
  /// Rows of V.
  virtual Index features() const = 0;
  /// Columns of V.
  virtual Index samples() const = 0;
  /// True if batches are SparseColumns.
  virtual bool is_sparse() const = 0;
  /// Entries held: features x samples when dense.
  virtual Index stored() const = 0;
  /// Begins a pass over V.
  virtual std::unique_ptr<BatchStream<Scalar>> open(PassOrder order) const = 0;
};

/// Which entries of a dense matrix lie beside each other.
enum class Layout {
  columns_contiguous,  ///< Those of a column.
  rows_contiguous,     ///< Those of a row.
};

/// V in memory that must outlive the source. stride: elements from one column (or row) to the next, at least
/// what a column (or row) holds. 0 means no gap: the broadcast arrays of other libraries, which repeat one
/// column by a stride of 0, cannot be viewed.
template <class Scalar>
SVRMU_API std::unique_ptr<MatrixSource<Scalar>> view_dense(const Scalar* data, Index features, Index samples,
                                                           Layout layout = Layout::columns_contiguous,
                                                           Index stride = 0);

/// V in compressed sparse columns that must outlive the source. The rows of each column must increase, which
/// is checked: InvalidData where they do not (see sorted_columns()), or lie outside V. The check uses at most
/// that many threads; 0: what this process may use.
template <class Scalar>
SVRMU_API std::unique_ptr<MatrixSource<Scalar>> view_sparse(Index features, Index samples, Offsets offsets,
                                                            const std::int32_t* rows, const Scalar* values,
                                                            int threads = 0);
/// The same with 64-bit rows.
template <class Scalar>
SVRMU_API std::unique_ptr<MatrixSource<Scalar>> view_sparse(Index features, Index samples, Offsets offsets,
                                                            const std::int64_t* rows, const Scalar* values,
                                                            int threads = 0);

/// Whether the rows of each compressed column increase, as view_sparse() wants them. InvalidData where the
/// first fault is another one.
SVRMU_API bool columns_are_sorted(Index features, Index samples, Offsets offsets, const std::int32_t* rows,
                                  int threads = 0);
/// The same with 64-bit rows.
SVRMU_API bool columns_are_sorted(Index features, Index samples, Offsets offsets, const std::int64_t* rows,
                                  int threads = 0);

/// A copy of compressed sparse columns whose rows are in any order. Entries at the same place are added up,
/// in the order in which they come.
template <class Scalar>
SVRMU_API std::unique_ptr<MatrixSource<Scalar>> sorted_columns(Index features, Index samples, Offsets offsets,
                                                               const std::int32_t* rows, const Scalar* values,
                                                               int threads = 0);
/// The same with 64-bit rows.
template <class Scalar>
SVRMU_API std::unique_ptr<MatrixSource<Scalar>> sorted_columns(Index features, Index samples, Offsets offsets,
                                                               const std::int64_t* rows, const Scalar* values,
                                                               int threads = 0);

/// A copy, by columns, of V in compressed sparse rows: row f has the entries offsets[f] .. offsets[f + 1].
/// Its columns may come in any order; entries at the same place are added up, in the order in which they
/// come.
template <class Scalar>
SVRMU_API std::unique_ptr<MatrixSource<Scalar>> view_sparse_rows(Index features, Index samples,
                                                                 Offsets offsets, const std::int32_t* columns,
                                                                 const Scalar* values, int threads = 0);
/// The same with 64-bit columns.
template <class Scalar>
SVRMU_API std::unique_ptr<MatrixSource<Scalar>> view_sparse_rows(Index features, Index samples,
                                                                 Offsets offsets, const std::int64_t* columns,
                                                                 const Scalar* values, int threads = 0);

/// V, features x samples, in a matrix that must outlive the source.
template <class Scalar>
SVRMU_API std::unique_ptr<MatrixSource<Scalar>> view(const Matrix<Scalar>& V);
/// V, features x samples, in a matrix that must outlive the source.
template <class Scalar>
SVRMU_API std::unique_ptr<MatrixSource<Scalar>> view(const RowMatrix<Scalar>& V);
/// V, features x samples, in a compressed matrix that must outlive the source.
template <class Scalar>
SVRMU_API std::unique_ptr<MatrixSource<Scalar>> view(const SparseMatrix<Scalar>& V);

/// Refused: the source would outlive a temporary.
template <class Scalar>
std::unique_ptr<MatrixSource<Scalar>> view(const Matrix<Scalar>&& V) = delete;
/// Refused: the source would outlive a temporary.
template <class Scalar>
std::unique_ptr<MatrixSource<Scalar>> view(const RowMatrix<Scalar>&& V) = delete;
/// Refused: the source would outlive a temporary.
template <class Scalar>
std::unique_ptr<MatrixSource<Scalar>> view(const SparseMatrix<Scalar>&& V) = delete;

/// The columns of `whole` that belong to this member of the team. `whole` must outlive the share.
template <class Scalar>
SVRMU_API std::unique_ptr<MatrixSource<Scalar>> share_of(const MatrixSource<Scalar>& whole, const Team& team);

}  // namespace svrmu
