// The loss of a batch at given factors.
#pragma once

#include "data/factors.hpp"
#include "data/feed.hpp"
#include "objective/data_term.hpp"

namespace svrmu {

struct Cost {
  double loss = 0;
  double outliers = 0;  // lambda sum(R)
  double squared = 0;   // ||V - WH - R||^2
  Cost& operator+=(const Cost& other);
};

// Entry by entry; exact also when WH is close to V.
template <class Scalar>
Cost direct_cost(const DataTerm<Scalar>& term, const RowMatrix<Scalar>& W, const Batch<Scalar>& v,
                 const Matrix<Scalar>& h, const Outliers<Scalar>& R);
// For sparse V: from the stored entries and Gram matrices; cancels when WH is close to V.
template <class Scalar>
Cost pattern_cost(const DataTerm<Scalar>& term, const RowMatrix<Scalar>& W, const Matrix<Scalar>& gram,
                  const Matrix<Scalar>& column_sums, const Batch<Scalar>& v, const Matrix<Scalar>& h,
                  const Outliers<Scalar>& R);

// Of all columns, totalled over the team. Without `exact`, what does not need all entries of sparse V is
// taken from the stored ones.
template <class Scalar>
Cost total_cost(const DataTerm<Scalar>& term, ColumnFeed<Scalar>& feed, const Factors<Scalar>& f, bool exact);

// Whether total_cost() without `exact` cancels when WH is close to V.
template <class Scalar>
bool cost_cancels(const DataTerm<Scalar>& term, const ColumnFeed<Scalar>& feed) {
  return feed.is_sparse() && (term.frobenius() || term.kl());
}

}  // namespace svrmu
