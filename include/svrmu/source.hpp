// Where V comes from: columns (samples) handed out in batches, in a stated order, without copies where
// possible.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <variant>
#include <vector>

#include "svrmu/matrix.hpp"
#include "svrmu/team.hpp"

namespace svrmu {

// Dense columns where they lie: entry (f, c) is data[f * feature_stride + c * column_stride]; one stride
// is 1.
template <class Scalar>
struct DenseColumns {
  const Scalar* data = nullptr;
  Index feature_stride = 1;
  Index column_stride = 0;
};

// Compressed sparse columns where they lie: column c has entries offsets[c] .. offsets[c + 1], rows
// increasing.
template <class Scalar, class Offset>
struct SparseColumns {
  const Offset* offsets = nullptr;
  const Offset* rows = nullptr;
  const Scalar* values = nullptr;
};

template <class Scalar>
using ColumnData = std::variant<DenseColumns<Scalar>, SparseColumns<Scalar, std::int32_t>,
                                SparseColumns<Scalar, std::int64_t>>;

// Some columns of V. A stream fills `data`, `count` and `first` or `list`; the rest belongs to the feed.
template <class Scalar>
struct Batch {
  ColumnData<Scalar> data;
  Index count = 0;              // columns in this process's part of the batch, perhaps none
  Index first = 0;              // they are columns first .. first + count of `data`, unless listed
  std::span<const Index> list;  // columns of `data`, when they do not follow each other

  Index features = 0;
  Index first_sample = 0;           // column of H that belongs to the first column, unless listed
  std::span<const Index> samples;   // columns of H, when they do not follow each other
  std::span<const Scalar> weights;  // how often each column was drawn; empty: once each
  Index total = 0;                  // size of the batch over the whole team, repeated columns counted
  Scalar scale = 1;                 // power of two by which V is to be multiplied

  Index column(Index j) const { return list.empty() ? first + j : list[static_cast<std::size_t>(j)]; }
  Index sample(Index j) const {
    return samples.empty() ? first_sample + j : samples[static_cast<std::size_t>(j)];
  }
};

// A whole visit, planned before it starts so that a file can read ahead.
struct VisitOrder {
  std::vector<Index> columns;  // empty: every column in storage order
  std::vector<Index> ends;     // batch i holds the columns ends[i - 1] .. ends[i] of that order
};

template <class Scalar>
class BatchStream {
 public:
  virtual ~BatchStream() = default;
  // The next batch of the visit; what it points to stays valid until the next call. False after the last.
  virtual bool next(Batch<Scalar>& batch) = 0;
};

// V, or this team member's columns of it. Derive from it to factorize data that live elsewhere.
template <class Scalar>
class MatrixSource {
 public:
  virtual ~MatrixSource() = default;
  virtual Index features() const = 0;
  virtual Index samples() const = 0;
  virtual bool is_sparse() const = 0;
  virtual Index stored() const = 0;  // entries held: features x samples when dense
  virtual std::unique_ptr<BatchStream<Scalar>> open(VisitOrder order) const = 0;
};

enum class Layout { columns_contiguous, rows_contiguous };

// Views of memory that must outlive the source. stride: elements from one column (or row) to the next, 0: no
// gap.
template <class Scalar>
std::unique_ptr<MatrixSource<Scalar>> view_dense(const Scalar* data, Index features, Index samples,
                                                 Layout layout = Layout::columns_contiguous,
                                                 Index stride = 0);
template <class Scalar>
std::unique_ptr<MatrixSource<Scalar>> view_sparse(Index features, Index samples, const std::int32_t* offsets,
                                                  const std::int32_t* rows, const Scalar* values);
template <class Scalar>
std::unique_ptr<MatrixSource<Scalar>> view_sparse(Index features, Index samples, const std::int64_t* offsets,
                                                  const std::int64_t* rows, const Scalar* values);

template <class Scalar>
std::unique_ptr<MatrixSource<Scalar>> view(const Matrix<Scalar>& V);
template <class Scalar>
std::unique_ptr<MatrixSource<Scalar>> view(const RowMatrix<Scalar>& V);
template <class Scalar>
std::unique_ptr<MatrixSource<Scalar>> view(const SparseMatrix<Scalar>& V);

// A view of a temporary would outlive it.
template <class Scalar>
std::unique_ptr<MatrixSource<Scalar>> view(const Matrix<Scalar>&& V) = delete;
template <class Scalar>
std::unique_ptr<MatrixSource<Scalar>> view(const RowMatrix<Scalar>&& V) = delete;
template <class Scalar>
std::unique_ptr<MatrixSource<Scalar>> view(const SparseMatrix<Scalar>&& V) = delete;

// The columns of `whole` that belong to this member of the team. `whole` must outlive the share.
template <class Scalar>
std::unique_ptr<MatrixSource<Scalar>> share_of(const MatrixSource<Scalar>& whole, const Team& team);

}  // namespace svrmu
