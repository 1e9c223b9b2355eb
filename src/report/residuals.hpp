// Samples as their own model sees them.
#pragma once

#include "svrmu/report/model_page.hpp"

namespace svrmu::report {

// Some columns of V, dense.
template <class Scalar>
Matrix<Scalar> columns_of(const MatrixSource<Scalar>& V, const std::vector<Index>& samples);

// The outliers of some samples, dense; zeros where the model has none.
template <class Scalar>
Matrix<Scalar> outliers_of(const FitResult<Scalar>& fit, const std::vector<Index>& samples);

}  // namespace svrmu::report
