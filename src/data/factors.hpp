// The iterate of a fit.
#pragma once

#include <vector>

#include "svrmu/matrix.hpp"
#include "svrmu/source.hpp"

namespace svrmu {

// R of the multiplicative robust solvers: on every entry of dense V, or on the stored entries of sparse V.
template <class Scalar>
struct Outliers {
  Matrix<Scalar> dense;        // F x N
  std::vector<Scalar> values;  // sample by sample, in the order of V's entries
  std::vector<Index> offsets;  // where each sample's values begin
};

template <class Scalar>
struct Factors {
  RowMatrix<Scalar> W;  // F x K, the same on every team member
  Matrix<Scalar> H;     // K x N, this member's columns
  Outliers<Scalar> R;   // empty unless the solver keeps it
};

// The columns of H that belong to a batch, side by side, and back.
template <class Scalar>
void take_columns(const Matrix<Scalar>& H, const Batch<Scalar>& v, Matrix<Scalar>& h) {
  h.resize(H.rows(), v.count);
  for (Index j = 0; j < v.count; ++j) h.col(j) = H.col(v.sample(j));
}
template <class Scalar>
void put_columns(const Matrix<Scalar>& h, const Batch<Scalar>& v, Matrix<Scalar>& H) {
  for (Index j = 0; j < v.count; ++j) H.col(v.sample(j)) = h.col(j);
}

}  // namespace svrmu
