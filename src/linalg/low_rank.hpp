// Algebra of models V ~ U Y of low rank, in single precision: a model is an approximation, and exact numbers
// come from V itself. Items are runs of contiguous numbers, as everywhere.
#pragma once

#include <functional>
#include <vector>

#include "data/random.hpp"
#include "linalg/kernels.hpp"
#include "svrmu/matrix.hpp"
#include "svrmu/source.hpp"

namespace svrmu {

// Sum of x_i z_i' over the items (a x b), added up in double.
Matrix<double> cross_sum(const float* X, Index a, const float* Z, Index b, Index count);

// Z <- Z + X C', item by item.
void add_transformed(const Matrix<float>& C, const RowMatrix<float>& X, RowMatrix<float>& Z);
// X <- X C'
void transform(const Matrix<float>& C, RowMatrix<float>& X);

// Replaces what one member of a team summed by the sum over all of them.
using SumOverTeam = std::function<void(Matrix<double>&)>;

// Orthonormal columns of the same span. A direction that is lost in rounding becomes a column of zeros.
void orthonormalise(
    RowMatrix<float>& X, const SumOverTeam& total = [](Matrix<double>&) {});

// V'Q, a row for each column of v.
template <class Scalar>
RowMatrix<float> VtQ(const Batch<Scalar>& v, const RowMatrix<float>& Q);

// A row of l signs for each item, whatever the others are.
RowMatrix<float> random_signs(const std::vector<Index>& items, Index l, const Random& random);

// Orthonormal columns, as many as those of X, whose span holds most of V: by a random projection X, with a
// row for each column of v, and power steps. Halko, Martinsson & Tropp, "Finding structure with randomness",
// SIAM Review 2011.
template <class Scalar>
RowMatrix<float> range_finder(const Batch<Scalar>& v, RowMatrix<float> X, const SumOverTeam& total);

// Orthonormal columns that complete Q to a basis of W as well: W = Q Q'W + R R'W.
RowMatrix<float> completion(const RowMatrix<float>& Q, const RowMatrix<float>& W);

// C (symmetric, positive) inverted in its leading directions.
Matrix<double> pseudo_inverse(const Matrix<double>& C, double drop);

// D of the model, as stacks of rows.
struct ModelPart {
  const float* data = nullptr;
  Index rows = 0;
};
using ModelParts = std::vector<ModelPart>;

// What one half of an iteration leaves for the other.
struct HalfStep {
  Matrix<double> gram;   // Y Y' of the extrapolated items
  Matrix<double> cross;  // D Y', rows of D by K
  Matrix<double> plain;  // X X' of the items themselves, where asked for
  double fit = 0;        // <X, C D>, where asked for
  double sum = 0;        // sum of all X, where asked for, else of all Y
};

// Extrapolated HALS on the items of one factor, with products C D from the model and Gram matrix G:
//   X <- sweeps from now + past (now - before), written over `before`;   Y = X + beyond (X - now).
class ModelHals {
 public:
  struct Task {
    ModelParts D;
    Index count = 0;
    const float* now = nullptr;
    float* before = nullptr;
    const Matrix<float>* C = nullptr;
    const Matrix<float>* G = nullptr;
    Shrink<float> shrink;
    int sweeps = 1;
    float past = 0;
    float beyond = 0;
    bool measure = false;
  };
  HalfStep& operator()(const Task& task);

 private:
  struct Partial {
    Matrix<float> gram, cross, plain;
    double fit = 0;
    double sum = 0;
  };
  std::vector<Partial> partial_;
  HalfStep total_;
};

}  // namespace svrmu
