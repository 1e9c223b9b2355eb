// V in memory, compressed sparse columns: batches are views.
#include <utility>

#include "data/memory_stream.hpp"
#include "svrmu/error.hpp"
#include "svrmu/source.hpp"

namespace svrmu {
namespace {

template <class Scalar, class Offset>
class SparseSource final : public MatrixSource<Scalar> {
 public:
  SparseSource(SparseColumns<Scalar, Offset> columns, Index features, Index samples)
      : columns_(columns), features_(features), samples_(samples) {}

  Index features() const override { return features_; }
  Index samples() const override { return samples_; }
  bool is_sparse() const override { return true; }
  Index stored() const override { return columns_.offsets[samples_] - columns_.offsets[0]; }
  std::unique_ptr<BatchStream<Scalar>> open(PassOrder order) const override {
    return std::make_unique<MemoryStream<Scalar>>(columns_, std::move(order));
  }

 private:
  SparseColumns<Scalar, Offset> columns_;
  Index features_;
  Index samples_;
};

// Kernels trust rows and offsets, so they are checked here, once, before anything is read through them.
template <class Scalar, class Offset>
std::unique_ptr<MatrixSource<Scalar>> checked(Index features, Index samples, const Offset* offsets,
                                              const Offset* rows, const Scalar* values) {
  for (Index n = 0; n < samples; ++n)
    if (offsets[n] < 0 || offsets[n + 1] < offsets[n])
      throw InvalidData("sparse V: offsets decrease from " + std::to_string(offsets[n]) + " to " +
                        std::to_string(offsets[n + 1]) + " at column " + std::to_string(n + 1) +
                        " (counted from 1)");
  for (Index n = 0; n < samples; ++n) {
    Index last = -1;
    for (Index p = offsets[n]; p < offsets[n + 1]; ++p) {
      const Index row = rows[p];
      if (row < 0 || row >= features)
        throw InvalidData("sparse V: the row index " + std::to_string(row) + " in column " +
                          std::to_string(n + 1) + " (counted from 1) is outside 0.." +
                          std::to_string(features - 1));
      if (row <= last)
        throw InvalidData("sparse V: row indices of column " + std::to_string(n + 1) +
                          " (counted from 1) do not increase (" + std::to_string(row) + " after " +
                          std::to_string(last) +
                          "); sort them and add up duplicates (scipy: V.sum_duplicates())");
      last = row;
    }
  }
  return std::make_unique<SparseSource<Scalar, Offset>>(SparseColumns<Scalar, Offset>{offsets, rows, values},
                                                        features, samples);
}

}  // namespace

template <class Scalar>
std::unique_ptr<MatrixSource<Scalar>> view_sparse(Index features, Index samples, const std::int32_t* offsets,
                                                  const std::int32_t* rows, const Scalar* values) {
  return checked(features, samples, offsets, rows, values);
}

template <class Scalar>
std::unique_ptr<MatrixSource<Scalar>> view_sparse(Index features, Index samples, const std::int64_t* offsets,
                                                  const std::int64_t* rows, const Scalar* values) {
  return checked(features, samples, offsets, rows, values);
}

template <class Scalar>
std::unique_ptr<MatrixSource<Scalar>> view(const SparseMatrix<Scalar>& V) {
  if (!V.isCompressed()) throw InvalidInput("sparse V is not compressed; call V.makeCompressed() first");
  return checked(V.rows(), V.cols(), V.outerIndexPtr(), V.innerIndexPtr(), V.valuePtr());
}

#define SVRMU_INSTANTIATE(S)                                                                  \
  template std::unique_ptr<MatrixSource<S>> view_sparse<S>(Index, Index, const std::int32_t*, \
                                                           const std::int32_t*, const S*);    \
  template std::unique_ptr<MatrixSource<S>> view_sparse<S>(Index, Index, const std::int64_t*, \
                                                           const std::int64_t*, const S*);    \
  template std::unique_ptr<MatrixSource<S>> view<S>(const SparseMatrix<S>&);
SVRMU_INSTANTIATE(float)
SVRMU_INSTANTIATE(double)
#undef SVRMU_INSTANTIATE

}  // namespace svrmu
