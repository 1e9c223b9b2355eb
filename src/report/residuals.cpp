#include "report/residuals.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "linalg/columns.hpp"

namespace svrmu::report {
namespace {

constexpr Index batch_size = 64;

PassOrder whole_pass(Index samples) {
  PassOrder order;
  for (Index end = 0; end < samples;) {
    end = std::min(end + batch_size, samples);
    order.ends.push_back(end);
  }
  return order;
}

// Calls body for each batch of one pass over V.
template <class Scalar, class Body>
void for_batches(const MatrixSource<Scalar>& V, PassOrder order, const Body& body) {
  const auto stream = V.open(std::move(order));
  Batch<Scalar> batch;
  while (stream->next(batch)) {
    batch.features = V.features();
    body(batch);
  }
}

// The batch as a dense matrix.
template <class Scalar>
void put_batch(const Batch<Scalar>& batch, Matrix<Scalar>& to) {
  to.setZero();
  for (Index j = 0; j < batch.count; ++j)
    for_entries(batch, j, [&](Index f, Scalar value) { to(f, j) = value; });
}

double squared(double value) { return value * value; }

// ||u - Wh||^2 for a u with few entries: exactly where it has some, by h'W'Wh for the rest.
template <class Scalar>
double squared_residual(const FitResult<Scalar>& fit, const Matrix<double>& WtW, const Matrix<Scalar>& u,
                        const std::vector<Index>& places, Index sample) {
  const Eigen::VectorXd h = fit.H.col(sample).template cast<double>();
  double here = 0, met = 0;
  for (const Index f : places) {
    const double wh = fit.W.row(f).template cast<double>().dot(h);
    here += squared(double(u(f, 0)) - wh);
    met += squared(wh);
  }
  return here + std::max(0.0, h.dot(WtW * h) - met);
}

template <class Scalar>
Matrix<double> gram(const RowMatrix<Scalar>& W) {
  return W.template cast<double>().transpose() * W.template cast<double>();
}

template <class Scalar>
void subtract_outliers(const FitResult<Scalar>& fit, Index sample, Eigen::Ref<Matrix<Scalar>> from) {
  if (fit.R.size() > 0) from -= fit.R.col(sample);
  if (fit.R_sparse.size() == 0) return;
  for (typename SparseMatrix<Scalar>::InnerIterator it(fit.R_sparse, sample); it; ++it)
    from(it.row(), 0) -= it.value();
}

template <class Scalar>
std::vector<double> dense_residuals(const MatrixSource<Scalar>& V, const FitResult<Scalar>& fit) {
  std::vector<double> out;
  for_batches(V, whole_pass(V.samples()), [&](const Batch<Scalar>& batch) {
    Matrix<Scalar> v(V.features(), batch.count);
    put_batch(batch, v);
    const auto first = static_cast<Index>(out.size());
    std::vector<double> norms;
    for (Index j = 0; j < batch.count; ++j) {
      norms.push_back(v.col(j).template cast<double>().norm());
      subtract_outliers<Scalar>(fit, first + j, v.col(j));
    }
    v.noalias() -= fit.W * fit.H.middleCols(first, batch.count);
    for (Index j = 0; j < batch.count; ++j) {
      const double norm = norms[static_cast<std::size_t>(j)];
      out.push_back(norm > 0 ? v.col(j).template cast<double>().norm() / norm : 0);
    }
  });
  return out;
}

template <class Scalar>
std::vector<double> sparse_residuals(const MatrixSource<Scalar>& V, const FitResult<Scalar>& fit) {
  std::vector<double> out;
  const Matrix<double> WtW = gram(fit.W);
  Matrix<Scalar> u = Matrix<Scalar>::Zero(V.features(), 1);
  for_batches(V, whole_pass(V.samples()), [&](const Batch<Scalar>& batch) {
    for (Index j = 0; j < batch.count; ++j) {
      const auto sample = static_cast<Index>(out.size());
      std::vector<Index> places;
      double norm = 0;
      for_entries(batch, j, [&](Index f, Scalar value) {
        places.push_back(f);
        u(f, 0) = value;
        norm += squared(double(value));
      });
      if (fit.R_sparse.size() > 0)
        for (typename SparseMatrix<Scalar>::InnerIterator it(fit.R_sparse, sample); it; ++it)
          if (u(it.row(), 0) == 0) places.push_back(it.row());
      subtract_outliers<Scalar>(fit, sample, u);
      const double residual = norm > 0 ? squared_residual(fit, WtW, u, places, sample) / norm : 0;
      out.push_back(std::sqrt(residual));
      for (const Index f : places) u(f, 0) = 0;
    }
  });
  return out;
}

// The divergence of each sample over sum(v^beta), which grows with the scale of v as the divergence does.
template <class Scalar>
std::vector<double> sample_divergences(const MatrixSource<Scalar>& V, const FitResult<Scalar>& fit) {
  std::vector<double> out = sample_costs(V, fit);
  std::size_t n = 0;
  for_batches(V, whole_pass(V.samples()), [&](const Batch<Scalar>& batch) {
    for (Index j = 0; j < batch.count; ++j, ++n) {
      double size = 0;
      for_entries(batch, j, [&](Index, Scalar value) {
        if (value > 0) size += std::pow(static_cast<double>(value), fit.loss.beta);
      });
      out[n] = size > 0 ? out[n] / size : 0;
    }
  });
  return out;
}

}  // namespace

template <class Scalar>
std::vector<double> sample_residuals(const MatrixSource<Scalar>& V, const FitResult<Scalar>& fit) {
  if (fit.H.cols() == 0)
    throw InvalidInput("the model learned from a stream and has no H, which residuals of samples need");
  if (V.features() != fit.W.rows() || V.samples() != fit.H.cols())
    throw InvalidInput("the model was made from " + std::to_string(fit.W.rows()) + " features x " +
                       std::to_string(fit.H.cols()) + " samples, but V has " + std::to_string(V.features()) +
                       " x " + std::to_string(V.samples()));
  if (!fit.loss.is_frobenius()) return sample_divergences(V, fit);
  return V.is_sparse() && fit.R.size() == 0 ? sparse_residuals(V, fit) : dense_residuals(V, fit);
}

template <class Scalar>
Matrix<Scalar> columns_of(const MatrixSource<Scalar>& V, const std::vector<Index>& samples) {
  Matrix<Scalar> out(V.features(), static_cast<Index>(samples.size()));
  if (samples.empty()) return out;
  for_batches(V, {samples, {static_cast<Index>(samples.size())}},
              [&](const Batch<Scalar>& batch) { put_batch(batch, out); });
  return out;
}

template <class Scalar>
Matrix<Scalar> outliers_of(const FitResult<Scalar>& fit, const std::vector<Index>& samples) {
  Matrix<Scalar> out = Matrix<Scalar>::Zero(fit.W.rows(), static_cast<Index>(samples.size()));
  for (std::size_t i = 0; i < samples.size(); ++i)
    subtract_outliers<Scalar>(fit, samples[i], out.col(static_cast<Index>(i)));
  return -out;
}

#define SVRMU_INSTANTIATE(S)                                                                     \
  template std::vector<double> sample_residuals<S>(const MatrixSource<S>&, const FitResult<S>&); \
  template Matrix<S> columns_of<S>(const MatrixSource<S>&, const std::vector<Index>&);           \
  template Matrix<S> outliers_of<S>(const FitResult<S>&, const std::vector<Index>&);
SVRMU_INSTANTIATE(float)
SVRMU_INSTANTIATE(double)
#undef SVRMU_INSTANTIATE

}  // namespace svrmu::report
