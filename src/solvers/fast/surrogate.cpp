#include "solvers/fast/surrogate.hpp"

#include <utility>

#include "linalg/gram_matrices.hpp"
#include "solvers/fast/constants.hpp"

namespace svrmu::fast {

bool Surrogate::make_room(Index N) {
  const bool had_none = Y.size() == 0;
  if (had_none) Y.resize(S.cols() + T.cols(), N);
  return had_none;
}

Matrix<float> Surrogate::coordinates(const RowMatrix<float>& W) const {
  const Index K = W.cols();
  Matrix<float> WtST(K, S.cols() + T.cols());
  WtST.leftCols(S.cols()) = cross_sum(W.data(), K, S.data(), S.cols(), W.rows()).cast<float>();
  WtST.rightCols(T.cols()) = cross_sum(W.data(), K, T.data(), T.cols(), W.rows()).cast<float>();
  return WtST;
}

void Surrogate::correct(RowMatrix<float> VHt, const Matrix<double>& HHt, const Matrix<float>& H,
                        const SumOverTeam& total) {
  // D <- (V H' - [S T] Y H') (H H')^-1, with V H' as the room for D
  Matrix<double> YHt = cross_sum(Y.data(), Y.rows(), H.data(), H.rows(), H.cols());
  total(YHt);
  add_transformed(-YHt.topRows(S.cols()).transpose().cast<float>(), S, VHt);
  add_transformed(-YHt.bottomRows(T.cols()).transpose().cast<float>(), T, VHt);
  D = std::move(VHt);
  transform(pseudo_inverse(HHt, drop_of_HHt).cast<float>(), D);
}

LowRankProduct Surrogate::product(const Matrix<float>& Hs) const {
  return {.U = {{S.data(), S.cols()}, {T.data(), T.cols()}, {D.data(), D.cols()}},
          .Z = {{Y.data(), Y.rows()}, {Hs.data(), Hs.rows()}}};
}

}  // namespace svrmu::fast
