/// @file
/// Columns of V that are served once, in their own order, and whose number nobody knows: a pipe, a sensor, a
/// queue.
#pragma once

#include "svrmu/export.hpp"
#include "svrmu/matrix.hpp"
#include "svrmu/source.hpp"

namespace svrmu {

/// V as a stream of columns. Derive from it to learn from data of your own as they come.
template <class Scalar>
class SVRMU_API ColumnStream {
 public:
  virtual ~ColumnStream() = default;
  /// Rows of V.
  virtual Index features() const = 0;
  /// True if batches are SparseColumns.
  virtual bool is_sparse() const = 0;
  /// The next columns, at least one and at most so many: `data`, `count` and `first` or `list` of the batch
  /// are to be filled. What it points to stays valid until the next call. False after the last.
  ///
  /// W moves by what is served at a time. So serve as many as are asked for, and fewer only at the end, or
  /// where a batch is to end.
  virtual bool next(Index most_columns, Batch<Scalar>& batch) = 0;
};

}  // namespace svrmu
