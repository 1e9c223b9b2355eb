// The numbers of a batch in single precision, wherever and however it stores them; and their norm.
#pragma once

#include <variant>
#include <vector>

#include "linalg/batch_products.hpp"
#include "linalg/parallel.hpp"
#include "svrmu/matrix.hpp"
#include "svrmu/source.hpp"

namespace svrmu {

// body(v) where each column of a dense batch is contiguous, else body() of a copy of it in single precision:
// to read columns that are scattered over the memory many times would take longer.
template <class Scalar, class Body>
void with_contiguous_columns(const Batch<Scalar>& v, const Body& body) {
  if (std::get<DenseColumns<Scalar>>(v.data).feature_stride == 1) return body(v);
  Matrix<float> numbers(v.features, v.count);
  parallel_for(v.count, [&](Index j) { copy_block(v, 0, v.features, j, j + 1, numbers.col(j).data()); });
  Batch<float> copy;
  copy.data = DenseColumns<float>{numbers.data(), 1, numbers.rows()};
  copy.count = v.count;
  copy.features = v.features;
  copy.samples = v.samples;
  body(copy);
}

// Where the columns of a dense batch are scattered over the memory and are not many, they become those of a
// copy in `into`: a batch is read several times, and each number would be fetched with its neighbors.
template <class Scalar>
void pack_columns(Batch<Scalar>& v, std::vector<Scalar>& into);

// ||v||^2 of a dense batch whose columns are contiguous.
template <class Scalar>
double squared_norm(const Batch<Scalar>& v);

// How many entries each column of a sparse batch has.
template <class Scalar>
std::vector<Index> entry_counts(const Batch<Scalar>& v);

// The entries of a sparse batch, scaled: those of its column j go to rows[first[j]] and values[first[j]]
// onward.
template <class Scalar>
void copy_entries(const Batch<Scalar>& v, const std::vector<Index>& first, Index* rows, float* values);

}  // namespace svrmu
