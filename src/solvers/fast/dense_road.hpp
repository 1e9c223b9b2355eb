// The road of `fast` for a dense V: steps 1 to 6 of fast.cpp.
#pragma once

#include "solvers/fast/low_rank_hals.hpp"
#include "solvers/fast/progress.hpp"
#include "solvers/fast/single_precision.hpp"
#include "solvers/fast/sizes.hpp"
#include "solvers/fast/subset.hpp"
#include "solvers/fast/surrogate.hpp"

namespace svrmu::fast {

template <class Scalar>
class DenseRoad {
 public:
  DenseRoad(const DataTerm<Scalar>& term, Progress<Scalar>& progress)
      : term_(term), single_term_(in_single_precision(term)), progress_(progress) {}

  // `start` holds the factors that the epoch begins with, f the same.
  void epoch(ColumnFeed<Scalar>& feed, Factors<Scalar>& f, const Factors<Scalar>& start, const Sizes& sizes,
             int sweeps);

  // The last pass over V was that of step 5, and step 6 made a surrogate from it.
  bool surrogate_is_current() const { return surrogate_is_current_; }
  const Surrogate& surrogate() const { return surrogate_; }
  void forget() { surrogate_is_current_ = false; }
  void visit_state(StateVisitor<Scalar>& visit);

 private:
  // In the order of the steps of fast.cpp.
  void learn_W(ColumnFeed<Scalar>& feed, Factors<Scalar>& f, const Sizes& sizes);
  template <class Any>
  void find_sketch(ColumnFeed<Scalar>& feed, const ColumnSubset<Scalar>& subset, const Batch<Any>& v,
                   Index l);
  void learn_W_on_sketch(ColumnFeed<Scalar>& feed, const Matrix<float>& Stv, double squared_norm,
                         Matrix<float> h, double share, RowMatrix<Scalar>& W);
  void descend(ColumnFeed<Scalar>& feed, Factors<Scalar>& f, const Factors<Scalar>& start);
  void pass_over_V(ColumnFeed<Scalar>& feed, Factors<Scalar>& f);
  HalsStep<float> step_of_H(bool W_is_new) const;
  void accept(ColumnFeed<Scalar>& feed, Factors<Scalar>& f, double objective);
  void correct_surrogate(ColumnFeed<Scalar>& feed, Factors<Scalar>& f);
  void undo(ColumnFeed<Scalar>& feed, Factors<Scalar>& f, const Factors<Scalar>& start);
  void iterate_on_V(ColumnFeed<Scalar>& feed, Factors<Scalar>& f, const Factors<Scalar>& start);
  void restore(ColumnFeed<Scalar>& feed, Factors<Scalar>& f, const Sizes& sizes);

  const DataTerm<Scalar>& term_;
  DataTerm<float> single_term_;
  Progress<Scalar>& progress_;
  int sweeps_ = 4;

  Surrogate surrogate_;
  bool surrogate_is_current_ = false;
  LowRankHals iterations_;
  Momentum momentum_;   // on the surrogate
  RowMatrix<float> W_;  // in single precision: what steps 3 and 4 move, and the Ws that step 5 begins with
  RowMatrix<float> spare_W_;
  SingleH<Scalar> single_H_;
  Matrix<float> spare_H_;
};

}  // namespace svrmu::fast
