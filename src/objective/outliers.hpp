// Outliers as sparse matrices, for those who ask for a result.
#pragma once

#include "data/factors.hpp"
#include "data/feed.hpp"

namespace svrmu {

// R <- max(V - WH - lambda, 0), in the units of the feed. Left alone where the feed is interrupted.
template <class Scalar>
void closed_form_outliers(ColumnFeed<Scalar>& feed, const RowMatrix<Scalar>& W, const Matrix<Scalar>& H,
                          Scalar lambda, SparseMatrix<Scalar>& R);

// out <- unit * R for an R on the stored entries of sparse V, without its zeros.
template <class Scalar>
void kept_outliers(ColumnFeed<Scalar>& feed, const Outliers<Scalar>& R, Scalar unit,
                   SparseMatrix<Scalar>& out);

}  // namespace svrmu
