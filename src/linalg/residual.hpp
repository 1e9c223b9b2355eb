// Products with the residual V - WH, which is never formed, and what is positive of them. The factors that
// it is multiplied by have K rows or columns, like W and H.
#pragma once

#include "svrmu/matrix.hpp"
#include "svrmu/source.hpp"

namespace svrmu {

// The inner products of K rows (or columns) with K others: new_W'W, or new_H H'.
template <class Real>
Matrix<Real> cross_products(const RowMatrix<Real>& new_W, const RowMatrix<Real>& W);
template <class Real>
Matrix<Real> cross_products(const Matrix<Real>& new_H, const Matrix<Real>& H);

// new_h <- max(0, new_W'(v - W h)) on a batch, given new_W'W.
template <class Scalar, class Real>
void positive_residual(const RowMatrix<Real>& new_W, const Matrix<Real>& new_WtW, const Batch<Scalar>& v,
                       const Real* h, Real* new_h);

// product <- max(0, product - W (H new_H')), given new_H H' and product = V new_H': that is
// max(0, (V - WH) new_H').
template <class Real>
void positive_residual(const RowMatrix<Real>& W, const Matrix<Real>& new_HHt, RowMatrix<Real>& product);

}  // namespace svrmu
