// The multiplicative step of h on a batch, for every loss and outlier model.
#pragma once

#include "data/factors.hpp"
#include "data/feed.hpp"
#include "objective/data_term.hpp"
#include "svrmu/solvers.hpp"

namespace svrmu {

// W with what every h step needs of it.
template <class Scalar>
struct Basis {
  Basis(const DataTerm<Scalar>& term, const RowMatrix<Scalar>& dictionary);

  const RowMatrix<Scalar>& W;
  Matrix<Scalar> gram;         // W'W, Frobenius
  Matrix<Scalar> column_sums;  // KL
};

struct Repeats {
  HRule rule = HRule::fixed;
  int most = 1;
  double tolerance = 0;
};

// Moves h (the batch's columns of H, K x b), and the batch's part of R, by multiplicative steps with W fixed.
// Returns how many steps were made.
template <class Scalar>
int update_h(const DataTerm<Scalar>& term, const Basis<Scalar>& basis, const Batch<Scalar>& v,
             Matrix<Scalar>& h, Outliers<Scalar>& R, const Repeats& repeats, const ColumnFeed<Scalar>& feed);

// The gradient of the data term in h (K x b).
template <class Scalar>
Matrix<Scalar> gradient_h(const DataTerm<Scalar>& term, const Basis<Scalar>& basis, const Batch<Scalar>& v,
                          const Matrix<Scalar>& h, const Outliers<Scalar>& R);

}  // namespace svrmu
