// The road of `fast` for a sparse or small V: steps 7 to 11 of fast.cpp.
#pragma once

#include "solvers/fast/heavy_rows.hpp"
#include "solvers/fast/progress.hpp"
#include "solvers/fast/single_precision.hpp"
#include "solvers/fast/sizes.hpp"

namespace svrmu::fast {

template <class Scalar>
class SparseRoad {
 public:
  SparseRoad(const DataTerm<Scalar>& term, Progress<Scalar>& progress)
      : term_(term),
        single_term_(in_single_precision(term)),
        progress_(progress),
        single_hals_(single_term_) {}

  // `start` holds the factors that the epoch begins with. In the first epoch with a subset f is only written.
  void epoch(ColumnFeed<Scalar>& feed, Factors<Scalar>& f, const Factors<Scalar>& start, const Sizes& sizes,
             int sweeps);

  void forget();
  void visit_state(StateVisitor<Scalar>& visit) { single_hals_.visit_state(visit, "single_"); }

 private:
  // In the order of the steps of fast.cpp.
  void begin(ColumnFeed<Scalar>& feed, Factors<Scalar>& f, const Factors<Scalar>& start, const Sizes& sizes);
  RowMatrix<float> learn_W(ColumnFeed<Scalar>& feed, const Factors<Scalar>& start, const Sizes& sizes) const;
  void learn_on_rows(ColumnFeed<Scalar>& feed, const SparseMatrix<float>& rows, const DataTerm<float>& term,
                     Factors<float>& f) const;
  RowMatrix<float> extend_to_all_rows(const SparseMatrix<float>& v, const HeavyRows& heavy,
                                      const DataTerm<float>& term, const Factors<float>& part) const;
  void iterate_in_single(ColumnFeed<Scalar>& feed, Factors<Scalar>& f, const Factors<Scalar>& start);
  void iterate_on_V(ColumnFeed<Scalar>& feed, Factors<Scalar>& f, bool swap);
  void leave_single_precision();

  const DataTerm<Scalar>& term_;
  DataTerm<float> single_term_;
  Progress<Scalar>& progress_;
  int sweeps_ = 4;

  SwappingHals<Scalar, float> single_hals_;  // iterations on V itself, in single precision
  SingleFactors<Scalar> single_factors_;
};

}  // namespace svrmu::fast
