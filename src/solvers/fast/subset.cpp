#include "solvers/fast/subset.hpp"

#include <algorithm>

namespace svrmu::fast {
namespace {

// Whole numbers travel in two parts that even a float holds exactly.
constexpr Index base = Index{1} << 20;
template <class Scalar>
void put(Index number, Scalar* to) {
  const Index high = number / base;
  to[0] = static_cast<Scalar>(high);
  to[1] = static_cast<Scalar>(number % base);
}
template <class Scalar>
Index get(const Scalar* from) {
  return static_cast<Index>(from[0]) * base + static_cast<Index>(from[1]);
}

}  // namespace

template <class Scalar>
ColumnSubset<Scalar>::ColumnSubset(ColumnFeed<Scalar>& feed, Index count, Counted counted)
    : feed_(feed), counted_(counted), chosen_(draw_columns(feed.total_samples(), count, feed.seed())) {}

template <class Scalar>
Index ColumnSubset<Scalar>::place_of(Index local_sample) const {
  const Index sample = feed_.global_sample(local_sample);
  return std::lower_bound(chosen_.begin(), chosen_.end(), sample) - chosen_.begin();
}

template <class Scalar>
Matrix<float> ColumnSubset<Scalar>::gather(const RowMatrix<float>& rows,
                                           const std::vector<Index>& places) const {
  Matrix<float> all = Matrix<float>::Zero(rows.cols(), size());
  for (Index j = 0; j < rows.rows(); ++j)
    all.col(places[static_cast<std::size_t>(j)]) = rows.row(j).transpose();
  feed_.total(all);
  return all;
}

template <class Scalar>
Matrix<float> ColumnSubset<Scalar>::of_H(const Matrix<Scalar>& H) const {
  Matrix<Scalar> part = Matrix<Scalar>::Zero(H.rows(), size());
  for (Index i = 0; i < size(); ++i)
    if (const auto local = feed_.local_sample(chosen_[static_cast<std::size_t>(i)]))
      part.col(i) = H.col(*local);
  feed_.total(part);
  return part.template cast<float>();
}

template <class Scalar>
SparseMatrix<float> ColumnSubset<Scalar>::of_sparse() const {
  SparseMatrix<float> subset(feed_.features(), size());
  for (const Batch<Scalar>& v : feed_.columns(chosen_, counted_)) copy_columns(v, subset);
  return subset;
}

// A batch's columns to their places. What members hold of the subset is disjoint, and zero elsewhere.
template <class Scalar>
void ColumnSubset<Scalar>::copy_columns(const Batch<Scalar>& v, SparseMatrix<float>& subset) const {
  const std::vector<Index> place = places(v);
  const std::vector<Index> own = entry_counts(v);
  Matrix<Scalar> counts = Matrix<Scalar>::Zero(2, size());
  for (std::size_t j = 0; j < own.size(); ++j) put(own[j], counts.col(place[j]).data());
  feed_.total(counts);
  Index* offsets = subset.outerIndexPtr();
  offsets[0] = 0;
  for (Index i = 0; i < size(); ++i) offsets[i + 1] = offsets[i] + get(counts.col(i).data());

  subset.resizeNonZeros(offsets[size()]);
  if (feed_.members() > 1) {
    std::fill_n(subset.innerIndexPtr(), subset.nonZeros(), Index{0});
    std::fill_n(subset.valuePtr(), subset.nonZeros(), 0.0F);
  }
  std::vector<Index> first(place.size());
  std::transform(place.begin(), place.end(), first.begin(), [&](Index i) { return offsets[i]; });
  copy_entries(v, first, subset.innerIndexPtr(), subset.valuePtr());
  if (feed_.members() > 1) exchange_entries(subset);
}

template <class Scalar>
void ColumnSubset<Scalar>::exchange_entries(SparseMatrix<float>& subset) const {
  Matrix<Scalar> all(3, subset.nonZeros());  // row (in two parts) and value
  for (Index p = 0; p < all.cols(); ++p) {
    put(subset.innerIndexPtr()[p], all.col(p).data());
    all(2, p) = static_cast<Scalar>(subset.valuePtr()[p]);
  }
  feed_.total(all);
  for (Index p = 0; p < all.cols(); ++p) {
    subset.innerIndexPtr()[p] = get(all.col(p).data());
    subset.valuePtr()[p] = static_cast<float>(all(2, p));
  }
}

template class ColumnSubset<float>;
template class ColumnSubset<double>;

}  // namespace svrmu::fast
