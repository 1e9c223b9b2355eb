// A start for other losses: where the Frobenius loss is small, theirs is not far from it, and `fast` is there
// in a few visits of V.
#pragma once

#include "data/factors.hpp"
#include "data/feed.hpp"
#include "fit/scaling.hpp"
#include "fit/scan.hpp"

namespace svrmu {

// Moves f by some epochs of `fast` and lifts its zeros, which a multiplicative step could not leave.
template <class Scalar>
void descend_frobenius(const MatrixSource<Scalar>& source, const Team& team, const Scan& scan,
                       const Scaling& scaling, ColumnFeed<Scalar>& feed, Factors<Scalar>& f);

}  // namespace svrmu
