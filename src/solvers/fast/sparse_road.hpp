// The road of `fast` for a sparse or small V: steps 7 to 11 of fast.cpp.
#pragma once

#include "solvers/fast/progress.hpp"
#include "solvers/fast/single_precision.hpp"
#include "solvers/fast/sizes.hpp"

namespace svrmu::fast {

template <class Scalar>
class SparseRoad {
 public:
  SparseRoad(const DataTerm<Scalar>& term, Progress<Scalar>& progress)
      : term_(term), single_term_(in_single_precision(term)), progress_(progress), single_(single_term_) {}

  // `start` holds the factors that the epoch begins with. In the first epoch with a subset f is only written.
  void epoch(ColumnFeed<Scalar>& feed, Factors<Scalar>& f, const Factors<Scalar>& start, const Sizes& sizes,
             int sweeps);

  void forget();
  void visit_state(StateVisitor<Scalar>& visit) { single_.visit_state(visit, "single_"); }

 private:
  void begin(ColumnFeed<Scalar>& feed, Factors<Scalar>& f, const Factors<Scalar>& start, const Sizes& sizes);
  RowMatrix<float> learn_W(ColumnFeed<Scalar>& feed, const Factors<Scalar>& start, const Sizes& sizes) const;
  void learn_on_block(ColumnFeed<Scalar>& feed, const SparseMatrix<float>& block, const DataTerm<float>& term,
                      Factors<float>& f) const;
  void iterate_in_single(ColumnFeed<Scalar>& feed, Factors<Scalar>& f, const Factors<Scalar>& start);
  void iterate_on_V(ColumnFeed<Scalar>& feed, Factors<Scalar>& f, bool swap);
  void leave_single_precision();

  const DataTerm<Scalar>& term_;
  DataTerm<float> single_term_;
  Progress<Scalar>& progress_;
  int sweeps_ = 4;

  SwappingHals<Scalar, float> single_;  // iterations on V itself, in single precision
  SingleFactors<Scalar> single_factors_;
};

}  // namespace svrmu::fast
