// What a model's components are like.
#pragma once

#include "svrmu/report/model_page.hpp"

namespace svrmu::report {

struct Component {
  Index number = 0;       // column of W, row of H
  double share = 0;       // of the sum of all entries of WH; NaN without H
  double sparsity_w = 0;  // Hoyer's measure: 0 all alike, 1 a single entry; NaN of nothing
  double sparsity_h = 0;
  double zeros_w = 0;   // share of entries that are 0, or nothing beside the largest
  double zeros_h = 0;   // NaN without H
  Index dominated = 0;  // samples of which it is the largest part
};

struct Components {
  std::vector<Component> list;  // heaviest first; in the order of W without H
  std::vector<Index> dominant;  // place in the list of each sample's largest component, -1: sample is all 0
  std::vector<double> contribution;  // by number: sum of the column of W, what one unit of H is worth
};

template <class Scalar>
Components components_of(const FitResult<Scalar>& fit);

double hoyer_sparsity(double count, double sum, double sum_of_squares);

// Cosines between columns of W, in the order of the list, row by row, for the first `count`.
template <class Scalar>
std::vector<double> similarities(const FitResult<Scalar>& fit, const Components& components, Index count);

// The samples in the order of their dominant component, and within it by its share.
template <class Scalar>
std::vector<Index> by_dominant(const FitResult<Scalar>& fit, const Components& components);

// How much of a sample each component is, in the order of the list.
template <class Scalar>
std::vector<double> shares_of_sample(const FitResult<Scalar>& fit, const Components& components,
                                     Index sample);

// Places of the largest positive values, largest first.
template <class Scalar>
std::vector<Index> strongest_features(const FitResult<Scalar>& fit, Index component, Index count);
// The same of those that are higher than their neighbors.
template <class Scalar>
std::vector<Index> highest_peaks(const FitResult<Scalar>& fit, Index component, Index count);

// The numbers that the names are, if they are increasing numbers: the axis of a spectrum. Else nothing.
std::vector<double> numeric_names(const std::vector<std::string>& names);

std::string feature_name(const std::vector<std::string>& names, Index feature);
std::string sample_name(const std::vector<std::string>& names, Index sample);

}  // namespace svrmu::report
