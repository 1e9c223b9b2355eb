// A way out of a poor local minimum, step 11 of fast.cpp: the component that the others can best do without
// gives its place to one that V - WH still holds. Scalar is the precision of V, Real that of the factors.
#pragma once

#include <vector>

#include "data/factors.hpp"
#include "data/feed.hpp"
#include "linalg/batch_products.hpp"

namespace svrmu::fast {

struct ComponentWorth {
  Index k;
  double worth;
};

// All components, least first. Their worth: by how much 1/2||V - WH||^2 would rise without them, at most, if
// the others took their place in H alone or in W alone, and signs were free.
template <class Scalar, class Real>
std::vector<ComponentWorth> by_worth(const ColumnFeed<Scalar>& feed, const Factors<Real>& f);

// K candidates at once, each a pair of a column of new_W (F x K) and a row of new_H (K x N), by power steps
// on the positive part of the residual:
//   a. new_H <- K rows of the N x N identity, drawn at random: they pick K columns of V - WH
//   b. new_W <- max(0, (V - WH) new_H')                                                    one pass over V
//   c. new_H <- max(0, new_W'(V - WH)), with new_W's columns of length one, then b again   one pass over V;
//      swap_power_steps times
//   d. the pair that takes most off the objective becomes component k of (W, H)
// Where V is kept by rows as well (`rows`), V new_H' comes from there.
template <class Scalar, class Real = Scalar>
class ComponentSwap {
 public:
  ComponentSwap(ColumnFeed<Scalar>& feed, Factors<Real>& f, const SparseRows<Real>& rows)
      : feed_(feed), f_(f), rows_(rows) {}

  // Replaces component k. `draw` numbers the draws of step a. False, with (W, H) as they were, where the
  // residual holds nothing or when interrupted.
  bool operator()(Index k, Index draw);

 private:
  void draw_columns(Index draw);
  void move_new_W();
  void pass_over_V(bool moves_new_H);
  bool put_best(Index k);

  ColumnFeed<Scalar>& feed_;
  Factors<Real>& f_;
  const SparseRows<Real>& rows_;
  RowMatrix<Real> new_W_;
  Matrix<Real> new_H_;
  RowMatrix<Real> product_;  // V new_H', which step b makes the next new_W
};

}  // namespace svrmu::fast
