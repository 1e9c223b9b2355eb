// Sums over all columns in which one batch after the other replaces its own part, each made at the W of its
// time.
#pragma once

#include <utility>

#include "objective/sums.hpp"

namespace svrmu {

// Each part is a function of W that touches the loss of its columns where it was made and is nowhere below
// it. Their sum is therefore above the whole loss, and its minimum is where W moves: no step goes up, however
// old the parts are. For the Frobenius loss a part is its sums as they are. For another, made at W~, it is in
// each entry of W up W~^(2-beta) against W^(beta-1) (beta > 2: up against W) and down W~^(1-beta) against
// W^beta (beta < 1: down against W); for KL that is W~ .* up, and the sum of h.
template <class Scalar>
class ReplacedSums {
 public:
  ReplacedSums() = default;
  explicit ReplacedSums(const DataTerm<Scalar>& term) : term_(term) {}

  // Makes a part of sums at W.
  void weigh(const RowMatrix<Scalar>& W, Sums<Scalar>& sums) const;
  // All parts together.
  void begin(Sums<Scalar> all) { all_ = std::move(all); }
  // All parts made at W.
  void begin(const RowMatrix<Scalar>& W, const Sums<Scalar>& sums) {
    all_ = sums;
    weigh(W, all_);
  }
  // A batch's part `now` in the place of `past`.
  void replace(const Sums<Scalar>& past, const Sums<Scalar>& now);
  // What parts would be if the W of their time had been `growth` times as large, to a first approximation.
  void grow(const RowMatrix<Scalar>& growth, Sums<Scalar>& part) const;
  void grow(const RowMatrix<Scalar>& growth) { grow(growth, all_); }
  // W <- (1-a) W + a (the minimum of the sum of all parts)
  void move(RowMatrix<Scalar>& W, double step);

 private:
  DataTerm<Scalar> term_;
  Sums<Scalar> all_;
  Sums<Scalar> at_W_;  // the same as seen from W
};

// Whether the sums of a batch stay what they are when W moves.
template <class Scalar>
bool sums_outlast_W(const DataTerm<Scalar>& term) {
  return term.frobenius() && term.outliers != OutlierModel::closed_form;
}

}  // namespace svrmu
