// Extrapolated HALS on a model V ~ U Y of low rank instead of V, in single precision: the cheap iterations of
// `fast` between two visits of V.
#pragma once

#include <functional>

#include "linalg/low_rank.hpp"
#include "solvers/momentum.hpp"

namespace svrmu {

// The factors of a model in single precision, with room for the iterate before.
struct ModelFactors {
  RowMatrix<float>& W;
  Matrix<float>& H;
  RowMatrix<float>& spare_W;
  Matrix<float>& spare_H;
};

class ModelDescent {
 public:
  struct Setting {
    Shrink<float> on_w;
    Shrink<float> on_h;
    int sweeps = 4;
  };
  // Totals what a half step summed over the columns of one team member.
  using Total = std::function<void(HalfStep&)>;
  // Told the iteration's number and objective (without 1/2||V||^2), says whether to end.
  using Done = std::function<bool(int, double)>;

  // Y has a column for each column of H, U a row for each row of W.
  void operator()(const ModelParts& U, const ModelParts& Y, const ModelFactors& f, const Setting& setting,
                  Momentum& momentum, const Total& total, const Done& done);

 private:
  ModelHals on_h_;
  ModelHals on_w_;
};

// V^ = Q Q'V + R R'V + C~ H, made at a visit of V at (W, H): Q is the sketch, R completes it so that it spans
// W, and C~ = (V H' - [Q R] [Q R]'V H') (H H')^-1. Then W'V^ = W'V and V^ H' = V H': value and gradient are
// those of V at (W, H), and the value is exact for any W at H and for any H at W.
class Surrogate {
 public:
  // For the products of Q and R with N columns of V.
  void make_room(Index N) { Y.resize(stride(), N); }
  Index stride() const { return Q.cols() + R.cols(); }
  Index rank() const { return Q.cols() + 2 * R.cols(); }

  // From V H', H H' and H at the visit that filled Y.
  void build(RowMatrix<float> VHt, const Matrix<double>& HHt, const Matrix<float>& H,
             const SumOverTeam& total);

  // [Q R C~] and [Q'V; R'V; H].
  ModelParts left() const { return {{Q.data(), Q.cols()}, {R.data(), R.cols()}, {C.data(), C.cols()}}; }
  ModelParts right(const Matrix<float>& H) const { return {{Y.data(), Y.rows()}, {H.data(), H.rows()}}; }

  RowMatrix<float> Q;  // F x l
  RowMatrix<float> R;  // F x K
  Matrix<float> Y;     // (l + K) x N: Q'V and R'V
  RowMatrix<float> C;  // F x K: C~
};

}  // namespace svrmu
