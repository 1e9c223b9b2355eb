// Some columns of V, drawn at random, the same for every size of a team. What every member gets of them all
// travels as sums with zeros.
#pragma once

#include <algorithm>
#include <numeric>
#include <type_traits>
#include <vector>

#include "data/factors.hpp"
#include "data/feed.hpp"
#include "linalg/batch_products.hpp"
#include "linalg/parallel.hpp"
#include "linalg/products.hpp"

namespace svrmu {

template <class Scalar>
class ColumnSubset {
 public:
  ColumnSubset(ColumnFeed<Scalar>& feed, Index count, Counted counted = Counted::columns)
      : feed_(feed), counted_(counted), chosen_(draw_columns(feed.total_samples(), count, feed.seed())) {}

  Index size() const { return static_cast<Index>(chosen_.size()); }

  // body(v) with this member's columns of a dense V, each contiguous: where they lie, or else in a copy,
  // since many looks at columns that are scattered over the memory would take longer. Not called if
  // interrupted.
  template <class Body>
  void look_at_dense(const Body& body) const {
    for (const Batch<Scalar>& v : feed_.columns(chosen_, counted_)) {
      if (std::get<DenseColumns<Scalar>>(v.data).feature_stride == 1) {
        body(v);
        continue;
      }
      Matrix<float> copy(v.features, v.count);
      parallel_for(v.count, [&](Index j) { copy_block(v, 0, v.features, j, j + 1, copy.col(j).data()); });
      Batch<float> copied;
      copied.data = DenseColumns<float>{copy.data(), 1, copy.rows()};
      copied.count = v.count;
      copied.features = v.features;
      copied.samples = v.samples;
      body(copied);
    }
  }

  // ||V||^2 over all members' columns, as look_at_dense() shows them.
  template <class Any>
  double squared_norm(const Batch<Any>& v) const {
    const auto& data = std::get<DenseColumns<Any>>(v.data);
    std::vector<double> squares(static_cast<std::size_t>(v.count));
    parallel_for(v.count, [&](Index j) {
      squares[static_cast<std::size_t>(j)] =
          norms(data.data + v.column(j) * data.column_stride, v.features).squared;
    });
    const auto scale = static_cast<double>(v.scale);
    return feed_.total(scale * scale * std::accumulate(squares.begin(), squares.end(), 0.0));
  }

  // Where the columns of a batch stand in the subset.
  template <class Any>
  std::vector<Index> places(const Batch<Any>& v) const {
    std::vector<Index> places(static_cast<std::size_t>(v.count));
    for (Index j = 0; j < v.count; ++j) places[static_cast<std::size_t>(j)] = place_of(v.sample(j));
    return places;
  }

  // All members' rows of X, one for each column of their batches, as the columns of the whole subset.
  Matrix<float> gather(const RowMatrix<float>& X, const std::vector<Index>& places) const {
    Matrix<float> all = Matrix<float>::Zero(X.cols(), size());
    for (Index j = 0; j < X.rows(); ++j) all.col(places[static_cast<std::size_t>(j)]) = X.row(j).transpose();
    feed_.total(all);
    return all;
  }

  // Sparse V in single precision. Interrupted: not to be used.
  SparseMatrix<float> of_sparse() const {
    SparseMatrix<float> V(feed_.features(), size());
    for (const Batch<Scalar>& v : feed_.columns(chosen_, counted_))
      std::visit(
          [&](const auto& data) {
            if constexpr (!is_dense<std::decay_t<decltype(data)>>) copy_sparse(v, data, V);
          },
          v.data);
    return V;
  }

  // The columns of H that belong to it.
  Matrix<Scalar> of_H(const Matrix<Scalar>& H) const {
    Matrix<Scalar> part = Matrix<Scalar>::Zero(H.rows(), size());
    for (std::size_t i = 0; i < chosen_.size(); ++i)
      if (chosen_[i] % feed_.members() == feed_.member())
        part.col(static_cast<Index>(i)) = H.col(chosen_[i] / feed_.members());
    feed_.total(part);
    return part;
  }

 private:
  // Whole numbers travel in two parts that even a float holds exactly.
  static constexpr Index base = Index{1} << 20;
  static void put(Index number, Scalar* to) {
    const Index high = number / base;
    to[0] = static_cast<Scalar>(high);
    to[1] = static_cast<Scalar>(number % base);
  }
  static Index get(const Scalar* from) {
    return static_cast<Index>(from[0]) * base + static_cast<Index>(from[1]);
  }

  Index place_of(Index local) const {
    const Index sample = feed_.global_sample(local);
    return std::lower_bound(chosen_.begin(), chosen_.end(), sample) - chosen_.begin();
  }

  // What members hold of the subset is disjoint, and zero elsewhere.
  template <class Offset>
  void copy_sparse(const Batch<Scalar>& v, const SparseColumns<Scalar, Offset>& data,
                   SparseMatrix<float>& V) const {
    Matrix<Scalar> counts = Matrix<Scalar>::Zero(2, size());
    for (Index j = 0; j < v.count; ++j)
      put(entries(v, data, j).count, counts.col(place_of(v.sample(j))).data());
    feed_.total(counts);
    Index* offsets = V.outerIndexPtr();
    offsets[0] = 0;
    for (Index j = 0; j < size(); ++j) offsets[j + 1] = offsets[j] + get(counts.col(j).data());

    V.resizeNonZeros(offsets[size()]);
    if (feed_.members() > 1) {
      std::fill_n(V.innerIndexPtr(), V.nonZeros(), Index{0});
      std::fill_n(V.valuePtr(), V.nonZeros(), 0.0F);
    }
    parallel_tiles(v.count, column_tile, [&](Index j0, Index j1) {
      for (Index j = j0; j < j1; ++j) {
        const auto e = entries(v, data, j);
        const Index first = offsets[place_of(v.sample(j))];
        std::copy_n(e.rows, e.count, V.innerIndexPtr() + first);
        for (Index p = 0; p < e.count; ++p)
          V.valuePtr()[first + p] = static_cast<float>(v.scale * e.values[p]);
      }
    });
    if (feed_.members() > 1) exchange_entries(V);
  }

  void exchange_entries(SparseMatrix<float>& V) const {
    Matrix<Scalar> all(3, V.nonZeros());  // row (in two parts) and value
    for (Index p = 0; p < all.cols(); ++p) {
      put(V.innerIndexPtr()[p], all.col(p).data());
      all(2, p) = static_cast<Scalar>(V.valuePtr()[p]);
    }
    feed_.total(all);
    for (Index p = 0; p < all.cols(); ++p) {
      V.innerIndexPtr()[p] = get(all.col(p).data());
      V.valuePtr()[p] = static_cast<float>(all(2, p));
    }
  }

  ColumnFeed<Scalar>& feed_;
  Counted counted_;
  std::vector<Index> chosen_;
};

}  // namespace svrmu
