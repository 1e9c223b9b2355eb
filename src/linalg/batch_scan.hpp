// What the values of V are like: found in one pass over V, batch by batch.
#pragma once

#include <limits>

#include "linalg/validity.hpp"
#include "svrmu/matrix.hpp"
#include "svrmu/source.hpp"

namespace svrmu {

// Of some columns. Places are in the order of the columns.
struct ColumnScan : InvalidValues {
  double sum = 0;
  double squared = 0;
  double least = std::numeric_limits<double>::infinity();  // of all entries, stored or not
  double max = 0;
  double nonzeros = 0;
  Finding zero;  // stored or not
  Index empty_columns = 0;
};

// Adds the columns of a batch. Throws InvalidData where the rows of sparse V do not increase or leave V:
// kernels index by them, and what a source of its own making serves is not trusted.
template <class Scalar>
void scan_columns(const Batch<Scalar>& v, ColumnScan& scan);

// seen(f) <- 1 where row f of the batch has a nonzero.
template <class Scalar>
void mark_rows(const Batch<Scalar>& v, RowMatrix<Scalar>& seen);

}  // namespace svrmu
