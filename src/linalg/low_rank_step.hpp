// One half of an iteration of extrapolated HALS on a product U Z of low rank instead of V, in single
// precision: H moves with W'V = (W'U) Z, W with H V' = (H Z') U'.
#pragma once

#include <vector>

#include "linalg/kernels.hpp"
#include "svrmu/matrix.hpp"

namespace svrmu {

// Z or U', as stacks of rows; a column for each item of the factor that moves.
struct RowStack {
  const float* data = nullptr;
  Index rows = 0;
};
using LowRankFactor = std::vector<RowStack>;
Index rows_of(const LowRankFactor& factor);

// What one half of an iteration leaves for the other, summed over the items X and the points Xe beyond them.
struct HalfStep {
  Matrix<double> gram;   // Xe Xe'
  Matrix<double> cross;  // (Z or U') Xe'
  Matrix<double> plain;  // X X', where asked for
  double fit = 0;        // <X, A> with the products A that X was swept with, where asked for
  double sum = 0;        // of all X where <X, A> is asked for, else of all Xe; with an L1 penalty only
};

//   A = coefficients factor,   X <- sweeps from now + past (now - before),   Xe = X + beyond (X - now)
// X is written over `before`.
class LowRankStep {
 public:
  struct Task {
    LowRankFactor factor;
    Index count = 0;  // of items
    const float* now = nullptr;
    float* before = nullptr;
    const Matrix<float>* coefficients = nullptr;  // W'U or H Z'
    const Matrix<float>* G = nullptr;             // of the other factor's points: W'W or H H'
    Shrink<float> shrink;
    int sweeps = 1;
    float past = 0;
    float beyond = 0;
    bool measure = false;  // asks for X X' and <X, A>
  };
  HalfStep& operator()(const Task& task);

 private:
  struct Partial {
    Matrix<float> gram, cross, plain;
    double fit = 0;
    double sum = 0;
  };
  static void begin(const Task& task, Partial& sums);
  static void move_tile(const Task& task, Index begin, Index count, Partial& sums);
  static void add_products(const Task& task, Index begin, Index count, const float* x, const float* beyond,
                           const float* A, Partial& sums);
  void add_up(const Task& task, std::size_t parts);

  std::vector<Partial> partial_;
  HalfStep total_;
};

}  // namespace svrmu
