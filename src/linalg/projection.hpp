// Products of V with two bases side by side, in single precision: Y = [S T]'V has a column for each of V.
// Made for dense V.
#pragma once

#include "linalg/hals_step.hpp"
#include "svrmu/matrix.hpp"
#include "svrmu/source.hpp"

namespace svrmu {

struct BasisPair {
  const RowMatrix<float>& S;  // F x l
  const RowMatrix<float>& T;  // F x K
};

// Which rows of Y are wanted: S'V stays as it is where T alone has changed.
enum class ProjectedRows { all, of_T };

// y <- [S T]'v in the columns of Y that belong to the block.
template <class Scalar>
void project(const BasisPair& basis, ProjectedRows rows, const Batch<Scalar>& v, Matrix<float>& Y);

// The same; then h <- the step with a = W'v = WtST y, column by column while y is in the cache, where W lies
// in the span of the basis and WtST is W'[S T]. `copy` gets the new h as well; it may be H itself.
template <class Scalar>
void project_and_move_h(const BasisPair& basis, ProjectedRows rows, const Batch<Scalar>& v, Matrix<float>& Y,
                        const Matrix<float>& WtST, const HalsStep<float>& step, Matrix<float>& H,
                        Matrix<Scalar>& copy);

}  // namespace svrmu
