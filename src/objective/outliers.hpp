// Outliers as sparse matrices, for those who ask for a result.
#pragma once

#include "data/factors.hpp"
#include "data/feed.hpp"

namespace svrmu {

// max(V - WH - lambda, 0), in the units of the feed.
template <class Scalar>
SparseMatrix<Scalar> closed_form_outliers(ColumnFeed<Scalar>& feed, const RowMatrix<Scalar>& W,
                                          const Matrix<Scalar>& H, Scalar lambda);

// unit * R for an R on the stored entries of sparse V, without its zeros.
template <class Scalar>
SparseMatrix<Scalar> kept_outliers(ColumnFeed<Scalar>& feed, const Outliers<Scalar>& R, Scalar unit);

}  // namespace svrmu
