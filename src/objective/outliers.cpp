#include "objective/outliers.hpp"

#include <vector>

#include "linalg/columns.hpp"
#include "linalg/elements.hpp"
#include "objective/entrywise.hpp"

namespace svrmu {

template <class Scalar>
SparseMatrix<Scalar> closed_form_outliers(ColumnFeed<Scalar>& feed, const RowMatrix<Scalar>& W,
                                          const Matrix<Scalar>& H, Scalar lambda) {
  std::vector<Eigen::Triplet<Scalar, Index>> found;
  for (const Batch<Scalar>& v : feed.blocks(Counted::columns))
    for (Index j = 0; j < v.count; ++j) {
      const Index n = v.sample(j);
      for_entries(v, j, [&](Index f, Scalar value) {
        if (!(value > lambda)) return;
        const Scalar r = value - dot(W.row(f).data(), H.col(n).data(), W.cols()) - lambda;
        if (r > 0) found.emplace_back(f, n, r);
      });
    }
  SparseMatrix<Scalar> R(feed.features(), feed.samples());
  R.setFromTriplets(found.begin(), found.end());
  return R;
}

template <class Scalar>
SparseMatrix<Scalar> kept_outliers(ColumnFeed<Scalar>& feed, const Outliers<Scalar>& R, Scalar unit) {
  std::vector<Eigen::Triplet<Scalar, Index>> kept;
  for (const Batch<Scalar>& v : feed.blocks(Counted::columns))
    for (Index j = 0; j < v.count; ++j) {
      const Scalar* r = stored_outliers(R, v, j);
      for_entries(v, j, [&](Index f, Scalar) {
        if (*r > 0) kept.emplace_back(f, v.sample(j), *r * unit);
        ++r;
      });
    }
  SparseMatrix<Scalar> out(feed.features(), feed.samples());
  out.setFromTriplets(kept.begin(), kept.end());
  return out;
}

#define SVRMU_INSTANTIATE(S)                                                                              \
  template SparseMatrix<S> closed_form_outliers<S>(ColumnFeed<S>&, const RowMatrix<S>&, const Matrix<S>&, \
                                                   S);                                                    \
  template SparseMatrix<S> kept_outliers<S>(ColumnFeed<S>&, const Outliers<S>&, S);
SVRMU_INSTANTIATE(float)
SVRMU_INSTANTIATE(double)
#undef SVRMU_INSTANTIATE

}  // namespace svrmu
