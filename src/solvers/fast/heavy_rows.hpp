// The rows of a sparse subset v with the largest sums of squares. In texts and counts most rows are light: a
// small share of them carries most of v.
#pragma once

#include <algorithm>
#include <numeric>
#include <vector>

#include "svrmu/matrix.hpp"

namespace svrmu::fast {

class HeavyRows {
 public:
  // The `count` heaviest; of equal ones the first.
  HeavyRows(const SparseMatrix<float>& v, Index count) : rows_(static_cast<std::size_t>(v.rows())) {
    std::vector<double> weights(rows_.size(), 0);
    for (Index p = 0; p < v.nonZeros(); ++p) {
      const auto value = static_cast<double>(v.valuePtr()[p]);
      weights[static_cast<std::size_t>(v.innerIndexPtr()[p])] += value * value;
    }
    const auto weight = [&](Index row) { return weights[static_cast<std::size_t>(row)]; };
    std::iota(rows_.begin(), rows_.end(), Index{0});
    if (count < v.rows()) {
      std::nth_element(rows_.begin(), rows_.begin() + count, rows_.end(), [&](Index a, Index b) {
        return weight(a) != weight(b) ? weight(a) > weight(b) : a < b;
      });
      rows_.resize(static_cast<std::size_t>(count));
      std::sort(rows_.begin(), rows_.end());
    }
    double kept = 0;
    for (const Index row : rows_) kept += weight(row);
    const double all = std::accumulate(weights.begin(), weights.end(), 0.0);
    share_ = all > 0 ? kept / all : 1;
  }

  double share() const { return share_; }  // of ||v||^2

  // These rows of v, and of W.
  SparseMatrix<float> of(const SparseMatrix<float>& v) const {
    std::vector<Index> places(static_cast<std::size_t>(v.rows()), -1);
    for (std::size_t i = 0; i < rows_.size(); ++i)
      places[static_cast<std::size_t>(rows_[i])] = static_cast<Index>(i);
    SparseMatrix<float> part(static_cast<Index>(rows_.size()), v.cols());
    part.reserve(v.nonZeros());
    for (Index j = 0; j < v.cols(); ++j) {
      part.startVec(j);
      for (SparseMatrix<float>::InnerIterator entry(v, j); entry; ++entry)
        if (const Index place = places[static_cast<std::size_t>(entry.row())]; place >= 0)
          part.insertBack(place, j) = entry.value();
    }
    part.finalize();
    return part;
  }

  template <class Scalar>
  RowMatrix<float> of_W(const RowMatrix<Scalar>& W) const {
    RowMatrix<float> part(static_cast<Index>(rows_.size()), W.cols());
    for (std::size_t i = 0; i < rows_.size(); ++i)
      part.row(static_cast<Index>(i)) = W.row(rows_[i]).template cast<float>();
    return part;
  }
  // The rows of `part` to their places in W.
  void put(const RowMatrix<float>& part, RowMatrix<float>& W) const {
    for (std::size_t i = 0; i < rows_.size(); ++i) W.row(rows_[i]) = part.row(static_cast<Index>(i));
  }

 private:
  std::vector<Index> rows_;  // in ascending order
  double share_ = 1;
};

}  // namespace svrmu::fast
