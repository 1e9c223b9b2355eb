// Sums over columns of V: the two parts of W's gradient, and the objective where it comes for nothing.
#pragma once

#include <optional>

#include "data/factors.hpp"
#include "data/feed.hpp"
#include "linalg/products.hpp"
#include "objective/data_term.hpp"

namespace svrmu {

// The Frobenius loss is 1/2||V||^2 - cross + squared/2.
struct Traces {
  double cross = 0;    // <V, WH>
  double squared = 0;  // ||WH||^2
};

// Sums over columns from which W's step is made. The gradient of the loss in W is down - up with
// down = W HHt + rest (Frobenius) or, in every row, h_sum + rest (KL), or rest (other beta).
template <class Scalar>
struct Sums {
  RowMatrix<Scalar> up;          // F x K
  Matrix<Scalar> HHt;            // K x K, Frobenius
  Matrix<Scalar> h_sum;          // K x 1, KL
  RowMatrix<Scalar> rest;        // F x K, outliers and other beta
  std::optional<Traces> traces;  // with the present W, where they were needed already

  bool give_objective() const { return traces || up.size() > 0; }
  void reset(const DataTerm<Scalar>& term, Index F, Index K);
  template <class Feed>
  void total_over(const Feed& feed) {
    feed.total(up, HHt, h_sum, rest);
  }
  void add_down(double scale, const RowMatrix<Scalar>& W, Combination<Scalar>& down) const;
  // this <- a this + b other
  void blend(double a, const Sums& other, double b);
};

template <class Scalar>
Traces traces_of(const RowMatrix<Scalar>& W, const Sums<Scalar>& sums);
// From W'V, which is cheaper than V H'. Totalled over the team.
template <class Scalar>
Traces traces_by_columns(ColumnFeed<Scalar>& feed, const Factors<Scalar>& f);

// W <- max(floor, (1-a) W + a W .* (up ./ (down + l1 + l2 W))^g) with the parts that the sums make.
template <class Scalar>
void multiply_by_ratio(RowMatrix<Scalar>& W, const Sums<Scalar>& sums, Shrink<Scalar> shrink, double step,
                       double exponent);

template <class Scalar>
void add_sums(const DataTerm<Scalar>& term, const RowMatrix<Scalar>& W, const Batch<Scalar>& v,
              const Matrix<Scalar>& h, const Outliers<Scalar>& R, Sums<Scalar>& sums);
// The same at (W, h) and at (Ws, hs), reading V once where that is possible.
template <class Scalar>
void add_sums_pair(const DataTerm<Scalar>& term, const Batch<Scalar>& v, const RowMatrix<Scalar>& W,
                   const Matrix<Scalar>& h, const Outliers<Scalar>& R, Sums<Scalar>& sums,
                   const RowMatrix<Scalar>& Ws, const Matrix<Scalar>& hs, const Outliers<Scalar>& Rs,
                   Sums<Scalar>& sums_s);

// The sums of samples that W H is taken to equal. Frobenius.
template <class Scalar>
void assumed_sums(const DataTerm<Scalar>& term, const Factors<Scalar>& f, Sums<Scalar>& sums);

// Sums over a whole pass of V, totalled over the team.
template <class Scalar>
void all_sums(const DataTerm<Scalar>& term, ColumnFeed<Scalar>& feed, Counted counted,
              const Factors<Scalar>& f, Sums<Scalar>& sums);

}  // namespace svrmu
