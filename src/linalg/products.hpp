// Dense algebra on items of K contiguous numbers (rows of W, columns of H), in fixed tiles.
#pragma once

#include <array>

#include "linalg/shrink.hpp"
#include "svrmu/matrix.hpp"

namespace svrmu {

// Sum of w_i x_i x_i' over the items; weights may be null.
template <class Scalar>
Matrix<Scalar> gram(const Scalar* items, Index count, Index K, const Scalar* weights = nullptr);

template <class Scalar>
Matrix<Scalar> WtW(const RowMatrix<Scalar>& W) {
  return gram(W.data(), W.rows(), W.cols());
}
template <class Scalar>
Matrix<Scalar> HHt(const Matrix<Scalar>& H) {
  return gram(H.data(), H.cols(), H.rows());
}

// Sum of all items: K x 1.
template <class Scalar>
Matrix<Scalar> item_sum(const Scalar* items, Index count, Index K, const Scalar* weights = nullptr);

// Summed in double.
template <class Scalar>
double inner_product(const Scalar* a, const Scalar* b, Index count);
template <class Scalar>
double inner_product(const RowMatrix<Scalar>& A, const RowMatrix<Scalar>& B);
template <class Scalar>
double inner_product(const Matrix<Scalar>& A, const Matrix<Scalar>& B);

// sum(x) and sum(x^2), in double.
struct Norms {
  double l1 = 0;
  double squared = 0;
};
template <class Scalar>
Norms norms(const Scalar* values, Index count);

// A sum of F x K terms that is only ever formed tile by tile: a M, a M G, or a in every row the vector g.
template <class Scalar>
class Combination {
 public:
  Combination& add(double scale, const RowMatrix<Scalar>& M);
  Combination& add(double scale, const RowMatrix<Scalar>& M, const Matrix<Scalar>& G);
  Combination& add_row(double scale, const Matrix<Scalar>& g);

  // Rows begin .. end of the sum.
  void evaluate(Index begin, Index end, Index K, Scalar* out) const;
  RowMatrix<Scalar> evaluate(Index F, Index K) const;

 private:
  struct Term {
    Scalar scale = 0;
    const RowMatrix<Scalar>* M = nullptr;
    const Matrix<Scalar>* G = nullptr;
  };
  std::array<Term, 8> terms_;
  std::size_t count_ = 0;
};

// W <- max(floor, (1-a) W + a W .* (up ./ (down + l1 + l2 W))^g). The terms may refer to W itself.
template <class Scalar>
void multiply_by_ratio(RowMatrix<Scalar>& W, const Combination<Scalar>& up, const Combination<Scalar>& down,
                       Shrink<Scalar> shrink, double step, double exponent);

// x <- about x (x / before)^a, which agrees with it to first order in x - before and takes no power.
template <class Scalar>
void extrapolate_by_ratio(Scalar* x, const Scalar* before, Index count, double a);

// One multiplicative step of items X with A over G X; returns the squared change.
template <class Scalar>
double mu_sweep(Scalar* X, const Scalar* A, Index count, const Matrix<Scalar>& G, Shrink<Scalar> shrink);

// HALS sweeps over all items; returns the squared change of the last.
template <class Scalar>
double hals_sweep(Scalar* X, const Scalar* A, Index count, const Matrix<Scalar>& G, Shrink<Scalar> shrink,
                  int sweeps = 1);
// The same inside a tile.
template <class Scalar>
double hals_tile(Scalar* X, const Scalar* A, Index count, const Matrix<Scalar>& G, Shrink<Scalar> shrink,
                 int sweeps);
// One sweep over all items; returns the sum of |projected gradient| over all coordinates, each when its turn
// comes: the violation of scikit-learn's coordinate descent.
template <class Scalar>
double hals_violation(Scalar* X, const Scalar* A, Index count, const Matrix<Scalar>& G,
                      Shrink<Scalar> shrink);

}  // namespace svrmu
