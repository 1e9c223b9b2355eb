// The sections of a model's report that show its factors and its samples.
#pragma once

#include "report/components.hpp"

namespace svrmu::report {

// "12.5 %" of 0.125.
std::string percent(double share);

// True if the model has outliers.
template <class Scalar>
bool has_r(const FitResult<Scalar>& fit) {
  return fit.R.size() > 0 || fit.R_sparse.size() > 0;
}

// What the components are: pictures, bars or spectra, then their weights and sparsity.
template <class Scalar>
Section components_section(const io::Model<Scalar>& model, const Components& components,
                           const std::optional<ImageShape>& image);

// How like each other the components are.
template <class Scalar>
Section similarity_section(const FitResult<Scalar>& fit, const Components& components);

// How much of each sample each component is.
template <class Scalar>
Section activations_section(const FitResult<Scalar>& fit, const Components& components);

// How well each sample is fitted. It needs `options.V`.
template <class Scalar>
Section residual_section(const io::Model<Scalar>& model, const Components& components,
                         const ModelReportOptions<Scalar>& options);

// What the outliers R are.
template <class Scalar>
Section outlier_section(const io::Model<Scalar>& model, const ModelReportOptions<Scalar>& options);

}  // namespace svrmu::report
