// The start of a fit, in working units.
#pragma once

#include "data/factors.hpp"
#include "data/feed.hpp"
#include "fit/scaling.hpp"
#include "svrmu/fit.hpp"

namespace svrmu {

// Given factors are taken (and scaled), the others made. The scaling of W and H is settled here.
template <class Scalar>
Factors<Scalar> initialize(ColumnFeed<Scalar>& feed, const FitOptions<Scalar>& options, std::uint64_t seed,
                           const Scan& scan, bool floor_zeros, Scaling& scaling);

// R on every entry of dense V, or on the stored entries of sparse V.
template <class Scalar>
Outliers<Scalar> initialize_outliers(ColumnFeed<Scalar>& feed, const GivenStart<Scalar>& given,
                                     OutlierStart start, std::uint64_t seed, const Scan& scan,
                                     const Scaling& scaling, const Factors<Scalar>& f);

}  // namespace svrmu
