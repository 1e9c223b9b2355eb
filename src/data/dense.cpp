// V in memory, dense: batches are views.
#include <stdexcept>
#include <utility>

#include "data/memory_stream.hpp"
#include "svrmu/error.hpp"
#include "svrmu/source.hpp"

namespace svrmu {
namespace {

template <class Scalar>
class DenseSource final : public MatrixSource<Scalar> {
 public:
  DenseSource(DenseColumns<Scalar> columns, Index features, Index samples)
      : columns_(columns), features_(features), samples_(samples) {}

  Index features() const override { return features_; }
  Index samples() const override { return samples_; }
  bool is_sparse() const override { return false; }
  Index stored() const override { return features_ * samples_; }
  std::unique_ptr<BatchStream<Scalar>> open(PassOrder order) const override {
    return std::make_unique<MemoryStream<Scalar>>(columns_, std::move(order));
  }

 private:
  DenseColumns<Scalar> columns_;
  Index features_;
  Index samples_;
};

}  // namespace

template <class Scalar>
std::unique_ptr<MatrixSource<Scalar>> view_dense(const Scalar* data, Index features, Index samples,
                                                 Layout layout, Index stride) {
  if (features < 0 || samples < 0)
    throw InvalidInput("view_dense: V cannot have " + std::to_string(features) + " features and " +
                       std::to_string(samples) + " samples");
  const bool by_columns = layout == Layout::columns_contiguous;
  const Index least = by_columns ? features : samples;
  if (stride == 0) stride = least;
  if (stride < 0)
    throw InvalidInput("view_dense: stride is " + std::to_string(stride) +
                       ", but V cannot be read backwards; make a copy of it");
  if (stride < least)
    throw InvalidInput("view_dense: stride is " + std::to_string(stride) + ", but a " +
                       (by_columns ? "column" : "row") + " holds " + std::to_string(least) + " values");
  const DenseColumns<Scalar> columns{data, by_columns ? 1 : stride, by_columns ? stride : 1};
  return std::make_unique<DenseSource<Scalar>>(columns, features, samples);
}

template <class Scalar>
std::unique_ptr<MatrixSource<Scalar>> view(const Matrix<Scalar>& V) {
  return view_dense(V.data(), V.rows(), V.cols());
}

template <class Scalar>
std::unique_ptr<MatrixSource<Scalar>> view(const RowMatrix<Scalar>& V) {
  return view_dense(V.data(), V.rows(), V.cols(), Layout::rows_contiguous);
}

#define SVRMU_INSTANTIATE(S)                                                                      \
  template std::unique_ptr<MatrixSource<S>> view_dense<S>(const S*, Index, Index, Layout, Index); \
  template std::unique_ptr<MatrixSource<S>> view<S>(const Matrix<S>&);                            \
  template std::unique_ptr<MatrixSource<S>> view<S>(const RowMatrix<S>&);
SVRMU_INSTANTIATE(float)
SVRMU_INSTANTIATE(double)
#undef SVRMU_INSTANTIATE

}  // namespace svrmu
