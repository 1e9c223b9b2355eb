// Algebra of bases and products of low rank, in single precision: they approximate V, and exact numbers come
// from V itself. Items are runs of contiguous numbers, as everywhere.
#pragma once

#include <functional>

#include "svrmu/matrix.hpp"

namespace svrmu {

// Items per tile; and per partial sum, of which there are few, however many items there are.
constexpr Index basis_tile = 128;
Index items_per_sum(Index count);

// Sum of x_i z_i' over the items (a x b), added up in double.
Matrix<double> cross_sum(const float* X, Index a, const float* Z, Index b, Index count);

// Z <- Z + X M', item by item.
void add_transformed(const Matrix<float>& M, const RowMatrix<float>& X, RowMatrix<float>& Z);
// X <- X M'
void transform(const Matrix<float>& M, RowMatrix<float>& X);

// Replaces what one member of a team summed by the sum over all of them.
using SumOverTeam = std::function<void(Matrix<double>&)>;

// Orthonormal columns of the same span. A direction that is lost in rounding becomes a column of zeros.
void orthonormalize(
    RowMatrix<float>& X, const SumOverTeam& total = [](Matrix<double>&) {});

// Orthonormal columns T that complete S to a basis of W as well: W = S S'W + T T'W. Where S is a basis
// of everything, T is zero.
RowMatrix<float> completion(const RowMatrix<float>& S, const RowMatrix<float>& W);

}  // namespace svrmu
