// Leading singular triplets of V from a few passes.
#pragma once

#include "data/feed.hpp"

namespace svrmu {

template <class Scalar>
struct TruncatedSvd {
  RowMatrix<Scalar> U;     // F x K
  Eigen::VectorXd values;  // K
  Matrix<Scalar> SVt;      // K x N, this member's columns of S V'
};

// Halko, Martinsson & Tropp, "Finding structure with randomness", SIAM Review 2011: a random range finder
// with power steps. Exact when the smaller side of V is at most 64. Cancelled when the feed is interrupted.
template <class Scalar>
TruncatedSvd<Scalar> truncated_svd(ColumnFeed<Scalar>& feed, Index K, std::uint64_t seed);

}  // namespace svrmu
