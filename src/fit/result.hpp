// From working factors to what the caller gets, and back.
#pragma once

#include "data/factors.hpp"
#include "data/feed.hpp"
#include "fit/scaling.hpp"
#include "objective/data_term.hpp"
#include "svrmu/fit.hpp"

namespace svrmu {

template <class Scalar>
typename Checkpoint<Scalar>::Iterate to_iterate(Factors<Scalar> f);
template <class Scalar>
Factors<Scalar> to_factors(const typename Checkpoint<Scalar>::Iterate& iterate);

// W, H and R in the caller's units. Entries at the floor become exact zeros, but for losses to which v > 0 at
// Wh = 0 is infinite (beta <= 1): there only rows and columns without a value in V do.
template <class Scalar>
void fill_outputs(ColumnFeed<Scalar>& feed, const Scan& scan, const DataTerm<Scalar>& term,
                  const Scaling& scaling, const Factors<Scalar>& f, bool normalize,
                  FitResult<Scalar>& result);

}  // namespace svrmu
