// The subset v, steps 1 and 7 of fast.cpp: some columns of V, drawn at random, the same for every size of a
// team. Every member of a team gets what the others hold of them: it travels as sums, with zeros where a
// member holds nothing.
#pragma once

#include <vector>

#include "data/feed.hpp"
#include "linalg/batch_copies.hpp"
#include "svrmu/matrix.hpp"

namespace svrmu::fast {

template <class Scalar>
class ColumnSubset {
 public:
  ColumnSubset(ColumnFeed<Scalar>& feed, Index count, Counted counted = Counted::columns);

  Index size() const { return static_cast<Index>(chosen_.size()); }
  const std::vector<Index>& columns() const { return chosen_; }  // increasing, counted over the whole team
  // Penalties on W refer to all of V: on the subset they weigh this share of it.
  double share_of_V() const {
    return static_cast<double>(size()) / static_cast<double>(feed_.total_samples());
  }

  // body(v) with this member's columns of a dense V, each contiguous. Not called if interrupted.
  template <class Body>
  void with_dense(const Body& body) const {
    for (const Batch<Scalar>& v : feed_.columns(chosen_, counted_)) with_contiguous_columns(v, body);
  }

  // Where the columns of a batch stand in the subset.
  template <class Any>
  std::vector<Index> places(const Batch<Any>& v) const {
    std::vector<Index> places(static_cast<std::size_t>(v.count));
    for (Index j = 0; j < v.count; ++j) places[static_cast<std::size_t>(j)] = place_of(v.sample(j));
    return places;
  }

  // All members' rows, one for each column of their batches, as the columns of the whole subset.
  Matrix<float> gather(const RowMatrix<float>& rows, const std::vector<Index>& places) const;

  // The subset of a sparse V. Interrupted: not to be used.
  SparseMatrix<float> of_sparse() const;

  // The columns of H that belong to it.
  Matrix<float> of_H(const Matrix<Scalar>& H) const;

 private:
  Index place_of(Index local_sample) const;
  void copy_columns(const Batch<Scalar>& v, SparseMatrix<float>& subset) const;
  void exchange_entries(SparseMatrix<float>& subset) const;

  ColumnFeed<Scalar>& feed_;
  Counted counted_;
  std::vector<Index> chosen_;
};

}  // namespace svrmu::fast
