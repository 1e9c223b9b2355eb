#include "fit/result.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <numeric>
#include <type_traits>
#include <utility>

#include "linalg/batch_products.hpp"
#include "linalg/copies.hpp"
#include "text/text.hpp"

namespace svrmu {
namespace {

// Stored R on the pattern of sparse V, without its zeros.
template <class Scalar>
SparseMatrix<Scalar> stored_outliers(ColumnFeed<Scalar>& feed, const Outliers<Scalar>& R, Scalar unit) {
  std::vector<Eigen::Triplet<Scalar, Index>> entries_of_R;
  for (const Batch<Scalar>& v : feed.blocks(Counted::columns))
    std::visit(
        [&](const auto& data) {
          if constexpr (!std::is_same_v<std::decay_t<decltype(data)>, DenseColumns<Scalar>>)
            for (Index j = 0; j < v.count; ++j) {
              const auto e = entries(v, data, j);
              const Index n = v.sample(j);
              const Scalar* r = R.values.data() + R.offsets[static_cast<std::size_t>(n)];
              for (Index p = 0; p < e.count; ++p)
                if (r[p] > 0) entries_of_R.emplace_back(static_cast<Index>(e.rows[p]), n, r[p] * unit);
            }
        },
        v.data);
  SparseMatrix<Scalar> out(feed.features(), feed.samples());
  out.setFromTriplets(entries_of_R.begin(), entries_of_R.end());
  return out;
}

// Columns of W to norm 1, their weight moved to H, the heaviest component first.
template <class Scalar>
void normalise(const ColumnFeed<Scalar>& feed, RowMatrix<Scalar>& W, Matrix<Scalar>& H) {
  const Index K = W.cols();
  std::vector<double> weight(static_cast<std::size_t>(K));
  for (Index k = 0; k < K; ++k) {
    const double w = std::sqrt(W.col(k).template cast<double>().squaredNorm());
    const double h =
        std::sqrt(feed.total(static_cast<double>(H.row(k).template cast<double>().squaredNorm())));
    weight[static_cast<std::size_t>(k)] = w * h;
    if (!(w > 0)) continue;
    W.col(k) = (W.col(k).template cast<double>() / w).template cast<Scalar>();
    H.row(k) = (H.row(k).template cast<double>() * w).template cast<Scalar>();
  }
  std::vector<Index> order(static_cast<std::size_t>(K));
  std::iota(order.begin(), order.end(), Index{0});
  std::stable_sort(order.begin(), order.end(), [&](Index a, Index b) {
    return weight[static_cast<std::size_t>(a)] > weight[static_cast<std::size_t>(b)];
  });
  const RowMatrix<Scalar> W_before = W;
  const Matrix<Scalar> H_before = H;
  for (Index k = 0; k < K; ++k) {
    W.col(k) = W_before.col(order[static_cast<std::size_t>(k)]);
    H.row(k) = H_before.row(order[static_cast<std::size_t>(k)]);
  }
}

}  // namespace

template <class Scalar>
typename Checkpoint<Scalar>::Iterate to_iterate(Factors<Scalar> f) {
  return {std::move(f.W), std::move(f.H), std::move(f.R.dense), std::move(f.R.values)};
}

template <class Scalar>
Factors<Scalar> to_factors(const typename Checkpoint<Scalar>::Iterate& iterate) {
  Factors<Scalar> f;
  f.W = iterate.W;
  f.H = iterate.H;
  f.R.dense = iterate.R;
  f.R.values = iterate.R_values;
  return f;
}

template <class Scalar>
SparseMatrix<Scalar> closed_form_outliers(ColumnFeed<Scalar>& feed, const RowMatrix<Scalar>& W,
                                          const Matrix<Scalar>& H, Scalar lambda) {
  std::vector<Eigen::Triplet<Scalar, Index>> found;
  std::vector<Scalar> column(static_cast<std::size_t>(feed.features()));
  for (const Batch<Scalar>& v : feed.blocks(Counted::columns))
    for (Index j = 0; j < v.count; ++j) {
      const Index n = v.sample(j);
      copy_block(v, 0, v.features, j, j + 1, column.data());
      for (Index i = 0; i < v.features; ++i) {
        const Scalar value = column[static_cast<std::size_t>(i)];
        if (!(value > lambda)) continue;
        const Scalar r = value - kernels<Scalar>().dot(W.row(i).data(), H.col(n).data(), W.cols()) - lambda;
        if (r > 0) found.emplace_back(i, n, r);
      }
    }
  SparseMatrix<Scalar> R(feed.features(), feed.samples());
  R.setFromTriplets(found.begin(), found.end());
  return R;
}

template <class Scalar>
void fill_outputs(ColumnFeed<Scalar>& feed, const DataTerm<Scalar>& term, const Scaling& scaling,
                  const Factors<Scalar>& f, bool normalize, FitResult<Scalar>& result) {
  feed.begin_epoch(0);  // forget the interruption that ended the solver's last pass
  const auto unscaled = []<class M>(const M& from, double scale, M& to) {
    const auto factor = static_cast<Scalar>(1 / scale);
    to.resize(from.rows(), from.cols());
    parallel_tiles(from.size(), copied_tile, [&](Index begin, Index end) {
      kernels<Scalar>().scale_above_floor(factor, from.data() + begin, end - begin, to.data() + begin);
    });
  };
  unscaled(f.W, scaling.w, result.W);
  unscaled(f.H, scaling.h, result.H);
  const auto unit = static_cast<Scalar>(1 / scaling.v);
  if (term.outliers == OutlierModel::closed_form) {
    result.R_sparse = closed_form_outliers(feed, f.W, f.H, term.lambda);
    result.R_sparse *= unit;
  } else if (f.R.dense.size() > 0) {
    result.R = f.R.dense * unit;
  } else if (!f.R.offsets.empty()) {
    result.R_sparse = stored_outliers(feed, f.R, unit);
  }
  if (normalize) normalise(feed, result.W, result.H);
}

template <class Scalar>
std::string summary(const FitResult<Scalar>& result) {
  const EpochRecord& start = result.history.front();
  const EpochRecord& at = result.record();
  const EpochRecord& last = result.history.back();
  const auto digits = [](double x) {
    std::array<char, 32> buffer;
    const auto end =
        std::to_chars(buffer.data(), buffer.data() + buffer.size(), x, std::chars_format::general, 5);
    return std::string(buffer.data(), end.ptr);
  };
  std::string text = std::string(name_of(result.solver)) + ", rank " + std::to_string(result.rank) + ", " +
                     to_string(result.loss) + " loss: objective " + digits(start.objective) + " -> " +
                     digits(at.objective) + ", relative error " + digits(at.relative_error) + "\n";
  text += "stopped by " + std::string(to_string(result.reason)) + " after epoch " +
          std::to_string(last.epoch) + ", " + digits(last.solver_seconds) + " s in the solver, " +
          digits(last.evaluate_seconds) + " s evaluating";
  if (last.rollbacks > 0) text += ", " + std::to_string(last.rollbacks) + " epochs undone by the safeguard";
  text += "\n";
  for (const std::string& warning : result.warnings) text += "note: " + warning + "\n";
  return text;
}

#define SVRMU_INSTANTIATE(S)                                                                                 \
  template Checkpoint<S>::Iterate to_iterate<S>(Factors<S>);                                                 \
  template Factors<S> to_factors<S>(const Checkpoint<S>::Iterate&);                                          \
  template SparseMatrix<S> closed_form_outliers<S>(ColumnFeed<S>&, const RowMatrix<S>&, const Matrix<S>&,    \
                                                   S);                                                       \
  template void fill_outputs<S>(ColumnFeed<S>&, const DataTerm<S>&, const Scaling&, const Factors<S>&, bool, \
                                FitResult<S>&);                                                              \
  template std::string summary<S>(const FitResult<S>&);
SVRMU_INSTANTIATE(float)
SVRMU_INSTANTIATE(double)
#undef SVRMU_INSTANTIATE

}  // namespace svrmu
